"""How often tools were called here, for searches that let familiar tools come a little earlier."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from hermes_core.logs import log

_MOST_ENTRIES = 10_000
"""The newest calls tell enough about habits, and older ones about habits of old."""


def read_usage(home: Path) -> Mapping[str, int]:
    """How often each tool was called with success, out of the newest calls in the audit log; nothing without one."""
    from hermes_core.approval.audit.reader import read_entries
    from hermes_core.approval.audit.writer import FILE_NAME

    try:
        entries = read_entries(home / FILE_NAME, newest_first=True, outcome="ok", limit=_MOST_ENTRIES)
        return Counter(entry["tool"] for entry in entries)
    except OSError as error:  # a search must not fail because a log cannot be read
        log.warning("The audit log cannot be read, so tool search does without it: %s", error)
        return {}
