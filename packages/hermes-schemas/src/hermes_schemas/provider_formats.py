"""Converts schemas to those that model providers accept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from hermes_schemas.keywords import ONE_SCHEMA, SCHEMA_LIST, SCHEMA_MAP, TYPES

Schema = dict[str, object]

_MAX_DEPTH = 64
"""Deeper than any schema a model can follow; what is deeper becomes {}."""
_MAX_NODES = 50_000
"""Mappings may share children, which turns a small object into an endless tree; beyond this it is cut."""

_MAPPING = (dict, Mapping)
"""For `isinstance`: a dict, which most are, is recognized ten times as fast as a mapping."""

_OF_OBJECTS = frozenset({"properties", "required"})
_ALTERNATIVES = frozenset({"anyOf", "oneOf"})
_NAMED = frozenset({"$defs", "definitions", "properties"})
_MAY_BE_BOOLEAN = frozenset({"additionalItems", "additionalProperties", "unevaluatedItems", "unevaluatedProperties"})

_REFUSED_AT_THE_TOP = frozenset({"allOf", "anyOf", "enum", "not", "oneOf"})
_ANNOTATIONS = ("title", "description", "default", "examples")
# With one of these, null is allowed as an alternative to the schema, not as another type.
_FURTHER_RULES = frozenset({"$dynamicRef", "$ref", "allOf", "anyOf", "if", "not", "oneOf"})


def sanitize_parameters(parameters: object, *, name: str | None = None, clean: Callable[[str], str] = str) -> Schema:
    """Copy a tool's parameters as standard JSON Schema that providers accept. It accepts any value and never raises.

    Args:
        parameters: The parameters; arguments are still validated against the original.
        name: The tool's name: a title that only repeats it is removed.
        clean: Cleans each text of the copy.
    """

    def prepare(value: object) -> Schema:
        node = _collapse_nullable(_as_node(value))
        _normalize_type(node)
        if isinstance(pattern := node.get("pattern"), str) and clean(pattern) != pattern:
            del node["pattern"]  # a changed pattern would mislead
        if node.pop("nullable", None) is True:
            node = _or_null(node)
        _normalize_object(node)
        if "$ref" in node:
            node.pop("default", None)
        return node

    top = _collapse_nullable(_as_node(parameters)) if isinstance(parameters, Mapping) else {}
    top = {key: value for key, value in top.items() if key not in _REFUSED_AT_THE_TOP}
    top.pop("nullable", None)  # arguments are an object or the call is wrong
    copy = _Copy(prepare, clean, _without_repeated_title)
    schema = copy.schema({"type": "object", "properties": {}} | top | {"type": "object"})
    if name is not None:
        schema = _without_repeated_title(name, schema)
    return schema if isinstance(schema, dict) else {}


def strip_pattern_and_format(definitions: Iterable[object]) -> tuple[list[Schema], int]:
    """Copy definitions without `pattern` and `format`, which grammar-based servers fail on; count what was removed."""
    return _strip(definitions, lambda keyword, _: keyword in ("pattern", "format"))


def strip_slash_enum(definitions: Iterable[object]) -> tuple[list[Schema], int]:
    """Copy definitions without each `enum` that has a value with a slash, which some providers refuse; count them."""
    return _strip(definitions, _is_slash_enum)


def use_nullable(definitions: Iterable[object]) -> tuple[list[Schema], int]:
    """Copy definitions with one type per schema and OpenAPI's `nullable`, for providers that know nothing else.

    Of several types the first is kept. The number is that of the schemas that changed.
    """

    def prepare(before: Schema) -> tuple[Schema, int]:
        node = _collapse_nullable(before)
        kind = node.get("type")
        if isinstance(kind, (list, tuple)):
            node = node | {"type": next((entry for entry in kind if entry != "null"), "object")}
            if "null" in kind:
                node["nullable"] = True
        if node.get("nullable") is True and isinstance(values := node.get("enum"), (list, tuple)):
            node["enum"] = [entry for entry in values if entry is not None]
        return node, node != before

    return _convert(definitions, prepare)


# -- the copy --------------------------------------------------------------------------------------------------------


class _Copy:
    """Rebuilds a schema from fresh dicts and lists.

    Attributes:
        prepare: Converts a schema to a new dict before its children are copied; anything else is kept.
        convert_text: Converts each string in the schema.
        finish: Converts the copied schema of a property or definition, given its name.
    """

    def __init__(
        self,
        prepare: Callable[[object], object],
        convert_text: Callable[[str], str] = str,
        finish: Callable[[str, object], object] = lambda _name, schema: schema,
    ) -> None:
        self.prepare = prepare
        self.convert_text = convert_text
        self.finish = finish
        self._path: set[int] = set()
        self._left = _MAX_NODES

    def schema(self, value: object, depth: int = 0) -> object:
        self._left -= 1
        if depth > _MAX_DEPTH or self._left < 0 or id(value) in self._path:
            return {}
        node = self.prepare(value)
        if not isinstance(node, dict):
            return node
        self._path.add(id(value))
        try:
            return {key: self._keyword(key, child, depth + 1) for key, child in node.items()}
        finally:
            self._path.discard(id(value))

    def _keyword(self, key: str, value: object, depth: int) -> object:
        if key in SCHEMA_MAP and isinstance(value, _MAPPING):
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
            schemas[name] = self.finish(name, schema) if key in _NAMED else schema
        return schemas

    def _value(self, value: object, depth: int) -> object:
        """Copy plain data, so that changing a definition cannot change the tool."""
        if isinstance(value, str):
            return self.convert_text(value)
        if isinstance(value, (bool, int, float)) or not isinstance(value, (dict, list, tuple, Mapping)):
            return value
        self._left -= 1
        if depth > _MAX_DEPTH or self._left < 0:
            return None
        if isinstance(value, _MAPPING):
            return {key: self._value(child, depth + 1) for key, child in value.items()}
        return [self._value(child, depth + 1) for child in value]


def _strip(definitions: Iterable[object], is_unwanted: Callable[[str, object], bool]) -> tuple[list[Schema], int]:
    def prepare(node: Schema) -> tuple[Schema, int]:
        stripped = {key: child for key, child in node.items() if not is_unwanted(key, child)}
        return stripped, len(node) - len(stripped)

    return _convert(definitions, prepare)


def _is_slash_enum(keyword: str, value: object) -> bool:
    if keyword != "enum" or not isinstance(value, (list, tuple)):
        return False
    return any(isinstance(entry, str) and "/" in entry for entry in value)


def _convert(
    definitions: Iterable[object], prepare: Callable[[Schema], tuple[Schema, int]]
) -> tuple[list[Schema], int]:
    """Convert each schema of some definitions, and count the changes. Anything that is no definition is dropped."""
    changed = 0

    def prepare_and_count(value: object) -> object:
        nonlocal changed
        if not isinstance(value, _MAPPING):
            return value
        node, changes = prepare(_as_node(value))
        changed += changes
        return node

    given = [definition for definition in definitions if isinstance(definition, Mapping)]
    return [_with_schema(definition, _Copy(prepare_and_count)) for definition in given], changed


def _with_schema(definition: Mapping[str, object], copy: _Copy) -> Schema:
    """Return a definition in any format with its schema copied."""
    made = dict(definition)
    if isinstance(function := made.get("function"), Mapping):
        made["function"] = _with_schema({key: value for key, value in function.items() if key != "function"}, copy)
    for key in ("parameters", "input_schema", "inputSchema"):
        if isinstance(schema := made.get(key), Mapping):
            made[key] = copy.schema(schema)
    return made


# -- one schema ------------------------------------------------------------------------------------------------------


def _as_node(value: object) -> Schema:
    """Return a new dict for a schema; "string" means {"type": "string"}."""
    if isinstance(value, str):
        return {"type": value if value in TYPES else "object"}
    if isinstance(value, _MAPPING):
        return {key: child for key, child in value.items() if isinstance(key, str)}
    return {}


def _collapse_nullable(node: Schema) -> Schema:
    """Turn "this or null" into this and `nullable`. The bound ends a branch that contains itself."""
    for _ in range(0 if _ALTERNATIVES.isdisjoint(node) else _MAX_DEPTH):
        for keyword in ("anyOf", "oneOf"):
            branches = node.get(keyword)
            if not isinstance(branches, (list, tuple)):
                continue
            solid = [branch for branch in branches if not _is_null(branch)]
            if len(solid) == 1 and len(branches) > 1:
                outer = {key: value for key, value in node.items() if key != keyword}
                described = {key: outer[key] for key in _ANNOTATIONS if key in outer}
                node = outer | _as_node(solid[0]) | described | {"nullable": True}
                break
        else:
            break
    return node


def _is_null(branch: object) -> bool:
    if not isinstance(branch, _MAPPING):
        return branch == "null"
    if branch.get("type") in ("null", ["null"]) or branch.get("enum") == [None]:
        return True
    return "const" in branch and branch["const"] is None


def _or_null(node: Schema) -> Schema:
    """Allow null in standard JSON Schema."""
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


def _normalize_type(node: Schema) -> None:
    """Leave one type, or several without repetition."""
    kind = node.get("type")
    if isinstance(kind, (list, tuple)):
        named = ("null" if entry is None else entry for entry in kind)  # YAML reads a bare null as None
        kinds = list(dict.fromkeys(entry for entry in named if isinstance(entry, str))) or ["object"]
        node["type"] = kinds if len(kinds) > 1 else kinds[0]
    elif not isinstance(kind, str):
        node.pop("type", None)


def _normalize_object(node: Schema) -> None:
    """Give an object properties, and require only those. `required` alone, as in a branch of anyOf, is kept."""
    kind = node.get("type")
    is_object = kind == "object" or (isinstance(kind, list) and set(kind) == {"object", "null"})
    if not is_object and _OF_OBJECTS.isdisjoint(node):
        return
    properties = node.get("properties")
    if not isinstance(properties, _MAPPING):
        node.pop("properties", None)
        properties = {}
    if is_object:
        node["properties"] = properties
    required = node.get("required")
    names = [name for name in required if isinstance(name, str)] if isinstance(required, (list, tuple)) else []
    if is_object:
        names = [name for name in names if name in properties]
    if names:
        node["required"] = list(dict.fromkeys(names))
    else:
        node.pop("required", None)


def _without_repeated_title(name: str, schema: object) -> object:
    """Drop the title that generators derive from the name: the model reads the name anyway."""
    if isinstance(schema, dict) and "title" in schema and schema["title"] in (name, name.replace("_", " ").title()):
        del schema["title"]
    return schema
