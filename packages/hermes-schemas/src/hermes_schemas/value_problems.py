"""Explains to people why a value does not fit a setting, without quoting anything that may be a secret."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from hermes_schemas.checker import Problem, compile_checker
from hermes_schemas.schema_parts import Outline, Path, Schema, Steps
from hermes_schemas.validation.messages import describe, example, kind_of, preview
from hermes_schemas.validation.references import MISSING, References

REQUIRED = "is required."
"""The reason for a value that is missing."""

_MAX_PROBLEMS = 50
_MAX_NAMED = 12
_MAX_PREVIEW = 80

Judge = Callable[[str], bool]


class ValueProblem(NamedTuple):
    """A part of a value that does not fit, and the reason in one sentence."""

    steps: Steps
    reason: str


def find_value_problems(
    outline: Outline, path: Path, value: object, *, names_secret: Judge, holds_secret: Judge
) -> Iterator[ValueProblem]:
    """Yield the parts of a setting's value that do not fit.

    Args:
        outline: The schema of all settings.
        path: The path of the setting.
        value: Its value.
        names_secret: Returns True when a key is the name of a secret that the schema does not mark.
        holds_secret: Returns True when a text that would be quoted holds a secret.
    """
    for problem in compile_checker(outline.find(path) or {}).find_problems(value, limit=_MAX_PROBLEMS):
        steps = problem.steps
        inner = (*path, *steps)
        is_secret = outline.is_secret(inner) or any(names_secret(step) for step in inner if isinstance(step, str))
        reason = _explain(outline.find(inner) or {}, problem, _value_at(value, steps), is_secret, holds_secret)
        yield ValueProblem(steps, reason)


def example_of(outline: Outline, path: Path) -> tuple[object, str] | None:
    """Return a value that would fit a setting, and a preview of its JSON; None when the schema has no example."""
    part = outline.find(path) or {}
    value = example(part, References(part).resolve)
    return None if value is MISSING or value is None else (value, preview(value, _MAX_PREVIEW))


def _explain(part: Schema, problem: Problem, value: object, is_secret: bool, holds_secret: Judge) -> str:
    """Explain a problem. Its message, which may quote the value, is used only if that holds no secret."""
    if problem.rule in ("required", "additionalProperties"):
        return REQUIRED if problem.rule == "required" else "there is no such part."
    expected = describe(part, References(part).resolve)
    if is_secret:
        return f"is not {expected}; the value is not shown because it is a secret."
    if isinstance(value, (dict, list)):  # something in it may be a secret
        return f"is {kind_of(value)}, where {expected} should be."
    shown = preview(value, _MAX_PREVIEW)
    if problem.rule == "enum" and not holds_secret(shown):
        allowed = part.get("enum", ())
        words = ", ".join(preview(each, _MAX_PREVIEW) for each in allowed[:_MAX_NAMED])
        reason = f"is {shown}, which is not one of {words}{', ...' if len(allowed) > _MAX_NAMED else ''}."
        yaml_words = " YAML reads yes, no, on and off without quotes as booleans."
        return reason + (yaml_words if isinstance(value, bool) else "")
    return f"is not {expected}." if holds_secret(problem.message) else problem.message


def _value_at(value: Any, steps: Steps) -> object:
    for step in steps:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return None
    return value
