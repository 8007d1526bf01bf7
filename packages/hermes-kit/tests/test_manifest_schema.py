"""The published schema of a manifest says what the code writes and reads."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from hermes_core.tools.lazy_tool import TOOL_KEYS
from hermes_kit.manifest_schema import MANIFEST_SCHEMA

DICE = Path(__file__).parents[3] / "examples/hermes-tools-dice/src/hermes_tools_dice/hermes-plugin.json"


def test_it_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(MANIFEST_SCHEMA)


def test_it_has_every_field_that_a_tool_may_have_in_a_manifest() -> None:
    assert MANIFEST_SCHEMA["properties"]["tools"]["items"]["properties"].keys() == TOOL_KEYS


def test_every_field_is_explained() -> None:
    parts = [MANIFEST_SCHEMA, *(MANIFEST_SCHEMA["properties"][each]["items"] for each in ("tools", "toolsets"))]
    assert all(field.get("description") for part in parts for field in part["properties"].values())


def test_the_manifest_of_the_example_fits() -> None:
    jsonschema.validate(json.loads(DICE.read_bytes()), MANIFEST_SCHEMA)


def test_what_is_no_manifest_does_not_fit() -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"manifest": 1, "plugin": "x"}, MANIFEST_SCHEMA)
