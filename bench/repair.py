"""Arguments that nearly fit, made to fit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from pydantic import BaseModel, TypeAdapter, ValidationError

from bench.harness import Row, statements
from hermes_schemas import repair_arguments
from hermes_schemas.repair import Repairer

SETS = 1_000


class Arguments(BaseModel):
    """Every kind of parameter that tools commonly have."""

    query: str
    count: int = 10
    ratio: float = 0.5
    deep: bool = False
    tags: list[str] = []
    offset: int | None = None
    mode: Literal["fast", "thorough"] = "fast"


_WELL: dict[str, Any] = {
    "query": "plugin frameworks",
    "count": 5,
    "ratio": 0.25,
    "deep": True,
    "tags": ["python", "agents"],
    "offset": 20,
    "mode": "thorough",
}
_AMISS: tuple[dict[str, Any], ...] = (
    {"count": "7"},
    {"ratio": "0.75", "deep": "true"},
    {"tags": '["python"]'},
    {"offset": "null"},
    {"count": "12", "offset": "3"},
    {"mode": "Thorough"},
    {"deep": "False"},
    {"tags": "python"},
)


def argument_sets() -> list[dict[str, Any]]:
    """Half of them fit as they are; the others need one repair or two."""
    sets = []
    for number in range(SETS):
        args = _WELL | {"query": f"query {number}", "count": number % 50}
        sets.append(args | _AMISS[number // 2 % len(_AMISS)] if number % 2 else args)
    return sets


def rows() -> Iterator[Row]:
    """Against pydantic's lax mode, which coerces less and keeps no record."""
    parameters = Arguments.model_json_schema()
    sets = argument_sets()
    adapter = TypeAdapter(Arguments)

    def validate(args: dict[str, Any]) -> bool:
        try:
            adapter.validate_python(args)
        except ValidationError:  # lax mode takes no JSON text, no other case and no bare item
            return False
        return True

    readable = [args for args in sets if validate(args)]
    names = {
        "sets": sets,
        "readable": readable,
        "parameters": parameters,
        "repair": repair_arguments,
        "repairer": Repairer(parameters),
        "validate": validate,
    }
    best = statements(
        names,
        3,
        ours="for args in sets: repair(parameters, args)",
        compiled="for args in sets: repairer.repair(args)",
        lax="for args in sets: validate(args)",
        ours_readable="for args in readable: repair(parameters, args)",
        compiled_readable="for args in readable: repairer.repair(args)",
        lax_readable="for args in readable: validate(args)",
    )
    against = "validate_python, lax"
    yield Row(what=f"repair of {SETS:,} sets", against=against, ours=best["ours"], baseline=best["lax"], limit=3.0)
    yield Row(what="the same, compiled before", against=against, ours=best["compiled"], baseline=best["lax"])
    few = f"repair of {len(readable)} that lax mode reads"
    yield Row(what=few, against=against, ours=best["ours_readable"], baseline=best["lax_readable"])
    yield Row(
        what="the same, compiled before",
        against=against,
        ours=best["compiled_readable"],
        baseline=best["lax_readable"],
    )
