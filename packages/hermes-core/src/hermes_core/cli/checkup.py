"""What `hermes doctor` looks at: each thing that may be wrong, with what to do about it."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from hermes_core import __version__
from hermes_core.config.home import may_be_there
from hermes_core.plugins.api import API_VERSION

if TYPE_CHECKING:
    from hermes_core.config.problems import ConfigProblem
    from hermes_core.host import Hermes
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
        """For other programs."""
        return {**self._asdict(), "remedy": self.remedy or None}


def installation() -> Iterator[Symptom]:
    """Which versions these are."""
    python = ".".join(map(str, sys.version_info[:3]))
    yield Symptom("ok", "hermes-core", f"{__version__}, plugin API {API_VERSION}, Python {python} ({sys.executable})")


def home(folder: Path) -> Iterator[Symptom]:
    """Whether settings and state can be kept."""
    if not may_be_there(str(folder)):
        yield Symptom("ok", "home", f"{folder} does not exist yet; it is made when something is kept there")
        return
    if not folder.is_dir():
        remedy = "Move it away, or set HERMES_HOME to a folder."
        yield Symptom("error", "home", f"{folder} is not a folder", remedy)
        return
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        yield Symptom("error", "home", f"{folder} cannot be written", "Mend its owner and mode, or set HERMES_HOME.")
    else:
        yield Symptom("ok", "home", str(folder))
    secrets = folder / ".env"
    try:
        mode = secrets.stat().st_mode
    except OSError:  # there is none, or the line above says why it cannot be looked at
        return
    if stat.S_ISREG(mode) and stat.S_IMODE(mode) & 0o077:
        yield Symptom("warning", "home", f"others can read {secrets}", f"Run: chmod 600 {secrets}")


def settings(problems: list[ConfigProblem], file: Path) -> Iterator[Symptom]:
    """What is wrong with the settings."""
    for problem in problems:
        yield Symptom(problem.level, "config", str(problem), "" if problem.level == "note" else "Mend the settings.")
    if not problems:
        yield Symptom("ok", "config", str(file) if file.exists() else f"there is no {file}; the defaults hold")


def plugins(host: Hermes) -> Iterator[Symptom]:
    """What became of each plugin."""
    for record in host.report:
        yield from _plugin(record)
    if not len(host.report):
        yield Symptom("note", "plugins", "none is installed", "'hermes tools' says how to get some.")


def _plugin(record: PluginRecord) -> Iterator[Symptom]:
    subject = f"plugin {record.name}"
    levels: dict[str, Level] = {"failed": "error", "partial": "warning", "untrusted": "warning"}
    if record.status in levels:
        problems = record.problems or ("something is wrong with it.",)
        for problem in problems:
            yield Symptom(levels[record.status], subject, problem, record.remedy)
    elif record.status == "disabled":
        yield Symptom("note", subject, "disabled", record.remedy)
    else:
        took = f"imported in {record.seconds * 1000:.0f} ms" if record.imported else "imported when it is needed"
        source = f"{record.distribution} {record.version}" if record.distribution else record.origin
        tools = f"{len(record.tools)} tool{'' if len(record.tools) == 1 else 's'}"
        yield Symptom("ok", subject, f"{source}, {tools}, {took}")


def tools(host: Hermes) -> Iterator[Symptom]:
    """Which tools cannot run here."""
    names = host.registry.names()
    closed = [(name, verdict) for name in names if not (verdict := host.why(name)).available]
    for name, verdict in closed:
        yield Symptom("note", f"tool {name}", verdict.reason, verdict.remedy)
    if names:
        yield Symptom("ok", "tools", f"{len(names) - len(closed)} of {len(names)} can run here")


def lock(file: Path | None, problem: str | None) -> Iterator[Symptom]:
    """Whether a lock is in effect, and can be read."""
    if problem is not None:
        yield Symptom("error", "lock", problem, "Mend it, or set HERMES_LOCK=off to go without.")
    elif file is not None:
        yield Symptom("ok", "lock", str(file))
