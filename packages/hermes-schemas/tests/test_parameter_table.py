"""A tool's parameters as rows that a person can read."""

from __future__ import annotations

from hermes_schemas.parameter_table import list_parameters


def test_nested_parameters_references_and_alternatives_are_readable() -> None:
    schema = {
        "$defs": {
            "Node": {"type": "object", "properties": {"child": {"$ref": "#/$defs/Node"}, "size": {"type": "number"}}}
        },
        "type": "object",
        "properties": {
            "tree": {"$ref": "#/$defs/Node", "description": "A tree"},
            "when": {"anyOf": [{"type": "string", "format": "date"}, {"type": "integer", "minimum": 0}]},
            "tags": {"type": "array", "items": {"enum": ["a", "b"]}, "maxItems": 2, "uniqueItems": True},
            "free": {},
        },
        "required": ["when"],
    }
    found = {each.name: each for each in list_parameters(schema)}
    assert found["tree"].description == "A tree"
    assert found["tree.size"].type == "number"
    assert found["tree.child.size"].type == "number"
    assert len(found) < 50
    assert (found["when"].type, found["when"].required) == ("string or integer", True)
    assert found["when"].limits == "format date; at least 0"
    assert found["tags"].type == "array of string"
    assert found["tags"].limits == 'at most 2 items; no item twice; each one of "a", "b"'
    assert found["free"].type == "any"


def test_alternatives_beside_members_hide_no_members() -> None:
    schema = {
        "properties": {
            "file": {"type": "object", "properties": {"path": {"type": "string"}}, "anyOf": [{"required": ["path"]}]}
        }
    }
    assert [each.name for each in list_parameters(schema)] == ["file", "file.path"]
