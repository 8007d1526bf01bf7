"""A tool's definition in the one spelling that means the same on every machine, and its digest."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from typing import Any

from hermes_core.errors import ToolDefinitionError
from hermes_core.plugins.lock.keywords import MAX_DEPTH, MAX_NODES
from hermes_core.schemas.keywords import ONE_SCHEMA, SCHEMA_LIST, SCHEMA_MAP
from hermes_core.tools.provider_schema import sanitize_parameters, to_openai
from hermes_core.tools.spec import ToolSpec

_MAX_BITS = 10_000
"""Python refuses to read or write integers of more than 4,300 digits."""


def definition_of(spec: ToolSpec) -> dict[str, Any]:
    """What a lock pins of a tool: plain JSON, the same for a live tool and for its manifest.

    Only what models are shown and what policy decides by; fields that say nothing are left out.

    Raises:
        ToolDefinitionError: it is not JSON, or larger than anything a model could read.
    """
    definition: dict[str, Any] = {
        "name": spec.name,
        "toolset": spec.toolset,
        "description": spec.description,
        "parameters": spec.parameters,
        "effects": _sorted(spec.effects),
        "aliases": _sorted(spec.aliases),
        "argument_aliases": spec.argument_aliases,
        "needs": _sorted(map(_service, spec.needs)),
        "requires_env": _sorted(spec.requires_env),
    }
    kept = ("name", "toolset", "parameters")
    return _canonical({key: value for key, value in definition.items() if value or key in kept})


def digest(definition: Mapping[str, Any]) -> str:
    """`sha256:` and the hash of a definition, whatever the order of its keys and the spelling of its numbers.

    Raises:
        ToolDefinitionError: it is not JSON, or larger than anything a model could read.
    """
    return digest_of_canonical(_canonical(definition))


def digest_of_canonical(definition: Mapping[str, Any]) -> str:
    """The digest of what `definition_of` made, which needs no second look."""
    return "sha256:" + hashlib.sha256(encoded(compact(definition))).hexdigest()


def tokens(definition: Mapping[str, Any]) -> int:
    """About how many tokens the definition costs in every request: four characters each."""
    name = definition.get("name", "")
    function = {
        "name": name,
        "description": definition.get("description", ""),
        "parameters": sanitize_parameters(definition.get("parameters"), name=name),
    }
    return -(-len(compact(to_openai(function))) // 4)


def compact(value: object) -> str:
    """JSON without a space, keys sorted."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def encoded(text: str) -> bytes:
    """JSON text as bytes; half of a surrogate pair, which UTF-8 cannot hold, becomes its JSON escape."""
    return text.encode("utf-8", "backslashreplace")


def canonical_schema(schema: object) -> Any:
    """A schema in its one spelling: plain dicts and lists.

    Raises:
        ValueError: it is not JSON, or too large or too deep to be walked through.
    """
    return _Copy().schema(schema, 1)


def _service(need: type | str) -> str:
    return need if isinstance(need, str) else f"{need.__module__}.{need.__qualname__}"


def _sorted(words: Any) -> list[str]:
    return sorted(set(words))


def _canonical(definition: Mapping[str, Any]) -> dict[str, Any]:
    copy = _Copy()
    try:
        return {
            copy.key(key): copy.schema(value, 1) if key == "parameters" else copy.data(value, 1)
            for key, value in definition.items()
        }
    except _UnfitError as error:
        raise ToolDefinitionError(
            str(definition.get("name", "?")), f"its definition {error}, so it cannot be locked."
        ) from error


class _UnfitError(ValueError):
    """Raised when a value cannot stand in a lock."""


class _Copy:
    """Copies JSON data into plain dicts and lists, each value in its one spelling."""

    def __init__(self) -> None:
        self._left = MAX_NODES

    def schema(self, value: Any, depth: int) -> Any:
        """A copy of a schema: as `data`, and `required`, whose order says nothing, sorted or left out."""
        if not isinstance(value, Mapping):
            return self.data(value, depth)
        self._count(value, depth)
        made: dict[str, Any] = {}
        for name, child in value.items():
            key = name if type(name) is str else self.key(name)
            if type(child) is str and child.isascii():
                made[key] = child
            elif key in SCHEMA_MAP and isinstance(child, Mapping):
                self._count(child, depth + 1)
                made[key] = {self.key(each): self.schema(inner, depth + 2) for each, inner in child.items()}
            elif key in ONE_SCHEMA and isinstance(child, Mapping):
                made[key] = self.schema(child, depth + 1)
            elif key in SCHEMA_LIST and isinstance(child, list | tuple):
                self._count(child, depth + 1)
                made[key] = [self.schema(inner, depth + 2) for inner in child]
            elif key == "required" and isinstance(child, list | tuple) and all(isinstance(each, str) for each in child):
                if child:
                    made[key] = sorted({self.data(each, depth) for each in child})
            else:
                made[key] = self.data(child, depth + 1)
        return made

    def data(self, value: Any, depth: int) -> Any:
        """A copy of any JSON value, with every order kept."""
        if isinstance(value, str):
            return self.key(value)
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, int | float):
            return self._number(value)
        if isinstance(value, Mapping):
            self._count(value, depth)
            return {self.key(key): self.data(child, depth + 1) for key, child in value.items()}
        if isinstance(value, list | tuple):
            self._count(value, depth)
            return [self.data(child, depth + 1) for child in value]
        raise _UnfitError(f"holds a {type(value).__name__}, which is not JSON")

    def key(self, key: Any) -> str:
        """A text as JSON carries it; keys that are no texts become texts as JSON makes them."""
        if not isinstance(key, str):
            if key is None or isinstance(key, bool | int | float):
                return json.dumps(key)
            raise _UnfitError(f"has a {type(key).__name__} for a key")
        if key.isascii():
            return str.__str__(key)
        # The two halves of a pair are one character to whoever reads the file again.
        return key.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")

    def _number(self, value: int | float) -> int | float:
        if isinstance(value, int):
            if value.bit_length() > _MAX_BITS:
                raise _UnfitError("holds an integer with thousands of digits")
            return int(value)
        if not math.isfinite(value):
            raise _UnfitError(f"holds {value!r}, which is not JSON")
        return int(value) if value.is_integer() else float(value)

    def _count(self, container: Any, depth: int) -> None:
        self._left -= 1 + len(container)
        if self._left < 0:
            raise _UnfitError(f"holds more than {MAX_NODES:,} values")
        if depth > MAX_DEPTH:
            raise _UnfitError(f"is nested deeper than {MAX_DEPTH} levels")
