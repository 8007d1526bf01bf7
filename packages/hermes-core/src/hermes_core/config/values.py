"""Judges values by the schema of their setting, with the checker and the repairs that tools use."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from hermes_core.config.document import Steps
from hermes_core.config.sections import Schema, SectionSpec

_MAX_FAULTS = 50
_TRUE = frozenset({"1", "true", "yes", "on", "y"})
_FALSE = frozenset({"0", "false", "no", "off", "n"})
_STEP = re.compile(r"\.?(?P<name>[^.\[\]]+)|\[(?P<index>\d+)\]|\[\"(?P<quoted>(?:[^\"\\]|\\.)*)\"\]")


def faults_of(spec: SectionSpec, part: Schema, value: object) -> Iterator[tuple[Steps, str, str]]:
    """What does not fit: the way to it, the rule, and a sentence that shows no more of the value than it must."""
    from hermes_core.schemas.checker import compile_checker

    for violation in compile_checker(spec.standing_alone(part)).violations(value, limit=_MAX_FAULTS):
        yield steps_of(violation.path), violation.rule, violation.message


def typed(spec: SectionSpec, part: Schema, text: str) -> Any:
    """A text as the type that a setting asks for; as it is when it cannot be read as that."""
    from hermes_core.schemas.repair import repair_arguments

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
    from hermes_core.schemas.checking.references import References
    from hermes_core.schemas.checking.wording import describe

    alone = spec.standing_alone(part)
    return describe(alone, References(alone).resolve)


def example(spec: SectionSpec, part: Schema) -> Any:
    """A value that a setting could have; None when the schema does not tell."""
    from hermes_core.schemas.checking.references import MISSING, References
    from hermes_core.schemas.checking.wording import example as example_of

    alone = spec.standing_alone(part)
    found = example_of(alone, References(alone).resolve)
    return None if found is MISSING else found


def near(name: str, known: Iterable[str], *, likeness: float = 0.6) -> tuple[str, ...]:
    """The known name that was probably meant; `likeness` says how alike the two must be, out of 1."""
    from hermes_core.schemas.nearest import nearest

    return tuple(nearest(name, known, 1, likeness=likeness))


def shown(value: object) -> str:
    """A value as short JSON text."""
    from hermes_core.schemas.checking.wording import preview

    return preview(value, 80)


def kind(value: object) -> str:
    """What a value is, with its article."""
    from hermes_core.schemas.checking.wording import kind_of

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
