"""A section is data: it says what its settings are without importing the plugin that reads them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import BaseModel, Field, SecretStr

from hermes_core import PluginError
from hermes_core.config.sections import CORE_SECTIONS, SectionSpec


class Retry(BaseModel):
    count: int = Field(default=3, ge=0)
    wait: float = 1.5


class Web(BaseModel):
    """Where searches go."""

    backend: str = Field(default="ddg", description="The search engine.")
    key: SecretStr | None = Field(default=None, json_schema_extra={"x-env": ["WEB_KEY", "OLD_WEB_KEY"]})
    pin: str = Field(default="", json_schema_extra={"secret": True})
    retry: Retry = Retry()
    proxy: Retry | None = None
    hosts: list[str] = []
    labels: dict[str, str] = {}


@pytest.fixture
def web() -> SectionSpec:
    return SectionSpec.from_model("web", Web, owner="web")


def test_a_model_becomes_data_that_a_manifest_can_hold(web: SectionSpec) -> None:
    again = SectionSpec.from_dict(json.loads(json.dumps(web.as_dict())), owner="web")
    assert again == web
    assert again.schema["properties"]["backend"]["description"] == "The search engine."


def test_defaults_come_from_every_level(web: SectionSpec) -> None:
    assert web.defaults() == {
        "backend": "ddg",
        "pin": "",
        "retry": {"count": 3, "wait": 1.5},
        "hosts": [],
        "labels": {},
    }


def test_secrets_are_known_by_type_and_by_mark(web: SectionSpec) -> None:
    assert [way for way in web.paths() if web.is_secret(way)] == [("key",), ("pin",)]


def test_variables_name_the_section_and_the_key(web: SectionSpec) -> None:
    assert web.variables(("retry", "count")) == ("HERMES_WEB__RETRY__COUNT",)
    assert web.variables(("key",)) == ("HERMES_WEB__KEY", "WEB_KEY", "OLD_WEB_KEY")
    assert web.stored_variable(("key",)) == "WEB_KEY"
    assert web.stored_variable(("pin",)) == "HERMES_WEB__PIN"


def test_only_what_is_declared_is_there(web: SectionSpec) -> None:
    assert web.find(("backend",)) is not None
    assert web.find(("retry", "count")) is not None
    assert web.find(("labels", "anything")) is not None
    assert web.find(("bakend",)) is None
    assert web.find(("retry", "counts")) is None
    assert web.find(("backend", "deeper")) is None
    assert not SectionSpec(name="x", schema={"type": "object", "properties": {"a": {}}}).is_open()
    assert SectionSpec(name="x", schema={"type": "object"}).is_open()


@pytest.mark.parametrize("name", ["", "a.b", "a b", 5, None, 'a"b'])
def test_a_name_that_no_file_can_have_is_the_plugins_mistake(name: Any) -> None:
    with pytest.raises(PluginError, match="web"):
        SectionSpec(name=name, schema={}, owner="web")


@pytest.mark.parametrize("data", [{}, {"name": "web", "schema": []}, {"schema": {}}])
def test_a_manifest_that_holds_no_section_is_the_plugins_mistake(data: Any) -> None:
    with pytest.raises(PluginError):
        SectionSpec.from_dict(data, owner="web")


def test_a_model_without_a_schema_is_the_plugins_mistake() -> None:
    class Odd(BaseModel):
        model_config = {"arbitrary_types_allowed": True}
        thing: memoryview

    with pytest.raises(PluginError, match="cannot be described"):
        SectionSpec.from_model("odd", Odd, owner="odd")


def test_schemas_that_refer_to_themselves_come_to_an_end() -> None:
    schema = {"$defs": {"n": {"properties": {"next": {"$ref": "#/$defs/n"}, "x": {"default": 1}}}}, "$ref": "#/$defs/n"}
    spec = SectionSpec(name="loop", schema=schema)
    assert spec.defaults()["x"] == 1
    assert spec.find(("next", "next", "x")) is not None
    assert SectionSpec(name="loop", schema={"$ref": "#"}).defaults() == {}


def test_the_sections_of_the_core_are_sections_like_any_other() -> None:
    assert [spec.name for spec in CORE_SECTIONS] == [
        "plugins",
        "calls",
        "results",
        "toolsets",
        "toolset_distributions",
    ]
    for spec in CORE_SECTIONS:
        assert SectionSpec.from_dict(spec.as_dict(), owner=spec.owner) == spec
