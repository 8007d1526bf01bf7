"""Report the syntax problems that an edit introduced."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Callable

from hermes_tools_terminal.syntax_checks.builtin_checkers import (
    json_problems,
    may_have_comments,
    python_problems,
    toml_problems,
    yaml_problems,
)
from hermes_tools_terminal.syntax_checks.external_checkers import Run, program_problems, programs
from hermes_tools_terminal.syntax_checks.problem import Problem, UncheckedError

_HERE: dict[str, Callable[[str], list[Problem]]] = {
    ".py": python_problems,
    ".pyi": python_problems,
    ".pyw": python_problems,
    ".yaml": yaml_problems,
    ".yml": yaml_problems,
    ".toml": toml_problems,
}
_JSON = frozenset({".json", ".ipynb", ".geojson", ".webmanifest"})


def check(name: str, text: str, run: Run | None = None) -> list[Problem] | None:
    """What is wrong with the syntax of a text; None when nobody can tell.

    Args:
        name: The path or the name of its file.
        text: The text.
        run: Runs programs that know other languages.
    """
    try:
        return problems(name, text, run)
    except UncheckedError:
        return None


def problems(name: str, text: str, run: Run | None = None) -> list[Problem] | None:
    """What is wrong with the syntax of a text; None when nobody checks files of that kind.

    Args:
        name: The path or the name of its file.
        text: The text.
        run: Runs programs that know other languages.

    Raises:
        UncheckedError: such files are checked, but this one cannot be.
    """
    text = text.removeprefix("\ufeff")
    extension = posixpath.splitext(name)[1].lower()
    if extension in _JSON or may_have_comments(name.lower()):
        return json_problems(name.lower(), text)
    if extension in _HERE:
        return _HERE[extension](text)
    candidates = programs(extension, text)
    if not candidates or run is None:
        return None
    return program_problems(candidates, text, run)


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
