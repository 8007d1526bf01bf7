"""The exit codes of `hermes`."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """All exit codes of `hermes`. The numbers are stable."""

    meaning: str

    def __new__(cls, value: int, meaning: str) -> ExitCode:
        member = int.__new__(cls, value)
        member._value_ = value  # conventions: allow - the documented way to set the value of an enum
        member.meaning = meaning
        return member

    OK = 0, "success"
    TOOL_ERROR = 1, "the result or a check reports a failure"
    FOUND = TOOL_ERROR
    USAGE = 2, "invalid usage or configuration; nothing ran"
    UNKNOWN_TOOL = 3, "unknown tool, or not in the given toolsets"
    DENIED = 4, "denied by policy or by an approver"
    UNAVAILABLE = 5, "tool not available; see `hermes why NAME`"
    INTERNAL = 70, "unexpected error in hermes or a plugin"
    OUTPUT = 74, "the output cannot be written"
    TIMEOUT = 124, "the tool or its command did not finish in time"
    HUNG_UP = 129, "ended by SIGHUP"
    INTERRUPTED = 130, "interrupted with Ctrl-C"
    BROKEN_PIPE = 141, "the reader of the output closed the pipe"
    TERMINATED = 143, "ended by SIGTERM"


def table_of_codes() -> str:
    """Return the codes as lines for a help text; the first line keeps click from wrapping them."""
    lines = [f"{code.value:>5}  {code.meaning}" for code in ExitCode]
    return "\n".join(["\b", "Exit codes:", *lines])
