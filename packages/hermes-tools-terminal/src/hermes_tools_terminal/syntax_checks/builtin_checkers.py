"""Check Python, JSON, YAML and TOML in this process; the text is never executed."""

from __future__ import annotations

import ast
import json
import posixpath
import re
import tomllib
import warnings
from collections.abc import Iterator
from typing import Protocol

from hermes_tools_terminal.syntax_checks.problem import Problem, UncheckedError, place

_LONGEST_PYTHON = 1_000_000
"""Longer text takes seconds to parse."""

_FILE_NAME = "<hermes: text that is checked>"


def python_problems(text: str) -> list[Problem]:
    """Return the problems of a Python module. Raise `UncheckedError` if it is too long or too deeply nested."""
    if len(text) > _LONGEST_PYTHON:
        raise UncheckedError("It is too long to check.")
    _keep_quiet()
    try:
        ast.parse(text, _FILE_NAME)
    except SyntaxError as error:
        return [Problem(error.lineno or 1, error.offset or 0, error.msg)]
    except (RecursionError, MemoryError):
        raise UncheckedError("It is too deeply nested to check.") from None
    except ValueError as error:  # an invalid character or a NUL byte
        start = getattr(error, "start", 0)
        return [Problem(text.count("\n", 0, start) + 1, 0, str(error))]
    return []


def _keep_quiet() -> None:
    """Ignore warnings about the text, which would look like problems where warnings are errors.

    The filter is never removed: with several threads, removing and restoring filters would race.
    """
    ours = ("ignore", None, Warning, re.compile(re.escape(_FILE_NAME)), 0)
    if ours not in warnings.filters:
        warnings.filterwarnings("ignore", module=re.escape(_FILE_NAME))


_LONGEST_JSON = 20_000_000
"""Longer text takes seconds to parse."""

_WITH_COMMENTS = re.compile(
    r"(tsconfig|jsconfig)(\..+)?\.json|\.?devcontainer\.json|tslint\.json|\.eslintrc\.json|\.babelrc\.json"
    r"|api-extractor\.json|turbo\.json|\.swcrc|.+\.jsonc|.+\.code-workspace|.+\.sublime-[a-z]+|.+\.hujson"
)
_FOLDERS_WITH_COMMENTS = frozenset({".vscode", ".devcontainer", ".zed"})

# Unclosed strings and comments extend to the end, so that no text is scanned twice.
_STRING_OR_COMMENT = re.compile(r'"(?:[^"\\\n]|\\.)*"?|//[^\n]*|/\*[\s\S]*?(?:\*/|\Z)')
_STRING_OR_LAST_COMMA = re.compile(r'"(?:[^"\\\n]|\\.)*"?|,(?=\s*[\]}])')
_NOT_A_LINE_FEED = re.compile(r"[^\n]")


def json_problems(path: str, text: str) -> list[Problem]:
    """Return the problems of a JSON text; the path determines whether comments are allowed.

    Raises:
        UncheckedError: It is too long or too deeply nested.
    """
    if len(text) > _LONGEST_JSON:
        raise UncheckedError("It is too long to check.")
    if may_have_comments(path):
        text = _STRING_OR_COMMENT.sub(_blanked, text)
        text = _STRING_OR_LAST_COMMA.sub(_blanked, text)
    try:
        json.loads(text, parse_int=str, parse_float=str)  # long numbers are slow to parse
    except json.JSONDecodeError as error:
        return [Problem(error.lineno, error.colno, error.msg)]
    except RecursionError:
        raise UncheckedError("It is too deeply nested to check.") from None
    return []


def may_have_comments(path: str) -> bool:
    """Return whether readers of a file accept comments and trailing commas."""
    folder, name = posixpath.split(path)
    return _WITH_COMMENTS.fullmatch(name) is not None or posixpath.basename(folder) in _FOLDERS_WITH_COMMENTS


def _blanked(found: re.Match[str]) -> str:
    return found[0] if found[0].startswith('"') else _NOT_A_LINE_FEED.sub(" ", found[0])


_LONGEST_TOML = 1_000_000
"""Longer text takes seconds to parse."""

_MAX_DOTS = 1000
"""The maximum number of parts in a key, which have quadratic cost."""

