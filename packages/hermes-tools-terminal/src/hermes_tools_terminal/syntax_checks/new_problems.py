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

_BUILTIN: dict[str, Callable[[str], list[Problem]]] = {
    ".py": python_problems,
    ".pyi": python_problems,
    ".pyw": python_problems,
    ".yaml": yaml_problems,
    ".yml": yaml_problems,
    ".toml": toml_problems,
}
_JSON = frozenset({".json", ".ipynb", ".geojson", ".webmanifest"})


def problems(name: str, text: str, run: Run | None = None) -> list[Problem] | None:
    """Return the syntax problems of a text; None if there is no checker for such files.

    Raises:
        UncheckedError: There is a checker, but it cannot check this text.
    """
    text = text.removeprefix("\ufeff")
    extension = posixpath.splitext(name)[1].lower()
    if extension in _JSON or may_have_comments(name.lower()):
        return json_problems(name.lower(), text)
    if extension in _BUILTIN:
        return _BUILTIN[extension](text)
    candidates = programs(extension, text)
    if not candidates or run is None:
        return None
    return program_problems(candidates, text, run)


_MAX_TOLD = 10
"""The maximum number of reported problems."""

_LONGEST_LINE = 160
"""How many characters of a line or message are shown."""

_AMID = 1 << 60
"""The position of all lines that the edit changed."""

_NUMBER = re.compile(r"\d+")


def lint(name: str, before: str | None, after: str, run: Run | None = None) -> dict[str, str] | None:
    """Report what an edit did to the syntax of a file, as `status`, `output` and `message`.

    The status is `ok`, `error` or `skipped`. The output contains only problems that the edit introduced; if there are
    only earlier ones, it is empty and the message says so.

    Returns:
        None if there is no checker for such files.
    """
    try:
        found = problems(name, after, run)
    except UncheckedError as error:
        return _result("skipped", message=str(error))
    if found is None:
        return None
    if not found:
        return _result("ok")
    new = introduced_problems(_problems_before(name, before, run), found, before or "", after)
    if not new:
        return _result("error", message="The file had syntax errors before this edit, which introduced no new ones.")
    told = [_format(problem, after) for problem in new[:_MAX_TOLD]]
    more = f"and {len(new) - _MAX_TOLD} more" if len(new) > _MAX_TOLD else ""
    return _result("error", "\n".join(filter(None, (*told, more))), "This edit introduced syntax errors. Fix them.")


def introduced_problems(
    before: list[Problem] | None, after: list[Problem], text_before: str = "", text_after: str = ""
) -> list[Problem]:
    """Return the problems that an edit introduced.

    Problems are the same if their messages are, apart from numbers, and the text of their lines; in unchanged parts of
    the file, the lines must correspond too.
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
    """Return what identifies a problem across an edit."""
    message = _NUMBER.sub("#", problem.message)
    at = problem.line - 1
    line = lines[at].strip() if 0 <= at < len(lines) else ""
    if at < first:
        return message, line, at
    from_end = len(lines) - at
    return message, line, -from_end if from_end <= last else _AMID


def _unchanged(old: list[str], new: list[str]) -> tuple[int, int]:
    """Return how many lines at the beginning and at the end are unchanged."""
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


def _format(problem: Problem, text: str) -> str:
    lines = text.split("\n", problem.line)
    line = lines[problem.line - 1].strip() if problem.line <= len(lines) else ""
    line_text = _cut(str(problem))
    return f"{line_text}: `{_cut(line)}`" if line else line_text


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_LINE else text[:_LONGEST_LINE] + "..."


def _result(status: str, output: str = "", message: str = "") -> dict[str, str]:
    return {"status": status, "output": output, "message": message}
