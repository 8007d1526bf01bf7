"""What a section of `config.yaml` may hold, declared as data: a plugin's manifest can carry it."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

from hermes_core.errors import PluginError

Schema = Mapping[str, Any]
Way = tuple[str, ...]
"""The keys that lead to a setting within its section."""

_MAX_REFERENCES = 20
_NOTHING = object()
_BRANCHES = ("anyOf", "oneOf", "allOf")
_COMPOSITION = frozenset({"$ref", *_BRANCHES})
_TYPES = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionSpec:
    """One section: its name and the JSON Schema of its contents.

    A property with `"writeOnly": true` is a secret: it is never shown, and is stored in `.env`. `"x-env"` names a
    variable, or several, from which a property is read beside `HERMES_SECTION__KEY`.

    Attributes:
        name: The key at the top of `config.yaml`.
        schema: What stands under it, usually an object with properties, their defaults and descriptions.
        owner: The plugin that reads it.
    """

    name: str
    schema: Schema
    owner: str = "hermes-core"

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name or set(self.name) & set(". \n\t\"'[]:#"):
            raise PluginError(f"{self.name!r} is not a name for a section of config.yaml.", plugin=self.owner)
        if not isinstance(self.schema, Mapping):
            raise PluginError(f"the schema of section {self.name!r} is not an object.", plugin=self.owner)

    @classmethod
    def from_model(cls, name: str, model: type, *, owner: str = "hermes-core") -> Self:
        """Describe a dataclass or pydantic model as a section; `SecretStr` and `{"secret": True}` mark secrets.

        Raises:
            PluginError: the model has no JSON Schema.
        """
        from pydantic import TypeAdapter
        from pydantic.errors import PydanticUserError

        try:
            schema = TypeAdapter(model).json_schema(mode="validation")
        except PydanticUserError as error:
            raise PluginError(f"section {name!r} cannot be described: {error.message}", plugin=owner) from error
        return cls(name=name, schema=_with_secrets_marked(schema), owner=owner)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], *, owner: str) -> Self:
        """Read a section that a manifest holds as `{"name", "schema"}`.

        Raises:
            PluginError: it holds something else.
        """
        return cls(name=data.get("name", ""), schema=data.get("schema", {}), owner=owner)

    def as_dict(self) -> dict[str, Any]:
        """Return the section as JSON for a manifest."""
        return {"name": self.name, "schema": copy.deepcopy(dict(self.schema))}

    # -- what the schema says --------------------------------------------------------------------------------

    def properties(self, at: Schema | None = None) -> Mapping[str, Any]:
        """Return the declared keys of the section, or of an object within it."""
        found = (part.get("properties") for part in self._parts(self.schema if at is None else at))
        return next((each for each in found if isinstance(each, Mapping)), {})

    def is_open(self, at: Schema | None = None) -> bool:
        """Return True when the user chooses the keys. Any key is allowed only where no key is declared."""
        parts = list(self._parts(self.schema if at is None else at))
        if any(part.get("additionalProperties") not in (None, False) or "patternProperties" in part for part in parts):
            return True
        return not any("properties" in part for part in parts) and self.allows(at, "object")

    def allows(self, at: Schema | None, kind: str) -> bool:
        """Return True when a part of the schema accepts values of a JSON type; one that says nothing accepts all."""
        allowed: list[object] = []
        for part in self._parts(self.schema if at is None else at):
            types, values = part.get("type"), part.get("enum")
            if types is not None:
                allowed += types if isinstance(types, (list, tuple)) else [types]
            elif isinstance(values, (list, tuple)):
                allowed += [_TYPES.get(type(value), "null") for value in values]
        return not allowed or kind in allowed

    def child(self, at: Schema, key: str) -> Schema | None:
        """Return the schema of one key of an object; None when there is no such key."""
        properties = self.properties(at)
        if key not in properties and not self.is_open(at):
            return None
        found = [properties[key]] if key in properties else [p.get("additionalProperties") for p in self._parts(at)]
        return next((each for each in found if isinstance(each, Mapping)), {})

    def items(self, at: Schema) -> Schema:
        """Return the schema of the items of a list."""
        found = (part.get("items") for part in self._parts(at))
        return next((each for each in found if isinstance(each, Mapping)), {})

    def at(self, way: Way) -> Schema | None:
        """Return the schema of a setting, with what its references need; None when there is no such setting."""
        found: Schema | None = self.schema
        for key in way:
            found = None if found is None else self.child(found, key)
        shared = {key: self.schema[key] for key in ("$defs", "definitions") if key in self.schema}
        return found if found is None or not shared else {**shared, **found}

    def is_secret(self, way: Way) -> bool:
        """Return True when a setting, or something around it, is marked `writeOnly`."""
        found: Schema | None = self.schema
        for key in way:
            found = None if found is None else self.child(found, key)
            if found is None or self._is_marked(found):
                return found is not None
        return False

    def secrets_in(self, value: object) -> Iterator[tuple[Way, object]]:
        """Yield what is marked `writeOnly` in a value of this section, with the way to it."""
        yield from self._secrets_in(self.schema, value, ())

    def _secrets_in(self, at: Schema, value: object, way: Way) -> Iterator[tuple[Way, object]]:
        if self._is_marked(at):
            yield way, value
        elif isinstance(value, Mapping):
            for key, item in value.items():
                if (below := self.child(at, key)) is not None:
                    yield from self._secrets_in(below, item, (*way, str(key)))
        elif isinstance(value, (list, tuple)):
            for item in value:
                yield from self._secrets_in(self.items(at), item, way)

    def variables(self, way: Way) -> tuple[str, ...]:
        """Return the environment variables that a setting is read from, the one that wins first."""
        own = "HERMES_" + "__".join(key.upper().replace("-", "_") for key in (self.name, *way))
        named = (self.at(way) or {}).get("x-env", ())
        names = named if isinstance(named, (list, tuple)) else (named,)
        return (own, *(name for name in names if isinstance(name, str) and name))

    def home_variable(self, way: Way) -> str:
        """Return the variable under which a secret is stored: the one that other programs know, where there is one."""
        return self.variables(way)[:2][-1]

    def defaults(self) -> dict[str, Any]:
        """Return every default; an object has those of its parts."""
        return self._defaults(self.schema, 0)

    def ways(self) -> Iterator[Way]:
        """Yield the way to each declared setting; objects are given by their parts."""
        yield from self._ways(self.schema, ())

    def _ways(self, at: Schema, above: Way) -> Iterator[Way]:
        for key in self.properties(at):
            part = self.child(at, key) or {}
            if self.properties(part) and len(above) < _MAX_REFERENCES:
                yield from self._ways(part, (*above, key))
            else:
                yield (*above, key)

    def _defaults(self, at: Schema, level: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key in self.properties(at):
            part = self.child(at, key) or {}
            own = next((each["default"] for each in self._parts(part) if "default" in each), _NOTHING)
            if isinstance(own, Mapping) or own is _NOTHING:
                inner = self._defaults(part, level + 1) if level < _MAX_REFERENCES else {}
                if inner or own is not _NOTHING:
                    found[key] = {**inner, **copy.deepcopy(dict(own if isinstance(own, Mapping) else {}))}
            elif own is not None:  # None: an object that is not there by default, whatever its parts would be
                found[key] = copy.deepcopy(own)
        return found

    def _is_marked(self, at: Schema) -> bool:
        return any(part.get("writeOnly") is True for part in self._parts(at))

    def _parts(self, at: object) -> Iterator[Schema]:
        """Yield a schema and what it refers to or is made of, each once."""
        if isinstance(at, Mapping) and _COMPOSITION.isdisjoint(at):  # as most are
            yield at
            return
        todo, seen = [at], set()
        while todo:
            schema = todo.pop(0)
            if not isinstance(schema, Mapping) or id(schema) in seen:
                continue
            seen.add(id(schema))
            yield schema
            below = [self._target(schema.get("$ref"))]
            for keyword in _BRANCHES:
                branches = schema.get(keyword)
                below += branches if isinstance(branches, (list, tuple)) else ()
            todo[:0] = below

    def _target(self, reference: object) -> object:
        if not isinstance(reference, str) or not reference.startswith("#"):
            return None
        found: Any = self.schema
        for step in reference[1:].split("/")[1:]:
            found = found.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(found, Mapping) else None
        return found


def _with_secrets_marked(schema: Any) -> Any:
    """Replace `{"secret": True}`, which authors write on a field, by the keyword of JSON Schema for it."""
    if isinstance(schema, list):
        return [_with_secrets_marked(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    marked = {key: _with_secrets_marked(part) for key, part in schema.items()}
    if marked.get("secret") is True:
        del marked["secret"]
        marked["writeOnly"] = True
    return marked
