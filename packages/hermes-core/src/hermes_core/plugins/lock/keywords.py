"""Where JSON Schema keeps schemas, and which of its keywords only speak to readers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hermes_core.schemas.keywords import ONE_SCHEMA, SCHEMA_LIST, SCHEMA_MAP

TEXTS = frozenset({"title", "description", "examples", "example", "$comment"})
"""What is written for readers and decides about no value."""

ASIDES = TEXTS | {"default", "deprecated", "readOnly", "writeOnly", "$anchor", "$defs", "definitions"}
"""Everything in a schema that accepts and refuses nothing where it stands."""

MAX_DEPTH = 200
"""Containers inside containers. Models are shown 64 schemas deep, and each takes at most three containers."""
MAX_NODES = 50_000
"""Values in one definition: far more than any model could read."""


def subschemas(schema: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The schemas right inside a schema, each with its way there."""
    for key, value in schema.items():
        if isinstance(value, Mapping):
            if key in SCHEMA_MAP:
                yield from (((key, str(name)), child) for name, child in value.items())
            elif key in ONE_SCHEMA:
                yield (key,), value
        elif key in SCHEMA_LIST and isinstance(value, list | tuple):
            yield from (((key, str(at)), child) for at, child in enumerate(value))
