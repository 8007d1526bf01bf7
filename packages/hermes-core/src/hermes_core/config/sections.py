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
        """The section that a dataclass or pydantic model describes; `SecretStr` and `{"secret": True}` mark secrets.

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
        """The section that a manifest holds as `{"name", "schema"}`.

        Raises:
            PluginError: it holds something else.
        """
        return cls(name=data.get("name", ""), schema=data.get("schema", {}), owner=owner)

    def as_dict(self) -> dict[str, Any]:
        """The section as JSON for a manifest."""
        return {"name": self.name, "schema": copy.deepcopy(dict(self.schema))}

    # -- what the schema says --------------------------------------------------------------------------------

    def properties(self, at: Schema | None = None) -> Mapping[str, Any]:
        """The declared keys of the section, or of an object within it."""
        for part in self._parts(self.schema if at is None else at):
            found = part.get("properties")
            if isinstance(found, Mapping):
                return found
        return {}

    def is_open(self, at: Schema | None = None) -> bool:
        """Whether the user chooses the keys. JSON Schema allows any key by default; for settings that hides typos."""
        for part in self._parts(self.schema if at is None else at):
            more = part.get("additionalProperties")
            if isinstance(more, Mapping) or more is True or "patternProperties" in part:
                return True
        declared = any("properties" in part for part in self._parts(self.schema if at is None else at))
        return not declared and self.allows(at, "object")

    def allows(self, at: Schema | None, kind: str) -> bool:
        """Whether a part of the schema accepts values of a JSON type; one that says nothing accepts all."""
        said = False
        for part in self._parts(self.schema if at is None else at):
            types = part.get("type")
            values = part.get("enum")
            if types is None and isinstance(values, (list, tuple)):
                types = sorted({_json_type(value) for value in values})
            if types is not None:
                said = True
                if kind == types or (isinstance(types, (list, tuple)) and kind in types):
                    return True
        return not said

    def child(self, at: Schema, key: str) -> Schema | None:
        """The schema of one key of an object; None when there is no such key."""
        properties = self.properties(at)
        if key in properties:
            found = properties[key]
            return found if isinstance(found, Mapping) else {}
        if not self.is_open(at):
            return None
        for part in self._parts(at):
            more = part.get("additionalProperties")
            if isinstance(more, Mapping):
                return more
        return {}

    def at(self, way: Way) -> Schema | None:
        """The schema of a setting, as a document of its own; None when there is no such setting."""
        found = self.schema
        for key in way:
            below = self.child(found, key)
            if below is None:
                return None
            found = below
        return self.standing_alone(found)

    def standing_alone(self, part: Schema) -> Schema:
        """A part of the schema with what its references need."""
        shared = {key: self.schema[key] for key in ("$defs", "definitions") if key in self.schema}
        return {**shared, **part} if shared else part

    def is_secret(self, way: Way) -> bool:
        """Whether a setting, or something around it, is marked `writeOnly`."""
        found = self.schema
        for key in way:
            below = self.child(found, key)
            if below is None:
                return False
            found = below
            if any(part.get("writeOnly") is True for part in self._parts(found)):
                return True
        return False

    @property
    def has_secrets(self) -> bool:
        """True when something in the section is marked `writeOnly`."""
        return _mentions(self.schema, "writeOnly")

    def secrets_in(self, value: object) -> Iterator[tuple[Way, object]]:
        """Yield what is marked `writeOnly` in a value of this section, with the way to it."""
        yield from self._secrets_in(self.schema, value, ())

    def _secrets_in(self, at: Schema, value: object, way: Way) -> Iterator[tuple[Way, object]]:
        if any(part.get("writeOnly") is True for part in self._parts(at)):
            yield way, value
        elif isinstance(value, Mapping):
            for key, item in value.items():
                if (below := self.child(at, key)) is not None:
                    yield from self._secrets_in(below, item, (*way, str(key)))
        elif isinstance(value, (list, tuple)):
            for part in self._parts(at):
                if isinstance(items := part.get("items"), Mapping):
                    for item in value:
                        yield from self._secrets_in(items, item, way)

    def variables(self, way: Way) -> tuple[str, ...]:
        """The environment variables that a setting is read from, the one that wins first."""
        own = "HERMES_" + "__".join(key.upper().replace("-", "_") for key in (self.name, *way))
        part = self.at(way)
        return (own, *_other_variables(part)) if part is not None else (own,)

    def home_variable(self, way: Way) -> str:
        """The variable under which a secret is stored: the one that other programs know, where there is one."""
        return self.variables(way)[-1 if len(self.variables(way)) == 1 else 1]

    def defaults(self) -> dict[str, Any]:
        """Every default; an object has those of its parts."""
        return self._defaults(self.schema, 0)

    def ways(self) -> Iterator[Way]:
        """The way to each declared setting; objects are given by their parts."""
        yield from self._ways(self.schema, (), 0)

    # -- inside ----------------------------------------------------------------------------------------------

    def _ways(self, at: Schema, above: Way, level: int) -> Iterator[Way]:
        for key in self.properties(at):
            part = self.child(at, key) or {}
            if self.properties(part) and level < _MAX_REFERENCES:
                yield from self._ways(part, (*above, key), level + 1)
            else:
                yield (*above, key)

    def _defaults(self, at: Schema, level: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key in self.properties(at):
            part = self.child(at, key) or {}
            inner = self._defaults(part, level + 1) if level < _MAX_REFERENCES else {}
            own = next((each["default"] for each in self._parts(part) if "default" in each), _NOTHING)
            if own is None:  # an object that is not there by default, whatever its parts would be
                continue
            if isinstance(own, Mapping):
                inner = {**inner, **copy.deepcopy(dict(own))}
            elif own is not _NOTHING:
                found[key] = copy.deepcopy(own)
                continue
            if inner or isinstance(own, Mapping):
                found[key] = inner
        return found

    def _parts(self, schema: object, level: int = 0) -> Iterator[Schema]:
        """A schema and what it refers to or is made of."""
        if not isinstance(schema, Mapping) or level > _MAX_REFERENCES:
            return
        yield schema
        reference = schema.get("$ref")
        if isinstance(reference, str) and reference.startswith("#/"):
            target: Any = self.schema
            for step in reference[2:].split("/"):
                target = target.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(target, Mapping) else None
            yield from self._parts(target, level + 1)
        for keyword in _BRANCHES:
            branches = schema.get(keyword)
            if isinstance(branches, (list, tuple)):
                for branch in branches:
                    yield from self._parts(branch, level + 1)


def _mentions(schema: object, keyword: str) -> bool:
    if isinstance(schema, Mapping):
        return keyword in schema or any(_mentions(part, keyword) for part in schema.values())
    return isinstance(schema, (list, tuple)) and any(_mentions(part, keyword) for part in schema)


def _other_variables(part: Schema) -> tuple[str, ...]:
    named = part.get("x-env", ())
    names = (named,) if isinstance(named, str) else named if isinstance(named, (list, tuple)) else ()
    return tuple(name for name in names if isinstance(name, str) and name)


def _json_type(value: object) -> str:
    names = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
    return names.get(type(value), "null")


def _with_secrets_marked(schema: Any) -> Any:
    """`{"secret": True}`, which authors write on a field, as the word of JSON Schema for it."""
    if isinstance(schema, list):
        return [_with_secrets_marked(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    marked = {key: _with_secrets_marked(part) for key, part in schema.items()}
    if marked.get("secret") is True:
        del marked["secret"]
        marked["writeOnly"] = True
    return marked
