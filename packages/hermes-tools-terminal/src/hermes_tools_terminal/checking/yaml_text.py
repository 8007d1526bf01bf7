"""Checks YAML by its events alone: nothing is built of it, so tags and aliases do no harm."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Protocol

from hermes_tools_terminal.checking.problem import Problem, UncheckedError, place

_LONGEST = 2_000_000
_LONGEST_WITHOUT_C = 100_000
"""More characters than that take seconds to read."""

_DEEPEST = 100
"""How deeply brackets may be nested, and how many tag directives there may be: both cost their square."""

_TEMPLATE = re.compile(r"(?<!\$)\{\{|\{%")
_BRACKET = re.compile(r"[\[\]{}]")


class Mark(Protocol):
    """A place in a text, counted from 0."""

    line: int
    column: int


def yaml_problems(text: str) -> list[Problem]:
    """What is wrong with a YAML text.

    Raises:
        UncheckedError: nobody here knows YAML, the text is too long or too deeply nested, or it is a template for one.
    """
    try:
        import yaml
    except ImportError:
        raise UncheckedError("PyYAML is not installed, so it was not checked.") from None
    loader = getattr(yaml, "CSafeLoader", None)
    if len(text) > (_LONGEST_WITHOUT_C if loader is None else _LONGEST):
        raise UncheckedError("It is too long to be checked.")
    if _is_hostile(text):
        raise UncheckedError("It is too deeply nested to be checked.")
    try:
        problems = list(_unknown_aliases(yaml.parse(text, Loader=loader or yaml.SafeLoader)))
    except yaml.MarkedYAMLError as error:
        said = ": ".join(filter(None, (error.context, error.problem)))
        problems = [Problem(*_place(error.problem_mark or error.context_mark), said)]
    except yaml.YAMLError as error:  # a character that may not be there
        line, column = place(text, getattr(error, "position", 0))
        problems = [Problem(line, column, str(getattr(error, "reason", error)))]
    except RecursionError:
        raise UncheckedError("It is too deeply nested to be checked.") from None
    except UnicodeEncodeError as error:
        problems = [Problem(*place(text, error.start), "a character that cannot be encoded")]
    if problems and _TEMPLATE.search(text):
        raise UncheckedError("It looks like a template, which is no YAML before it is filled in.")
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
