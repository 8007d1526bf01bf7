"""`hermes_settings`: plugins declare sections of `config.yaml`, and tools read them with `ctx.settings`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import BaseModel, Field, SecretStr

from hermes_core import ConfigError, Hermes, PluginError, Tool, ToolContext, hookimpl, tool
from hermes_core.config.config import Config
from hermes_core.inspection import plugin_sections

if TYPE_CHECKING:
    from plugins.conftest import Shop

SOURCE = """
    from hermes_core import ToolContext, hookimpl, tool
    from pydantic import BaseModel, Field

    class Table(BaseModel):
        seats: int = Field(4, ge=1, description="How many may sit.")
        name: str = "round"

    @tool(toolset="dice")
    def as_model(ctx: ToolContext) -> str:
        '''Read the table.'''
        table = ctx.settings("table", Table)
        return f"{table.name} {table.seats}"

    @tool(toolset="dice")
    def as_dict(ctx: ToolContext) -> dict:
        '''Read the table.'''
        return ctx.settings("table")

    @hookimpl
    def hermes_tools():
        return [as_model, as_dict]

    @hookimpl
    def hermes_settings():
        return {"table": Table}
"""


class Table(BaseModel):
    """A table."""

    seats: int = Field(4, ge=1)
    key: SecretStr | None = None


def plugin(answer: object, name: str = "Plugin") -> Any:
    """A plugin that reads sections."""

    class Plugin:
        @hookimpl
        def hermes_tools(self) -> list[Tool]:
            @tool(toolset="t", name=f"read_{name}")
            def read(ctx: ToolContext, section: str) -> dict[str, Any]:
                """Read a section."""
                return ctx.settings(section)

            return [read]

        @hookimpl
        def hermes_settings(self) -> Any:
            return answer

    return Plugin()


@pytest.mark.parametrize("manifest", [True, False], ids=["from the manifest", "from the code"])
def test_a_section_of_an_installed_plugin_is_known_and_read(shop: Shop, home: Path, manifest: bool) -> None:
    shop.install("dice", SOURCE, manifest=manifest)
    home.mkdir()
    (home / "config.yaml").write_text("table: {seats: 6}\n")
    hermes = shop.load()
    (section,) = plugin_sections(hermes)
    assert (section.name, section.owner) == ("table", "dice")
    assert section.defaults() == {"seats": 4, "name": "round"}
    assert hermes.config.get("table.seats") == 6
    assert shop.imported() == ([] if manifest else ["dice"])
    assert json.loads(hermes.call("as_model")) == "round 6"
    assert json.loads(hermes.call("as_dict")) == {"seats": 6, "name": "round"}


def test_defaults_hold_without_a_file_and_the_environment_wins(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    shop.install("dice", SOURCE)
    assert json.loads(shop.load().call("as_model")) == "round 4"
    monkeypatch.setenv("HERMES_TABLE__SEATS", "9")
    assert json.loads(shop.load().call("as_model")) == "round 9"


def test_a_wrong_setting_is_an_error_or_makes_the_tool_unavailable_and_says_where(shop: Shop, home: Path) -> None:
    shop.install("dice", SOURCE)
    home.mkdir()
    (home / "config.yaml").write_text("table:\n  seats: none\n")
    with pytest.raises(ConfigError, match=r"config\.yaml:2: table\.seats: "):
        shop.load()
    answer = json.loads(shop.load(checked=False).call("as_model"))
    assert answer["code"] == "unavailable"
    assert "as_model cannot read its settings" in answer["error"]
    assert "config.yaml:2" in answer["error"]
    assert "table.seats" in answer["error"]
    assert answer["hint"] == "Ask the user to run 'hermes config check'."


def test_a_section_that_changed_after_the_manifest_is_that_of_the_code(shop: Shop) -> None:
    shop.install("dice", SOURCE)
    shop.rewrite("dice", SOURCE.replace('name: str = "round"', 'name: str = "square"'))
    hermes = shop.load()
    assert hermes.config.get("table.name") == "round"
    assert json.loads(hermes.call("as_model")) == "square 4"
    assert hermes.config.get("table.name") == "square"
    assert "section 'table' differs in its schema." in shop.record(hermes, "dice").problems[0]


def test_an_application_gives_settings_as_data(shop: Shop) -> None:
    schema = {"type": "object", "properties": {"legs": {"type": "integer", "default": 4}}}
    with Hermes(plugins=[plugin({"chair": schema})], config={"chair": {"legs": 3}}) as hermes:
        assert hermes.call("read_Plugin", {"section": "chair"}) == '{"legs": 3}'
    with Hermes(plugins=[plugin({"chair": schema})]) as hermes:
        assert hermes.call("read_Plugin", {"section": "chair"}) == '{"legs": 4}'


def test_an_application_may_give_its_own_config(home: Path) -> None:
    config = Config(home, data={"chair": {"legs": 3}})
    schema = {"type": "object", "properties": {"legs": {"type": "integer"}}}
    with Hermes(plugins=[plugin({"chair": schema})], config=config) as hermes:
        assert hermes.config is config
        assert hermes.call("read_Plugin", {"section": "chair"}) == '{"legs": 3}'


def test_a_plugin_added_later_brings_its_sections(home: Path) -> None:
    with Hermes(config={"chair": {"legs": 3}}) as hermes:
        assert hermes.config.sections.keys().isdisjoint({"chair"})
        hermes.add_plugin(plugin({"chair": {"type": "object", "properties": {"legs": {"type": "integer"}}}}))
        assert "chair" in hermes.config.sections
        assert hermes.call("read_Plugin", {"section": "chair"}) == '{"legs": 3}'


def test_a_model_marks_its_secrets() -> None:
    with Hermes(plugins=[plugin({"table": Table})]) as hermes:
        (section,) = plugin_sections(hermes)
        assert section.is_secret(("key",))
        assert not section.is_secret(("seats",))


@pytest.mark.parametrize("nothing", [None, {}])
def test_a_plugin_may_declare_nothing(nothing: object) -> None:
    with Hermes(plugins=[plugin(nothing)]) as hermes:
        assert plugin_sections(hermes) == ()


REMEDY = 'Return {"section": a dataclass, a pydantic model class, or a JSON schema}.'


@pytest.mark.parametrize(
    ("answer", "reason", "remedy"),
    [
        (5, "hermes_settings returned a int.", REMEDY),
        ([Table], "hermes_settings returned a list.", REMEDY),
        (Table, "hermes_settings returned ModelMetaclass Table.", REMEDY),
        ({"table": 5}, "hermes_settings gives a int for the section 'table'.", REMEDY),
        ({"table": Table(seats=4)}, "hermes_settings gives a Table for the section 'table'.", REMEDY),
        ({"a b": {}}, "'a b' is not a name for a section of config.yaml.", ""),
        ({5: {}}, "5 is not a name for a section of config.yaml.", ""),
        (
            {"table": {"default": {1, 2}}},
            "hermes_settings gives a schema for the section 'table' that is not JSON "
            "(Object of type set is not JSON serializable).",
            "Use JSON values only, defaults too.",
        ),
    ],
    ids=["number", "list", "model", "section is a number", "an instance", "blank", "key", "no json"],
)
def test_nonsense_instead_of_sections_is_refused_in_words(answer: object, reason: str, remedy: str) -> None:
    with Hermes() as hermes:
        with pytest.raises(PluginError) as caught:
            hermes.add_plugin(plugin(answer), "mine")
        assert caught.value.reason == reason
        assert caught.value.remedy == remedy
        assert plugin_sections(hermes) == ()
        assert hermes.registry.names() == ()


@pytest.mark.parametrize("name", ["plugins", "calls", "results", "toolsets", "toolset_distributions"])
def test_the_sections_of_the_core_are_refused(shop: Shop, name: str) -> None:
    shop.install("dice", SOURCE.replace('{"table": Table}', f'{{"{name}": Table, "mine": Table}}'))
    hermes = shop.load()
    record = shop.record(hermes, "dice")
    assert record.status == "partial"
    assert record.problems == (f"the section {name!r} of config.yaml belongs to the core.",)
    assert [section.name for section in plugin_sections(hermes)] == ["mine"]


def test_of_two_plugins_with_one_section_the_first_keeps_it() -> None:
    schema = {"type": "object", "properties": {"legs": {"type": "integer", "default": 4}}}
    with Hermes(plugins=[plugin({"chair": schema}, "one")]) as hermes:
        with pytest.raises(PluginError, match="the section 'chair' of config.yaml belongs to Plugin-1"):
            hermes.add_plugin(plugin({"chair": {"type": "object"}}, "two"), "two")
        (section,) = plugin_sections(hermes)
        assert section.owner == "Plugin-1"