_WHERE = re.compile(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", re.DOTALL)


def toml_problems(text: str) -> list[Problem]:
    """Return the problems of a TOML text. Raise `UncheckedError` if it is too long or too deeply nested."""
    if len(text) > _LONGEST_TOML:
        raise UncheckedError("It is too long to check.")
    if any(line.count(".") > _MAX_DOTS for line in text.split("\n")):
        raise UncheckedError("It is too deeply nested to check.")
    try:
        tomllib.loads(text, parse_float=str)
    except tomllib.TOMLDecodeError as error:
        return [_problem(str(error), text)]
    except RecursionError:
        raise UncheckedError("It is too deeply nested to check.") from None
    except ValueError:  # a number with thousands of digits, or an invalid date
        raise UncheckedError("It contains a number or a date that is out of range.") from None
    return []


def _problem(problem_pattern: str, text: str) -> Problem:
    found = _WHERE.fullmatch(problem_pattern)
    if found is None:
        return Problem(1, 0, problem_pattern)
    if found[2] is None:
        return Problem(text.rstrip("\n").count("\n") + 1, 0, f"{found[1]} at the end of the file")
    return Problem(int(found[2]), int(found[3]), found[1])


_LONGEST_YAML = 2_000_000
_LONGEST_WITHOUT_C = 100_000
"""Longer text takes seconds to parse."""

_DEEPEST = 100
"""The maximum nesting of brackets and number of tag directives, which have quadratic cost."""

_TEMPLATE = re.compile(r"(?<!\$)\{\{|\{%")
_BRACKET = re.compile(r"[\[\]{}]")


class Mark(Protocol):
    """A position in a text, counted from 0."""

    line: int
    column: int


def yaml_problems(text: str) -> list[Problem]:
    """Return the problems of a YAML text. Nothing is constructed, so tags and aliases are harmless.

    Raises:
        UncheckedError: PyYAML is not installed, the text is too long or too deeply nested, or it is a template.
    """
    try:
        import yaml
    except ImportError:
        raise UncheckedError("It was not checked because PyYAML is not installed.") from None
    loader = getattr(yaml, "CSafeLoader", None)
    if len(text) > (_LONGEST_WITHOUT_C if loader is None else _LONGEST_YAML):
        raise UncheckedError("It is too long to check.")
    if _is_hostile(text):
        raise UncheckedError("It is too deeply nested to check.")
    try:
        problems = list(_unknown_aliases(yaml.parse(text, Loader=loader or yaml.SafeLoader)))
    except yaml.MarkedYAMLError as error:
        problem_pattern = ": ".join(filter(None, (error.context, error.problem)))
        problems = [Problem(*_place(error.problem_mark or error.context_mark), problem_pattern)]
    except yaml.YAMLError as error:  # an invalid character
        line, column = place(text, getattr(error, "position", 0))
        problems = [Problem(line, column, str(getattr(error, "reason", error)))]
    except RecursionError:
        raise UncheckedError("It is too deeply nested to check.") from None
    except UnicodeEncodeError as error:
        problems = [Problem(*place(text, error.start), "a character that cannot be encoded")]
    if problems and _TEMPLATE.search(text):
        raise UncheckedError("It looks like a template, which is not YAML until it is rendered.")
    return problems


def _is_hostile(text: str) -> bool:
    depth = deepest = 0
    for found in _BRACKET.finditer(text):
        depth = depth + 1 if found[0] in "[{" else max(0, depth - 1)
        deepest = max(deepest, depth)
    return deepest > _DEEPEST or text.count("%TAG") > _DEEPEST


def _place(mark: Mark | None) -> tuple[int, int]:
    return (mark.line + 1, mark.column + 1) if mark is not None else (1, 0)


def _unknown_aliases(events: Iterator[object]) -> Iterator[Problem]:
    import yaml

    known: set[str] = set()
    for event in events:
        if isinstance(event, yaml.DocumentStartEvent):
            known.clear()
        elif isinstance(event, yaml.AliasEvent):
            if event.anchor not in known:
                yield Problem(*_place(event.start_mark), f"found undefined alias {event.anchor!r}")
        elif isinstance(event, yaml.NodeEvent) and event.anchor is not None:
            known.add(event.anchor)
