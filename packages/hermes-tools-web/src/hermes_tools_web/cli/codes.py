"""What the exit status of a command tells a script: the same as that of `hermes call`."""

from __future__ import annotations

from hermes_core import CallRecord

OK = 0
FAILED = 1
INTERRUPTED = 130
_BY_STATUS = {"blocked": 4, "timeout": 124, "cancelled": INTERRUPTED}
_BY_CODE = {"invalid_arguments": 2, "unknown_tool": 3, "unavailable": 5, "timeout": 124}

CODES = (
    "Exit codes: 0 when it worked, 1 when it did not, 2 for wrong usage, 4 when it was not allowed, 5 when the chosen "
    "provider cannot be used, 124 for a time-out, 130 when it is interrupted."
)


def code_of(record: CallRecord) -> int:
    """The exit status for what became of a call."""
    if record.status == "ok":
        return OK
    return _BY_STATUS.get(record.status) or _BY_CODE.get(record.code or "", FAILED)
