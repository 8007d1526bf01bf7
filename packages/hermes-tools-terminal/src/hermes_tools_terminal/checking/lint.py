"""What an edit has broken, in the words of a tool's result."""

from __future__ import annotations

import re
from collections import Counter

from hermes_tools_terminal.checking.check import problems
from hermes_tools_terminal.checking.problem import Problem, UncheckedError
from hermes_tools_terminal.checking.programs import Run

_MOST_TOLD = 10
"""How many problems are told."""

_LONGEST_LINE = 160
"""How many characters of a line or a message are shown."""

_AMID = 1 << 60
"""The place of all lines that an edit touched."""

_NUMBER = re.compile(r"\d+")


def lint(name: str, before: str | None, after: str, run: Run | None = None) -> dict[str, str] | None:
    """What an edit has done to the syntax of a file: `status`, `output` and `message`.

    The status is `ok`, `error` or `skipped`. The output has only what the edit has broken; it is empty when all of it
    was broken before, and the message says so.

    Args:
        name: The path or the name of the file.
        before: Its text before the edit; None when it was not there.
        after: Its text now.
        run: Runs programs that know languages which nobody here knows.

    Returns:
        None when nobody checks files of that kind.
    """
    try:
        found = problems(name, after, run)
    except UncheckedError as error:
        return _result("skipped", message=str(error))
    if found is None:
        return None
    if not found:
        return _result("ok")
    new = broken(_problems_before(name, before, run), found, before or "", after)
    if not new:
        return _result(
            "error", message="The file had syntax errors before this edit; none is known that this edit brought."
        )
    told = [_told(problem, after) for problem in new[:_MOST_TOLD]]
    more = f"and {len(new) - _MOST_TOLD} more" if len(new) > _MOST_TOLD else ""
    return _result(
        "error", "\n".join(filter(None, (*told, more))), "This edit broke the syntax of the file. Repair it."
    )


def broken(
    before: list[Problem] | None, after: list[Problem], text_before: str = "", text_after: str = ""
) -> list[Problem]:
    """The problems that were not there before.

    A problem is the same if its message is, numbers aside, and the line that it is on: where the edit has not touched
    the line, at the place that the line has moved to.

    Args:
        before: What was wrong; None when nobody could tell.
        after: What is wrong now.
        text_before: The text before the edit.
        text_after: The text now.
    """
    if not before:
        return after
    old, new = text_before.split("\n"), text_after.split("\n")
    first, last = _unchanged(old, new)
    known = Counter(_identity(each, old, first, last) for each in before)
    fresh = []
    for problem in after:
        identity = _identity(problem, new, first, last)
        if known[identity] > 0:
            known[identity] -= 1
        else:
            fresh.append(problem)
    return fresh


def _identity(problem: Problem, lines: list[str], first: int, last: int) -> tuple[str, str, int]:
    """What stays the same of a problem that an edit has not to do with."""
    message = _NUMBER.sub("#", problem.message)
    at = problem.line - 1
    line = lines[at].strip() if 0 <= at < len(lines) else ""
    if at < first:
        return message, line, at
    from_end = len(lines) - at
    return message, line, -from_end if from_end <= last else _AMID


def _unchanged(old: list[str], new: list[str]) -> tuple[int, int]:
    """How many lines at the beginning and at the end an edit did not touch."""
    shorter = min(len(old), len(new))
    first = next((at for at in range(shorter) if old[at] != new[at]), shorter)
    rest = shorter - first
    last = next((at for at in range(rest) if old[-1 - at] != new[-1 - at]), rest)
    return first, last


def _problems_before(name: str, before: str | None, run: Run | None) -> list[Problem] | None:
    try:
        return None if before is None else problems(name, before, run)
    except UncheckedError:
        return None


def _told(problem: Problem, text: str) -> str:
    lines = text.split("\n", problem.line)
    line = lines[problem.line - 1].strip() if problem.line <= len(lines) else ""
    said = _cut(str(problem))
    return f"{said}: `{_cut(line)}`" if line else said


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_LINE else text[:_LONGEST_LINE] + "..."


def _result(status: str, output: str = "", message: str = "") -> dict[str, str]:
    return {"status": status, "output": output, "message": message}
