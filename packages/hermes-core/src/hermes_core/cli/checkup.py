"""What `hermes doctor` looks at in a host: versions, settings, the lock, plugins and tools."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from hermes_core import __version__
from hermes_core.plugins.api import API_VERSION

if TYPE_CHECKING:
    from hermes_core.config.problems import ConfigProblem
    from hermes_core.plugins.report import PluginRecord

Level = Literal["ok", "note", "warning", "error"]


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


def installation() -> Iterator[Symptom]:
    """Report the versions."""
    python = ".".join(map(str, sys.version_info[:3]))
    yield Symptom("ok", "hermes-core", f"{__version__}, plugin API {API_VERSION}, Python {python} ({sys.executable})")


def settings(problems: list[ConfigProblem], file: Path) -> Iterator[Symptom]:
    """Report what is wrong with the settings."""
    for problem in problems:
        remedy = "" if problem.level == "note" else "Fix the configuration file."
        yield Symptom(problem.level, "config", str(problem), remedy)
    if not problems:
        yield Symptom("ok", "config", str(file) if file.exists() else f"there is no {file}; the defaults apply")


def lock(file: Path | None, problem: str | None) -> Iterator[Symptom]:
    """Report whether a lock is in effect, and can be read."""
    if problem is not None:
        yield Symptom("error", "lock", problem, "Repair it, or set HERMES_LOCK=off to work without it.")
    elif file is not None:
        yield Symptom("ok", "lock", str(file))


def plugins(records: Sequence[PluginRecord]) -> Iterator[Symptom]:
    """Report the load status of each plugin."""
    for record in records:
        yield from _plugin(record)
    if not records:
        yield Symptom("note", "plugins", "none is installed", "'hermes tools' says how to get some.")


def _plugin(record: PluginRecord) -> Iterator[Symptom]:
    subject = f"plugin {record.name}"
    levels: dict[str, Level] = {"failed": "error", "partial": "warning", "untrusted": "warning"}
    if record.denies:
        why = "it holds a policy or is required, and cannot be used"
        yield Symptom("error", subject, f"Every call is denied: {why}", record.remedy)
    if record.status in levels:
        problems = record.problems or ("something is wrong with it.",)
        for problem in problems:
            yield Symptom(levels[record.status], subject, problem, record.remedy)
    elif record.status == "disabled":
        yield Symptom("note", subject, "disabled", record.remedy)
    else:
        took = f"imported in {record.seconds * 1000:.0f} ms" if record.imported else "not imported"
        source = f"{record.distribution} {record.version}" if record.distribution else record.origin
        tools = f"{len(record.tools)} tool{'' if len(record.tools) == 1 else 's'}"
        yield Symptom("ok", subject, f"{source}, {tools}, {took}")


def calls(abandoned: Mapping[str, int]) -> Iterator[Symptom]:
    """Report the calls that were given up at their deadline and still run."""
    for name, number in sorted(abandoned.items()):
        message = f"{number} {'call' if number == 1 else 'calls'} did not end in time, and still ran afterwards"
        yield Symptom("warning", f"calls of {name}", message, "Report it to the author of the tool or plugin.")
    if not abandoned:
        yield Symptom("ok", "calls", "none was given up")


def tools(names: Sequence[str], unavailable: Mapping[str, tuple[str, str]]) -> Iterator[Symptom]:
    """Report which tools are not available, with reason and remedy."""
    for name, (reason, remedy) in unavailable.items():
        yield Symptom("note", f"tool {name}", reason, remedy)
    if names:
        yield Symptom("ok", "tools", f"{len(names) - len(unavailable)} of {len(names)} are available")
