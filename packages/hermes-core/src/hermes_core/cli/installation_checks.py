"""The checks of `hermes doctor`: settings, lock, plugins, tools, dependencies, home directory and disk."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from hermes_core.cli.output import counted
from hermes_core.config.config import Config
from hermes_core.config.home import hermes_home
from hermes_core.config.tool_session import settings_environ
from hermes_core.errors import ConfigError
from hermes_core.families import install_command
from hermes_core.plugins.plugin_records import PluginRecord
from hermes_core.plugins.trust import FILE as TRUST_FILE
from hermes_core.plugins.trust import Trust
from hermes_files.directory_checks import Problem, check_modes, check_space, find_leftovers, list_files
from hermes_files.extras import find_missing

Level = Literal["ok", "note", "warning", "error"]
PROBLEMS = ("error", "warning")

_STATUS_LEVELS: dict[str, Level] = {"failed": "error", "partial": "warning", "untrusted": "warning"}


class Symptom(NamedTuple):
    """The result of one check: `ok`, a `note`, a `warning` about a possible problem, or an `error`."""

    level: Level
    subject: str
    message: str
    remedy: str = ""

    def as_dict(self) -> dict[str, Any]:
        return {**self._asdict(), "remedy": self.remedy or None}


def check_settings(config: Config) -> Iterator[Symptom]:
    """Report problems of the settings."""
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
    """Report whether a lock is in effect and valid."""
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
        why = "it has a policy or is required, but cannot be used"
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
    """Report unavailable tools, with reason and remedy."""
    for name, (reason, remedy) in unavailable.items():
        yield Symptom("note", f"tool {name}", reason, remedy)
    if names:
        yield Symptom("ok", "tools", f"{len(names) - len(unavailable)} of {len(names)} are available")


def check_abandoned_calls(abandoned: Mapping[str, int]) -> Iterator[Symptom]:
    """Report the calls that missed their deadline and still run."""
    for name, number in sorted(abandoned.items()):
        message = f"{counted(number, 'call')} did not end in time, and still ran later"
        yield Symptom("warning", f"calls of {name}", message, "Report it to the author of the tool or plugin.")
    if not abandoned:
        yield Symptom("ok", "calls", "none was abandoned")


def check_dependencies(distributions: Iterable[str]) -> Iterator[Symptom]:
    """Report missing direct and indirect dependencies of distributions."""
    for distribution, missing, dependent in find_missing(distributions):
        message = f"{missing} is not installed, and {dependent} requires it"
        yield Symptom("error", f"dependencies of {distribution}", message, f"Run: {install_command(missing)}")


# -- the home directory ---------------------------------------------------------------------------------------------


def check_home(home: Path) -> Iterator[Symptom]:
    """Check that settings and state can be stored, and the files that exist."""
    for check in (_home, _temporary_directory, _modes, _trust, _leftovers, _plugin_directory):
        try:
            yield from check(home)
        except OSError as error:  # a disk that cannot be read
            message = f"{error.filename or 'the disk'} cannot be read ({error.strerror or error})"
            yield Symptom("error", "home", message, "Fix its owner and mode, and check the disk.")


def _home(home: Path) -> Iterator[Symptom]:
    existing = next(path for path in (home, *home.parents) if os.path.lexists(path))
    if os.path.isdir(existing):
        missing = "" if existing == home else " does not exist yet; it is created when something is stored there"
        found = check_space(existing, "Fix its owner and mode, or set HERMES_HOME.")
        yield from _symptoms("home", found) or [Symptom("ok", "home", f"{home}{missing}")]
    else:
        is_broken = os.path.islink(existing) and not os.path.exists(existing)
        what = "is a broken symbolic link" if is_broken else "is not a directory"
        yield Symptom("error", "home", f"{existing} {what}", "Move it away, or set HERMES_HOME to a directory.")


def _symptoms(subject: str, problems: Iterable[Problem]) -> list[Symptom]:
    return [Symptom(each.level, subject, each.message, each.remedy) for each in problems]


def _temporary_directory(_home: Path) -> list[Symptom]:
    folder = next((os.environ[name] for name in ("TMPDIR", "TEMP", "TMP") if os.environ.get(name)), "/tmp")  # noqa: S108
    found = check_space(Path(folder), "Free some space, or set TMPDIR to another directory.")
    return _symptoms("temp", found) or [Symptom("ok", "temp", folder)]


def _modes(home: Path) -> list[Symptom]:
    """Check who else can read secrets or change what is trusted."""
    public = (home, home / "config.yaml", home / "plugins", *list_files(home / "plugins"))
    state = (file for file in list_files(home) if file.suffix in (".json", ".jsonl"))
    return _symptoms("modes", check_modes(public, (home / ".env", home / "approvals", *state)))


def _leftovers(home: Path) -> list[Symptom]:
    return _symptoms("leftovers", find_leftovers(home / folder for folder in ("", "approvals", "cache", "undo")))


def _trust(home: Path) -> Iterator[Symptom]:
    """Check that the list of trusted plugins is valid."""
    try:
        Trust(home).read()
    except ConfigError as error:
        yield Symptom("error", "state", str(error), "Repair the file, or move it away.")
    except ValueError as error:
        message = f"{home / TRUST_FILE} is damaged: {error}"
        yield Symptom("error", "state", message, "Repair the file. Otherwise it is moved aside when it is next read.")


def _plugin_directory(home: Path) -> Iterator[Symptom]:
    """Report entries of `$HERMES_HOME/plugins` that are not plugins and are therefore ignored."""
    folder = home / "plugins"
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return  # missing, or in the load report
    for path in (folder / name for name in names if not name.startswith((".", "_"))):  # helpers and caches may be there
        if ignored := _why_ignored(path):
            yield Symptom("warning", "plugins directory", f"{path} is ignored: {ignored[0]}", ignored[1])


def _why_ignored(path: Path) -> tuple[str, str] | None:
    if os.path.islink(path) and not os.path.exists(path):
        return "the link leads nowhere", "Fix the link, or delete it."
    if os.path.isfile(path / "pyproject.toml"):
        return "it is a project, not a single file", f"Install it: pip install {path}"
    if os.path.isfile(path / "__init__.py"):
        return "it is a package, not a single file", "Make it a distribution and install it with pip."
    if os.path.isdir(path):
        return "it is a directory", "Move its .py files here, or install it with pip as a distribution."
    if path.name == "hermes-plugin.json":
        return "a manifest belongs to an installed package", "Delete it; single files need none."
    if path.suffix != ".py":
        return "its name does not end in .py", "Rename it if it is a plugin, or move it away."
    return None if os.path.isfile(path) else ("it is not a regular file", "Replace it with a file.")
