"""Judge values by the schema of their setting, and explain what does not fit without showing what may be secret."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from hermes_core.config.document import Steps
from hermes_core.config.sections import Schema, SectionSpec, Way
from hermes_text.secrets.names import looks_secret, masked

_MAX_FAULTS = 50
_MOST_NAMED = 12
REQUIRED = "is required."
"""The reason for a value that is missing."""
_TRUE = frozenset({"1", "true", "yes", "on", "y"})
_FALSE = frozenset({"0", "false", "no", "off", "n"})
_STEP = re.compile(r"\.?(?P<name>[^.\[\]]+)|\[(?P<index>\d+)\]|\[\"(?P<quoted>(?:[^\"\\]|\\.)*)\"\]")


def faults_of(spec: SectionSpec, part: Schema, value: object) -> Iterator[tuple[Steps, str, str]]:
    """What does not fit: the way to it, the rule, and a sentence that shows no more of the value than it must."""
    from hermes_schemas.checker import compile_checker

    for violation in compile_checker(spec.standing_alone(part)).violations(value, limit=_MAX_FAULTS):
        yield steps_of(violation.path), violation.rule, violation.message


def typed(spec: SectionSpec, part: Schema, text: str) -> Any:
    """A text as the type that a setting asks for; as it is when it cannot be read as that."""
    from hermes_schemas.repair import repair_arguments

    value: Any = text
    if not spec.allows(part, "string"):
        word = text.strip()
        if spec.allows(part, "boolean") and word.lower() in _TRUE | _FALSE and not spec.allows(part, "integer"):
            return word.lower() in _TRUE
        if spec.allows(part, "number") and word.lower().lstrip("+.") in ("inf", "infinity"):
            return float("inf")
        if spec.allows(part, "array") and not word.startswith(("[", "{")):
            value = [piece.strip() for piece in word.split(",") if piece.strip()]
    whole = spec.standing_alone({"type": "object", "properties": {"value": part}})
    args = repair_arguments(whole, {"value": value}).args
    return args.get("value", value) if isinstance(args, dict) else value


def expected(spec: SectionSpec, part: Schema) -> str:
    """What a setting asks for, in a few words."""
    from hermes_schemas.validation.messages import describe
    from hermes_schemas.validation.references import References

    alone = spec.standing_alone(part)
    return describe(alone, References(alone).resolve)


def example(spec: SectionSpec, part: Schema) -> Any:
    """A value that a setting could have; None when the schema does not tell."""
    from hermes_schemas.validation.messages import example as example_of
    from hermes_schemas.validation.references import MISSING, References

    alone = spec.standing_alone(part)
    found = example_of(alone, References(alone).resolve)
    return None if found is MISSING else found


def near(name: str, known: Iterable[str], *, likeness: float = 0.6) -> tuple[str, ...]:
    """The known name that was probably meant; `likeness` says how alike the two must be, out of 1."""
    from hermes_schemas import nearest

    return tuple(nearest(name, known, 1, likeness=likeness))


def shown(value: object) -> str:
    """A value as short JSON text."""
    from hermes_schemas.validation.messages import preview

    return preview(value, 80)


def kind(value: object) -> str:
    """What a value is, with its article."""
    from hermes_schemas.validation.messages import kind_of

    return kind_of(value)


def steps_of(path: str) -> Steps:
    """The way that the checker writes as `jobs[2].name`."""
    steps: list[Any] = []
    for match in _STEP.finditer(path):
        if match["index"] is not None:
            steps.append(int(match["index"]))
        else:
            steps.append(match["name"] if match["quoted"] is None else re.sub(r"\\(.)", r"\1", match["quoted"]))
    return tuple(steps)


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
