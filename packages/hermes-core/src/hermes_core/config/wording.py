"""What is said about a value that does not fit, without showing what may be secret."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hermes_core.config.document import Steps
from hermes_core.config.sections import SectionSpec, Way
from hermes_core.config.values import example, expected, faults_of, kind, shown
from hermes_core.secrets.names import looks_secret, masked

_MOST_NAMED = 12
REQUIRED = "is required."
"""The reason for a value that is missing."""


def reason_of(spec: SectionSpec, way: Way, rule: str, message: str, value: object) -> str:
    """What is wrong with a value, in a sentence.

    Args:
        spec: The section.
        way: The way to the value.
        rule: The rule of the schema that it breaks.
        message: What the checker says; it may quote the value.
        value: The value.
    """
    if rule in ("required", "additionalProperties"):
        return REQUIRED if rule == "required" else "there is no such part."
    wanted = expected(spec, spec.at(way) or {})
    if spec.is_secret(way) or any(looks_secret(key) for key in way):
        return f"is something else than {wanted}; the value is not shown, because it is a secret."
    if isinstance(value, (dict, list)):  # something in it may be a secret
        return f"is {kind(value)}, where {wanted} should be."
    if rule == "enum" and masked(shown(value)) == shown(value):
        return _not_among(value, (spec.at(way) or {}).get("enum", ()))
    return message if masked(message) == message else f"is something else than {wanted}."


def _not_among(value: object, allowed: Sequence[object]) -> str:
    words = ", ".join(shown(each) for each in allowed[:_MOST_NAMED])
    reason = f"is {shown(value)}, which is not one of {words}{', ...' if len(allowed) > _MOST_NAMED else ''}."
    if isinstance(value, bool):
        reason += " YAML reads yes, no, on and off without quotes as booleans."
    return reason


def why_not(spec: SectionSpec, way: Way, value: object) -> str:
    """Why a value cannot stand at the end of a way; empty when it can."""
    for steps, rule, message in faults_of(spec, spec.at(way) or {}, value):
        below = (*way, *(step for step in steps if isinstance(step, str)))
        place = f"{steps[-1]!r}: " if steps else ""
        return place + reason_of(spec, below, rule, message, value_at(value, steps))
    return ""


def value_at(value: object, steps: Steps) -> object:
    """What stands at the end of a way; None when there is nothing."""
    found: Any = value
    for step in steps:
        try:
            found = found[step]
        except (KeyError, IndexError, TypeError):
            return None
    return found


def example_line(spec: SectionSpec, way: Way) -> str | None:
    """A line of `config.yaml`, or a command, that would be right."""
    while (part := spec.at(way)) is None:
        way = way[:-1]
    if spec.is_secret(way):
        return f"hermes config set {'.'.join((spec.name, *way))} VALUE"
    value = example(spec, part)
    if value is None:
        return None
    text = shown(value)
    for key in reversed(way):
        text = f"{{{key}: {text}}}"
    return f"{spec.name}: {text}"
