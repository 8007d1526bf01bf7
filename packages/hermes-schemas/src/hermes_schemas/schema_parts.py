"""Answers questions about the parts of a schema: their properties, types, defaults, secrets and paths."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping
from typing import Any

from hermes_schemas.keywords import PYTHON_TYPES
from hermes_schemas.validation.references import References

Schema = Mapping[str, Any]
Path = tuple[str, ...]
"""The keys that lead to a part."""
Steps = tuple[str | int, ...]
"""Keys, and positions in arrays."""

_MAX_DEPTH = 20
_NO_DEFAULT = object()
_BRANCHES = ("anyOf", "oneOf", "allOf")
_COMPOSITION = frozenset({"$ref", *_BRANCHES})
_BOOLEANS = dict.fromkeys(("1", "true", "yes", "on", "y"), True) | dict.fromkeys(
    ("0", "false", "no", "off", "n"), False
)


class Outline:
    """The parts of a schema. References are followed, and alternatives are read together.

    Subclasses hold the schema. Methods take a part of it as `at`; None stands for the whole schema.
    """

    __slots__ = ()
    schema: Schema

    def find(self, path: Steps) -> Schema | None:
        """Return the part at a path; None when the schema does not allow it."""
        found: Schema | None = self.schema
        for key in path:
            found = None if found is None else self.child(found, key)
        shared = {key: self.schema[key] for key in ("$defs", "definitions") if key in self.schema}
        return found if found is None or not shared else {**shared, **found}

    def properties(self, at: Schema | None = None) -> Mapping[str, Any]:
        """Return the declared keys of an object."""
        found = (each.get("properties") for each in self._alternatives(at))
        return next((each for each in found if isinstance(each, Mapping)), {})

    def is_open(self, at: Schema | None = None) -> bool:
        """Return True when an object may have keys that are not declared, or declares none."""
        parts = list(self._alternatives(at))
        if any(part.get("additionalProperties") not in (None, False) or "patternProperties" in part for part in parts):
            return True
        return not any("properties" in part for part in parts) and self.allows(at, "object")

    def allows(self, at: Schema | None, kind: str) -> bool:
        """Return True when a part accepts values of a JSON type; a part without types accepts all."""
        allowed: list[object] = []
        for part in self._alternatives(at):
            types, values = part.get("type"), part.get("enum")
            if types is not None:
                allowed += types if isinstance(types, (list, tuple)) else [types]
            elif isinstance(values, (list, tuple)):
                allowed += [PYTHON_TYPES.get(type(value), "null") for value in values]
        return not allowed or kind in allowed

    def child(self, at: Schema, key: str | int) -> Schema | None:
        """Return the part for a key of an object or an item of an array; None when the object cannot have the key."""
        if isinstance(key, int):
            return self.items(at)
        properties = self.properties(at)
        if key in properties:
            found = [properties[key]]
        elif self.is_open(at):
            found = [part.get("additionalProperties") for part in self._alternatives(at)]
        else:
            return None
        return next((each for each in found if isinstance(each, Mapping)), {})

    def items(self, at: Schema) -> Schema:
        """Return the part for the items of an array."""
        found = (part.get("items") for part in self._alternatives(at))
        return next((each for each in found if isinstance(each, Mapping)), {})

    def paths(self) -> Iterator[Path]:
        """Yield the path to each declared value; objects are given by their properties."""
        yield from self._paths(self.schema, ())

    def _paths(self, at: Schema, above: Path) -> Iterator[Path]:
        for key in self.properties(at):
            part = self.child(at, key) or {}
            if self.properties(part) and len(above) < _MAX_DEPTH:
                yield from self._paths(part, (*above, key))
            else:
                yield (*above, key)

    def defaults(self) -> dict[str, Any]:
        """Return a copy of all defaults; the default of an object is completed by those of its properties."""
        return self._defaults(self.schema, 0)

    def _defaults(self, at: Schema, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key in self.properties(at):
            part = self.child(at, key) or {}
            own = next((each["default"] for each in self._alternatives(part) if "default" in each), _NO_DEFAULT)
            if isinstance(own, Mapping) or own is _NO_DEFAULT:
                inner = self._defaults(part, depth + 1) if depth < _MAX_DEPTH else {}
                if inner or own is not _NO_DEFAULT:
                    found[key] = {**inner, **copy.deepcopy(dict(own if isinstance(own, Mapping) else {}))}
            elif own is not None:  # null means no object, even if its properties have defaults
                found[key] = copy.deepcopy(own)
        return found

    def is_secret(self, path: Steps) -> bool:
        """Return True when the value at a path, or an object around it, is marked `writeOnly`."""
        found: Schema | None = self.schema
        for key in path:
            found = None if found is None else self.child(found, key)
            if found is None or self._is_marked(found):
                return found is not None
        return False

    def find_secrets(self, value: object) -> Iterator[tuple[Path, str]]:
        """Yield each text and number in the parts of a value that are marked `writeOnly`, with the path of the mark."""
        yield from self._find_secrets(self.schema, value, ())

    def _find_secrets(self, at: Schema, value: object, path: Path) -> Iterator[tuple[Path, str]]:
        if self._is_marked(at):
            yield from ((path, text) for text in _texts_in(value))
        elif isinstance(value, Mapping):
            for key, item in value.items():
                if (part := self.child(at, key)) is not None:
                    yield from self._find_secrets(part, item, (*path, str(key)))
        elif isinstance(value, (list, tuple)):
            for item in value:
                yield from self._find_secrets(self.items(at), item, path)

    def read_text(self, at: Schema, text: str) -> Any:
        """Read a text as the type of a part; return the text itself when that is not possible."""
        word = text.strip()
        if self.allows(at, "string"):
            return text
        if self.allows(at, "boolean") and not self.allows(at, "integer") and word.lower() in _BOOLEANS:
            return _BOOLEANS[word.lower()]
        if self.allows(at, "number") and word.lower().lstrip("+.") in ("inf", "infinity"):
            return float("inf")
        if self.allows(at, "array") and not word.startswith(("[", "{")):
            return [self.read_text(self.items(at), piece.strip()) for piece in word.split(",") if piece.strip()]
        try:
            return json.loads(word)
        except (ValueError, RecursionError):
            return text

    def _is_marked(self, at: Schema) -> bool:
        return any(part.get("writeOnly") is True for part in self._alternatives(at))

    def _alternatives(self, at: Schema | None) -> Iterator[Schema]:
        """Yield a part, what it refers to and its alternatives, each once."""
        start = self.schema if at is None else at
        if isinstance(start, Mapping) and _COMPOSITION.isdisjoint(start):  # the common case
            yield start
            return
        todo: list[object] = [start]
        seen: set[int] = set()
        while todo:
            part = todo.pop(0)
            if not isinstance(part, Mapping) or id(part) in seen:
                continue
            seen.add(id(part))
            yield part
            below: list[object] = [References(self.schema).resolve(part.get("$ref"))]
            for keyword in _BRANCHES:
                branches = part.get(keyword)
                below += branches if isinstance(branches, (list, tuple)) else ()
            todo[:0] = below


def _texts_in(value: Any) -> Iterator[str]:
    if hasattr(value, "get_secret_value"):  # a secret of pydantic
        value = value.get_secret_value()
    if isinstance(value, (Mapping, list, tuple)):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _texts_in(item)
    elif isinstance(value, (str, int, float)) and not isinstance(value, bool):
        yield str(value)


def mark_secrets(schema: Any) -> Any:
    """Replace `{"secret": True}`, which authors write on a field, by the keyword `writeOnly` of JSON Schema."""
    if isinstance(schema, list):
        return [mark_secrets(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    marked = {key: mark_secrets(part) for key, part in schema.items()}
    if marked.get("secret") is True:
        del marked["secret"]
        marked["writeOnly"] = True
    return marked
