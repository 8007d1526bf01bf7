"""Definitions as model providers want them: schemas cleaned of what they reject, in the shape each one expects."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping

from hermes_core.errors import ConfigError
from hermes_core.tools.model_text import clean_text
from hermes_schemas.keywords import ONE_SCHEMA, SCHEMA_LIST, SCHEMA_MAP

Schema = dict[str, object]

# Deeper than any schema a model can follow; what lies below becomes {}.
_MAX_DEPTH = 64
# Python dicts may share children, which turns a small object into an endless tree; beyond this it is cut.
_MAX_NODES = 50_000

_TYPES = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})

_NAMED = frozenset({"$defs", "definitions", "properties"})
_MAY_BE_BOOLEAN = frozenset({"additionalItems", "additionalProperties", "unevaluatedItems", "unevaluatedProperties"})

_REFUSED_AT_THE_TOP = frozenset({"allOf", "anyOf", "enum", "not", "oneOf"})
_ANNOTATIONS = ("title", "description", "default", "examples")
# What null has to satisfy beside a type: such a schema becomes one of two alternatives, the other being null.
_FURTHER_RULES = frozenset({"$dynamicRef", "$ref", "allOf", "anyOf", "if", "not", "oneOf"})


# The walk


class _Walk(ABC):
    """Rebuilds a schema from fresh dicts and lists; subclasses say what happens to each node."""

    def __init__(self) -> None:
        self._path: set[int] = set()
        self._left = _MAX_NODES

    @abstractmethod
    def node(self, value: object) -> object:
        """One node before its children are visited: a new dict to go on with, or what to keep as it is."""

    def named(self, name: str, schema: object) -> object:
        """A finished schema that a property or definition bears under this name."""
        del name
        return schema

    def text(self, value: str) -> str:
        """A string anywhere in the schema."""
        return value

    def schema(self, value: object, depth: int = 0) -> object:
        self._left -= 1
        if depth > _MAX_DEPTH or self._left < 0 or id(value) in self._path:
            return {}
        node = self.node(value)
        if not isinstance(node, dict):
            return node
        self._path.add(id(value))
        try:
            return {key: self._keyword(key, child, depth + 1) for key, child in node.items()}
        finally:
            self._path.discard(id(value))

    def _keyword(self, key: str, value: object, depth: int) -> object:
        if key in SCHEMA_MAP and isinstance(value, Mapping):
            return self._schemas_by_name(key, value, depth)
        if key in SCHEMA_LIST and isinstance(value, (list, tuple)):
            return [self.schema(child, depth) for child in value]
        if key in ONE_SCHEMA and not (isinstance(value, bool) and key in _MAY_BE_BOOLEAN):
            return self.schema(value, depth)
        return self._value(value, depth)

    def _schemas_by_name(self, key: str, value: Mapping[object, object], depth: int) -> Schema:
        schemas: Schema = {}
        for name, child in value.items():
            if not isinstance(name, str):
                continue
            if key == "dependencies" and isinstance(child, (list, tuple)):
                schemas[name] = self._value(child, depth)
                continue
            schema = self.schema(child, depth)
            schemas[name] = self.named(name, schema) if key in _NAMED else schema
        return schemas

    def _value(self, value: object, depth: int) -> object:
        """A copy of plain data, so that nobody who edits a definition edits the tool."""
        if isinstance(value, str):
            return self.text(value)
        if not isinstance(value, (Mapping, list, tuple)):
            return value
        self._left -= 1
        if depth > _MAX_DEPTH or self._left < 0:
            return None
        if isinstance(value, Mapping):
            return {key: self._value(child, depth + 1) for key, child in value.items()}
        return [self._value(child, depth + 1) for child in value]


# Sanitising, always applied


def sanitize_parameters(parameters: object, *, name: str | None = None) -> Schema:
    """Copy a tool's parameters as standard JSON Schema that providers accept. Take anything, never raise.

    The copy is for models: its text is cleaned, and arguments are still validated against the original. With the
    tool's name given, a title at the top that only repeats it goes too.
    """
    top = _collapse_nullable(_as_node(parameters)) if isinstance(parameters, Mapping) else {}
    top = {key: value for key, value in top.items() if key not in _REFUSED_AT_THE_TOP}
    top.pop("nullable", None)  # arguments are an object or the call is wrong
    walk = _Sanitize()
    schema = walk.schema({"type": "object", "properties": {}} | top | {"type": "object"})
    if name is not None:
        schema = walk.named(name, schema)
    return schema if isinstance(schema, dict) else {}


class _Sanitize(_Walk):
    def node(self, value: object) -> Schema:
        node = _collapse_nullable(_as_node(value))
        _settle_type(node)
        if isinstance(pattern := node.get("pattern"), str) and clean_text(pattern) != pattern:
            del node["pattern"]  # a changed pattern would mislead; arguments are still validated against it
        if node.pop("nullable", None) is True:
            node = _or_null(node)
        _settle_object(node)
        if "$ref" in node:
            node.pop("default", None)
        return node

    def text(self, value: str) -> str:
        return clean_text(value)

    def named(self, name: str, schema: object) -> object:
        """Drop the title that generators derive from the name: the model reads the name anyway."""
        if isinstance(schema, dict) and schema.get("title") in (name, name.replace("_", " ").title()):
            del schema["title"]
        return schema


def _as_node(value: object) -> Schema:
    """A new dict for whatever stands where a schema should: sloppy authors write "string" for {"type": "string"}."""
    if isinstance(value, str):
        return {"type": value if value in _TYPES else "object"}
    if isinstance(value, Mapping):
        return {key: child for key, child in value.items() if isinstance(key, str)}
    return {}


def _collapse_nullable(node: Schema) -> Schema:
    """Turn "this or null" into this and `nullable`. The bound ends a branch that contains itself."""
    for _ in range(_MAX_DEPTH):
        for keyword in ("anyOf", "oneOf"):
            branches = node.get(keyword)
            if not isinstance(branches, (list, tuple)):
                continue
            solid = [branch for branch in branches if not _is_null(branch)]
            if len(solid) == 1 and len(branches) > 1:
                outer = {key: value for key, value in node.items() if key != keyword}
                said = {key: outer[key] for key in _ANNOTATIONS if key in outer}
                node = outer | _as_node(solid[0]) | said | {"nullable": True}
                break
        else:
            break
    return node


def _is_null(branch: object) -> bool:
    if not isinstance(branch, Mapping):
        return branch == "null"
    if branch.get("type") in ("null", ["null"]) or branch.get("enum") == [None]:
        return True
    return "const" in branch and branch["const"] is None


def _or_null(node: Schema) -> Schema:
    """Say in standard JSON Schema that null fits too."""
    if not _FURTHER_RULES.isdisjoint(node):
        outer = {key: node.pop(key) for key in _ANNOTATIONS if key in node}
        return {"anyOf": [node, {"type": "null"}], **outer}
    kind = node.get("type")
    if kind is not None:
        kinds = kind if isinstance(kind, list) else [kind]
        node["type"] = kinds if "null" in kinds else [*kinds, "null"]
    if "const" in node:
        node["enum"] = [node.pop("const")]
    if isinstance(values := node.get("enum"), (list, tuple)) and None not in values:
        node["enum"] = [*values, None]
    return node


def _settle_type(node: Schema) -> None:
    """A type, or several without repetition."""
    kind = node.get("type")
    if isinstance(kind, (list, tuple)):
        # YAML authors write a bare null, which arrives as None.
        named = ("null" if entry is None else entry for entry in kind)
        kinds = list(dict.fromkeys(entry for entry in named if isinstance(entry, str))) or ["object"]
        node["type"] = kinds if len(kinds) > 1 else kinds[0]
    elif not isinstance(kind, str):
        node.pop("type", None)


def _settle_object(node: Schema) -> None:
    """An object has properties, and requires only those. `required` alone, as in a branch of anyOf, stays."""
    properties = node.get("properties")
    if not isinstance(properties, Mapping):
        node.pop("properties", None)
        properties = {}
    if _is_object(node):
        node["properties"] = properties
    if "required" not in node:
        return
    required = node["required"]
    names = [name for name in required if isinstance(name, str)] if isinstance(required, (list, tuple)) else []
    if _is_object(node):
        names = [name for name in names if name in properties]
    node["required"] = list(dict.fromkeys(names))
    if not names:
        del node["required"]


def _is_object(node: Schema) -> bool:
    return node.get("type") in ("object", ["object", "null"], ["null", "object"])


# Conversions for providers that have refused a request


def strip_pattern_and_format(definitions: Iterable[object]) -> tuple[list[Schema], int]:
    """Copies without `pattern` and `format`, which grammar-based servers fail on, and how many were removed."""
    return _strip(definitions, lambda keyword, _: keyword in ("pattern", "format"))


def strip_slash_enum(definitions: Iterable[object]) -> tuple[list[Schema], int]:
    """Copies without each `enum` that has a value with a slash, which some providers refuse, and how many."""
    return _strip(definitions, _is_slash_enum)


def _is_slash_enum(keyword: str, value: object) -> bool:
    if keyword != "enum" or not isinstance(value, (list, tuple)):
        return False
    return any(isinstance(entry, str) and "/" in entry for entry in value)


def use_nullable(definitions: Iterable[object]) -> tuple[list[Schema], int]:
    """Copies with one type per schema and OpenAPI's `nullable` for "or null", for providers that know nothing else.

    Of several types the first is kept. The number is that of the schemas that changed.
    """
    return _rebuilt(definitions, _Nullable)


class _Nullable(_Walk):
    def __init__(self) -> None:
        super().__init__()
        self.changed = 0

    def node(self, value: object) -> object:
        if not isinstance(value, Mapping):
            return value
        before = _as_node(value)
        node = _collapse_nullable(before)
        kind = node.get("type")
        if isinstance(kind, (list, tuple)):
            node = node | {"type": next((entry for entry in kind if entry != "null"), "object")}
            if "null" in kind:
                node["nullable"] = True
        if node.get("nullable") is True and isinstance(values := node.get("enum"), (list, tuple)):
            node["enum"] = [entry for entry in values if entry is not None]
        self.changed += node != before
        return node


class _Strip(_Walk):
    def __init__(self, unwanted: Callable[[str, object], bool]) -> None:
        super().__init__()
        self._unwanted = unwanted
        self.changed = 0

    def node(self, value: object) -> object:
        if not isinstance(value, Mapping):
            return value
        node = _as_node(value)
        kept = {key: child for key, child in node.items() if not self._unwanted(key, child)}
        self.changed += len(node) - len(kept)
        return kept


def _strip(definitions: Iterable[object], unwanted: Callable[[str, object], bool]) -> tuple[list[Schema], int]:
    return _rebuilt(definitions, lambda: _Strip(unwanted))


def _rebuilt(definitions: Iterable[object], make: Callable[[], _Strip | _Nullable]) -> tuple[list[Schema], int]:
    rebuilt: list[Schema] = []
    changed = 0
    for definition in definitions:
        if not isinstance(definition, Mapping):
            continue  # no provider takes it, so there is nothing to keep
        walk = make()
        rebuilt.append(_with_schema(definition, walk))
        changed += walk.changed
    return rebuilt, changed


def _with_schema(definition: Mapping[str, object], walk: _Walk) -> Schema:
    """The definition with its schema rebuilt, wherever this format keeps it."""
    copy = dict(definition)
    if isinstance(function := copy.get("function"), Mapping):
        copy["function"] = _with_schema({key: value for key, value in function.items() if key != "function"}, walk)
    for key in ("parameters", "input_schema", "inputSchema"):
        if isinstance(schema := copy.get(key), Mapping):
            copy[key] = walk.schema(schema)
    return copy


# Shapes


def to_openai(function: Mapping[str, object]) -> Schema:
    """The chat-completions shape, which most providers have taken over."""
    name, description, parameters = _parts(function)
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


def to_responses(function: Mapping[str, object]) -> Schema:
    """The Responses shape. Not strict: strict would make every optional parameter required."""
    name, description, parameters = _parts(function)
    return {"type": "function", "name": name, "description": description, "parameters": parameters, "strict": False}


def to_anthropic(function: Mapping[str, object]) -> Schema:
    """The Messages shape."""
    name, description, parameters = _parts(function)
    return {"name": name, "description": description, "input_schema": parameters}


def to_mcp(function: Mapping[str, object], *, effects: frozenset[str] | None = None) -> Schema:
    """The shape of an MCP server's tool list, with annotations when the tool's effects are declared."""
    name, description, parameters = _parts(function)
    definition: Schema = {"name": name, "description": description, "inputSchema": parameters}
    annotations = annotations_from_effects(effects or frozenset())
    if annotations:
        definition["annotations"] = annotations
    return definition


def _parts(function: Mapping[str, object]) -> tuple[object, object, object]:
    parameters = function.get("parameters") or {"type": "object", "properties": {}}
    return function.get("name", ""), function.get("description", ""), parameters


FORMATS = ("anthropic", "mcp", "openai", "responses")


def render(function: Mapping[str, object], format: str, *, effects: frozenset[str] | None = None) -> Schema:
    """One neutral function (name, description, parameters) in the named format. Only MCP speaks of effects."""
    if format == "openai":
        return to_openai(function)
    if format == "responses":
        return to_responses(function)
    if format == "anthropic":
        return to_anthropic(function)
    if format == "mcp":
        return to_mcp(function, effects=effects)
    raise ConfigError(
        f"Unknown definition format {format!r}. Known formats: {', '.join(FORMATS)}.", example='format="openai"'
    )


# Effects and MCP's hints


def annotations_from_effects(effects: frozenset[str]) -> dict[str, bool]:
    """MCP's hints for a set of effects. No effects means none declared, so nothing is promised."""
    if not effects:
        return {}
    read_only = effects <= {"read", "network"}
    annotations = {
        "readOnlyHint": read_only,
        "destructiveHint": not effects.isdisjoint({"delete", "exec", "privileged"}),
        "openWorldHint": not effects.isdisjoint({"network", "message"}),
    }
    if read_only:
        annotations["idempotentHint"] = True
    return annotations


def effects_from_annotations(annotations: Mapping[str, object] | None) -> frozenset[str]:
    """The effects an MCP tool admits to. What it leaves open counts as the worst, as MCP's defaults have it."""
    hints = annotations if isinstance(annotations, Mapping) else {}
    effects = {"read"}
    if hints.get("readOnlyHint") is not True:
        effects = {"write"} if hints.get("destructiveHint") is False else {"write", "delete"}
    if hints.get("openWorldHint") is not False:
        effects.add("network")
    return frozenset(effects)
