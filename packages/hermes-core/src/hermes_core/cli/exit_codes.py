"""What the exit status of a command tells a script."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """Every status that `hermes` ends with. The numbers are stable."""

    meaning: str

    def __new__(cls, value: int, meaning: str) -> ExitCode:
        member = int.__new__(cls, value)
        member._value_ = value  # conventions: allow - the documented way to set the value of an enum
        member.meaning = meaning
        return member

    OK = 0, "it worked"
    TOOL_ERROR = 1, "the result says that what was asked for failed, or a check found something"
    FOUND = TOOL_ERROR
    USAGE = 2, "wrong usage, arguments or configuration; nothing ran"
    UNKNOWN_TOOL = 3, "there is no such tool, or not in the toolsets given"
    DENIED = 4, "policy or an approver said no"
    UNAVAILABLE = 5, "the tool cannot run here; `hermes why NAME` says why"
    INTERNAL = 70, "something unexpected went wrong inside hermes or a plugin"
    OUTPUT = 74, "the output could not be written: stdout is closed, or its disk is full"
    TIMEOUT = 124, "the tool, or the command that it ran, did not finish in time"
    HUNG_UP = 129, "ended by SIGHUP; what it ran was killed"
    INTERRUPTED = 130, "stopped with Ctrl-C"
    BROKEN_PIPE = 141, "the program that read the output went away"
    TERMINATED = 143, "ended by SIGTERM; what it ran was killed"


def table_of_codes() -> str:
    """The codes as lines for a help text; the first line keeps click from rewrapping them."""
    lines = [f"{code.value:>5}  {code.meaning}" for code in ExitCode]
    return "\n".join(["\b", "Exit codes:", *lines])
