"""The keywords of JSON Schema that hold schemas, and its types. All other keywords hold values."""

from __future__ import annotations

ONE_SCHEMA = frozenset(
    """
    additionalItems additionalProperties contains contentSchema else if items not propertyNames then unevaluatedItems
    unevaluatedProperties
    """.split()  # noqa: SIM905 - shorter than a list
)
SCHEMA_LIST = frozenset({"allOf", "anyOf", "items", "oneOf", "prefixItems"})
SCHEMA_MAP = frozenset({"$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"})

TYPES = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})
PYTHON_TYPES = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
"""The JSON types of Python types; None is null."""
