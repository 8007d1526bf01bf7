"""Checks for `hermes doctor` whether the audit log can be used."""

from __future__ import annotations

import json
import os
from pathlib import Path

from hermes_approval.audit.entry import VERSION
from hermes_approval.audit.writer import FILE_NAME
from hermes_core.health import HealthProblem

_TAIL_BYTES = 65_536


def find_problem(home: Path) -> HealthProblem | None:
    """Return why the log cannot be used, or what of its end is damaged."""
    file = home / FILE_NAME
    if not os.path.lexists(file):
        return None
    if not file.is_file():
        return HealthProblem(message=f"{file} is not a file, so calls are not logged", remedy="Move it away.")
    try:
        with file.open("rb") as opened:
            opened.seek(max(0, file.stat().st_size - _TAIL_BYTES))
            lines = opened.read().splitlines()
    except OSError as error:
        message = f"{file} cannot be read ({error.strerror})"
        return HealthProblem(message=message, remedy="Fix its owner and mode.")
    damaged = 0
    for number, line in enumerate(filter(None, lines)):
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            damaged += number > 0  # the first one may be cut by where we started to read
            continue
        version = entry.get("v") if isinstance(entry, dict) else None
        if isinstance(version, int) and version > VERSION:
            message = f"{file} was written by a newer version (format {version}; this one reads {VERSION})"
            return HealthProblem(message=message, remedy="Upgrade hermes-approval, or move the file away.")
    if not damaged:
        return None
    message = f"{damaged} of the last lines of {file} are damaged; 'hermes audit' skips them"
    remedy = "A full disk or a crash does that. The other lines are fine."
    return HealthProblem(message=message, remedy=remedy, level="warning")
