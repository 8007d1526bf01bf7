"""What `hermes doctor` looks at in an installation: settings, the lock, plugins, tools and dependencies."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import metadata
from typing import Any, Literal, NamedTuple

from hermes_core.cli.output import counted
from hermes_core.config.config import Config
from hermes_core.config.home import hermes_home
from hermes_core.config.tool_session import settings_environ
from hermes_core.errors import ConfigError
from hermes_core.plugins.records import PluginRecord
from hermes_files.installed import normalize

Level = Literal["ok", "note", "warning", "error"]
PROBLEMS = ("error", "warning")

_STATUS_LEVELS: dict[str, Level] = {"failed": "error", "partial": "warning", "untrusted": "warning"}
_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9._-]+)\s*(?:\[([^\]]*)\])?[^;]*(?:;\s*(.*\S))?", re.DOTALL)
_EXTRA = re.compile(r"""\(?\s*extra\s*==\s*["']([^"']+)["']\s*\)?\s*""")


class Symptom(NamedTuple):
    """One thing that was looked at.

    Attributes:
        level: `ok`; `note` for what is worth knowing; `warning` for what will surprise; `error` for what does not work.
        subject: What was looked at.
        message: What was found.
        remedy: What to do about it.
    """

    level: Level
    subject: str
    message: str
    remedy: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain JSON."""
        return {**self._asdict(), "remedy": self.remedy or None}


def check_settings(config: Config) -> Iterator[Symptom]:
    """Report what is wrong with the settings."""
    try:
        problems = config.problems()
    except OSError as error:
        yield Symptom("error", "config", f"{error.filename}: {error.strerror}", "Fix its owner and mode.")
        return
    for problem in problems:
        remedy = "" if problem.level == "note" else "Fix the configuration file."
        yield Symptom(problem.level, "config", str(problem), remedy)
    if not problems:
        file = config.file
        yield Symptom("ok", "config", str(file) if file.exists() else f"there is no {file}; the defaults apply")


def check_lock() -> Iterator[Symptom]:
    """Report whether a lock is in effect, and can be read."""
    from hermes_core.plugins.lock_file import find_lock, read_lock

    try:
        file = find_lock(hermes_home(), settings_environ())
        if file is not None:
            read_lock(file)
            yield Symptom("ok", "lock", str(file))
    except ConfigError as error:
        yield Symptom("error", "lock", str(error), "Repair it, or set HERMES_LOCK=off to work without it.")


def check_plugin(record: PluginRecord) -> Iterator[Symptom]:
    """Report the load status of a plugin."""
    subject = f"plugin {record.name}"
    if record.denies:
        why = "it holds a policy or is required, and cannot be used"
        yield Symptom("error", subject, f"Every call is denied: {why}", record.remedy)
    if record.status in _STATUS_LEVELS:
        for problem in record.problems or ("something is wrong with it.",):
            yield Symptom(_STATUS_LEVELS[record.status], subject, problem, record.remedy)
    elif record.status == "disabled":
        yield Symptom("note", subject, "disabled", record.remedy)
    else:
        took = f"imported in {record.seconds * 1000:.0f} ms" if record.imported else "not imported"
        source = f"{record.distribution} {record.version}" if record.distribution else record.origin
        yield Symptom("ok", subject, f"{source}, {counted(len(record.tools), 'tool')}, {took}")


def check_tools(names: Sequence[str], unavailable: Mapping[str, tuple[str, str]]) -> Iterator[Symptom]:
    """Report which tools are not available, with reason and remedy."""
    for name, (reason, remedy) in unavailable.items():
        yield Symptom("note", f"tool {name}", reason, remedy)
    if names:
        yield Symptom("ok", "tools", f"{len(names) - len(unavailable)} of {len(names)} are available")


def check_abandoned_calls(abandoned: Mapping[str, int]) -> Iterator[Symptom]:
    """Report the calls that were given up at their deadline and still run."""
    for name, number in sorted(abandoned.items()):
        message = f"{counted(number, 'call')} did not end in time, and still ran afterwards"
        yield Symptom("warning", f"calls of {name}", message, "Report it to the author of the tool or plugin.")
    if not abandoned:
        yield Symptom("ok", "calls", "none was given up")


def check_dependencies(distributions: Iterable[str]) -> Iterator[Symptom]:
    """Report what distributions require, directly or not, with the extras they ask for, and is not installed.

    Some versions of pip forget the extras of a dependency that was required before without them, and `pip check` does
    not look at extras. Requirements for other platforms or versions of Python are not looked at.
    """
    requires = cache(metadata.requires)
    waiting = [(normalize(name), "", "", name) for name in distributions]
    seen: set[tuple[str, str, str]] = set()
    while waiting:
        name, extra, source, plugin = waiting.pop()
        if (name, extra, plugin) in seen:
            continue
        seen.add((name, extra, plugin))
        try:
            lines = requires(name) or ()
        except metadata.PackageNotFoundError:
            if source and not extra:
                message = f"{name} is not installed, and {source} requires it"
                yield Symptom("error", f"dependencies of {plugin}", message, f"Run: pip install {name}")
            continue
        source = f"{name}[{extra}]" if extra else name
        for wanted, extras, marker in (match.groups("") for match in map(_REQUIREMENT.match, lines) if match):
            selected = _EXTRA.fullmatch(marker)
            if not marker or (selected is not None and normalize(selected[1]) == extra):
                waiting += [
                    (normalize(wanted), normalize(each.strip()), source, plugin) for each in ("", *extras.split(","))
                ]
