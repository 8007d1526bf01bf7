"""What a model is shown: everything, or a few tools and the way to the rest."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any, cast

import pytest

from hermes_core import ConfigError, Hermes, PluginError, Tool, UnknownToolsetError, hookimpl
from hermes_core.tools.definitions import FORMATS
from hermes_search import assemble, plugin
from hermes_search.assembly import UNKNOWN_CONTEXT_TOKENS, explain, hides
from hermes_search.bridge_tools import BRIDGE_CHARS, bridge_definitions
from hermes_search.definition_sizes import SizeCache, Sizes, estimate_tokens, name_of
from hermes_search.settings import ToolSearchConfig

Make = Callable[..., Hermes]
BRIDGE = ["tool_search", "tool_describe", "tool_call"]
ON = {"tools": {"tool_search": {"enabled": "on"}}}


def make(name: str, toolset: str = "web", description: str = "Does something.", **fields: Any) -> Tool:
    schema = {
        "name": name,
        "description": description,
        "parameters": {"type": "object", "properties": {"q": {"type": "string"}}},
    }
    return Tool.from_schema(schema, lambda args, **info: json.dumps({"ran": name}), toolset=toolset, **fields)


def definition(name: str, chars: int = 100) -> dict[str, Any]:
    """A definition whose compact JSON has exactly so many characters."""
    empty = {"type": "function", "function": {"name": name, "description": "", "parameters": {}}}
    length = len(json.dumps(empty, separators=(",", ":")))
    empty["function"]["description"] = "x" * (chars - length)  # type: ignore[index]
    return empty


def names(definitions: list[dict[str, Any]]) -> list[str]:
    return [name_of(each) for each in definitions]


def hidden(name: str) -> bool:
    return name.startswith("far")


# -- the estimate -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("chars", "tokens"), [(100, 25), (101, 26), (103, 26), (104, 26), (105, 27)])
def test_four_characters_of_compact_json_are_one_token(chars: int, tokens: int) -> None:
    assert estimate_tokens([definition("a", chars)]) == tokens


def test_the_rest_is_rounded_up_once_for_all_together() -> None:
    assert estimate_tokens([definition("a", 101), definition("b", 101), definition("c", 101)]) == 76
    assert estimate_tokens([]) == 0


def test_letters_count_as_they_are_and_what_is_no_json_counts_as_text() -> None:
    assert estimate_tokens([{"name": "größe"}]) == -(-len('{"name":"größe"}') // 4)
    assert estimate_tokens([{"name": {1, 2}}]) == -(-len(str({"name": {1, 2}})) // 4)


# -- the rule -----------------------------------------------------------------------------------------------------


def measured(tokens: int) -> Sizes:
    shown = [definition("near"), definition("far", tokens * 4)] if tokens else [definition("near")]
    return SizeCache().measure(shown, hidden, BRIDGE_CHARS)


@pytest.mark.parametrize(
    ("tokens", "context_length", "config", "activated"),
    [
        (19_999, None, {}, False),
        (20_000, None, {}, True),
        (19_999, 200_000, {}, False),
        (20_000, 200_000, {}, True),
        (99, 1_000, {}, False),
        (100, 1_009, {}, True),  # 100.9 tokens are 100
        (5_000, 100_000, {"threshold_pct": 5.0}, True),
        (4_999, 100_000, {"threshold_pct": 5.0}, False),
        (30, 10**9, {"threshold_pct": 0.0}, True),
        (30_000, 20_000, {"threshold_pct": 100.0}, True),
        (30, 10**6, {"enabled": "on"}, True),
        (30, None, {"enabled": "on"}, True),
        (0, None, {"enabled": "on"}, False),
        (0, 10, {"threshold_pct": 0.0}, False),
        (10**5, 10, {"enabled": "off"}, False),
    ],
)
def test_tools_are_hidden_when_they_are_long_for_the_window(
    tokens: int, context_length: int | None, config: dict[str, Any], activated: bool
) -> None:
    sizes, settings = measured(tokens), ToolSearchConfig(**config)
    assert hides(settings, sizes, context_length) is activated
    reason, limit = explain(settings, sizes, context_length)
    assert reason.endswith(".")
    assert ("reach" in reason) is (activated and limit is not None)


def test_the_sizes_are_those_of_the_parts() -> None:
    sizes = measured(20_000)
    assert (sizes.visible, sizes.hideable) == (("near",), ("far",))
    assert (sizes.all_tokens, sizes.hideable_tokens) == (20_025, 20_000)
    assert sizes.short_tokens == estimate_tokens([definition("near"), *bridge_definitions()])
    assert explain(ToolSearchConfig(), sizes, None)[1] == UNKNOWN_CONTEXT_TOKENS
    assert "20,000" in explain(ToolSearchConfig(), sizes, None)[0]
    assert "25,000, 10%" in explain(ToolSearchConfig(), sizes, 250_000)[0]
    assert "is off" in explain(ToolSearchConfig(enabled="off"), sizes, None)[0]


def test_what_nobody_knows_stays_visible() -> None:
    odd: list[Any] = [{"type": "web_search_preview"}, {"function": {}}, definition("far")]
    assert SizeCache().measure(odd, lambda name: True, BRIDGE_CHARS).hideable == ("far",)


def test_the_result_says_what_happened(host: Make) -> None:
    long = [make(f"far{number}", description="x" * 16_000) for number in range(6)]
    hermes = host(tools=[make("near", always_load=True), *long])
    result = assemble(hermes)
    assert (result.visible, result.deferred_count) == (("near",), 6)
    assert result.tokens_before == estimate_tokens(hermes.definitions(everything=True))
    assert result.tokens_after == estimate_tokens(result.definitions) == result.tokens_before - result.tokens_saved
    assert (result.threshold_tokens, result.context_length) == (UNKNOWN_CONTEXT_TOKENS, None)
    quiet = assemble(hermes, context_length=10**6)
    assert (len(quiet.visible), quiet.deferred, quiet.deferred_tokens) == (7, (), 0)
    assert (quiet.threshold_tokens, quiet.context_length, quiet.tokens_saved) == (100_000, 10**6, 0)


def test_a_name_of_the_bridge_that_another_tool_has_hides_nothing() -> None:
    mine = make("tool_search", "mine")
    with Hermes(tools=[mine, make("a")], config=ON) as hermes:
        with pytest.raises(PluginError, match="tool_search"):
            hermes.add_plugin(plugin)
        assert names(hermes.definitions()) == ["a", "tool_search"]
    with Hermes(tools=[make("a")], plugins=[plugin], config=ON) as hermes:
        assert names(hermes.definitions()) == BRIDGE
        hermes.registry.register(mine, override=True)
        assert names(hermes.definitions()) == ["a", "tool_search"]


@pytest.mark.parametrize("without", [["tool_search"], ["tool_call"]])
def test_where_the_bridge_is_disabled_nothing_is_hidden(without: list[str], host: Make) -> None:
    hermes = host(tools=[make("a")], config=ON)
    assert names(hermes.definitions(disabled=without)) == ["a"]


# -- a host -------------------------------------------------------------------------------------------------------


def test_tools_that_are_always_loaded_are_never_hidden(host: Make) -> None:
    hermes = host(tools=[make("a"), make("b", always_load=True), make("c", "mcp-x"), make("d", always_load=True)])
    for length in (1, 10, None):
        result = assemble(hermes, context_length=length)
        assert result.activated is (length is not None)
        assert set(result.visible) >= {"b", "d"}
    result = assemble(host(tools=[make("a"), make("b", always_load=True)], config=ON))
    assert (result.visible, result.deferred) == (("b",), ("a",))
    assert not assemble(host(tools=[make("b", always_load=True)], config=ON)).activated


SILENT: tuple[Any, ...] = (None, {}, {"tools": {}}, {"tools": {"tool_search": {"search_default_limit": 7}}})
"""Settings that say nothing about whether tools are hidden."""


@pytest.mark.parametrize("config", [*SILENT, {"tools": {"tool_search": "auto"}}])
def test_without_a_word_a_long_list_is_hidden_and_a_short_one_is_not(config: Any, host: Make) -> None:
    long = [make(f"t{number:03}", description="x" * 2_000) for number in range(50)]
    hermes = host(tools=long, config=config)
    assert assemble(hermes).deferrable_tokens >= UNKNOWN_CONTEXT_TOKENS
    assert names(hermes.definitions()) == BRIDGE
    assert len(hermes.definitions(everything=True)) == 50
    with hermes.session() as session:
        assert names(session.definitions()) == BRIDGE
        assert len(session.definitions(everything=True)) == 50
    short = host(tools=long[:10], config=config)
    assert short.definitions() == short.definitions(everything=True)
    assert len(short.definitions()) == 10


def test_the_window_decides_where_it_is_known(host: Make) -> None:
    long = [make(f"t{number:03}", description="x" * 2_000) for number in range(50)]
    hermes = host(tools=long)
    assert names(hermes.definitions(context_length=10_000)) == BRIDGE
    assert len(hermes.definitions(context_length=10_000, everything=True)) == 50
    assert len(hermes.definitions(context_length=10_000_000)) == 50
    assert len(host(tools=long, config={"tools": {"tool_search": "off"}}).definitions(context_length=10)) == 50
    assert len(host(tools=long, config={"tools": {"tool_search": "off"}}).definitions()) == 50


def test_programs_that_look_at_tools_see_hidden_ones_too(host: Make) -> None:
    long = [make(f"t{number:03}", description="x" * 2_000) for number in range(50)]
    hermes = host(tools=long)
    assert len(hermes.tools(["web"])) == 50
    assert hermes.definition("t007")["function"]["name"] == "t007"
    assert hermes.why("t007").available
    assert len(hermes.registry.names()) == 53


def test_nobody_is_asked_twice_for_one_list(host: Make) -> None:
    asked: list[str] = []

    def schema() -> dict[str, Any]:
        asked.append("the tool")
        return {}

    class Adjusting:
        @hookimpl
        def hermes_adjust_definitions(self, definitions: list[dict[str, Any]]) -> None:
            asked.append("the plugin")

    for format in FORMATS:
        asked.clear()
        host(tools=[make("a", dynamic_schema=schema)]).definitions(format=format)
        assert asked == ["the tool"]
        asked.clear()
        host(tools=[make("a")], plugins=[Adjusting()]).definitions(format=format)
        assert asked == ["the plugin"]


def test_a_session_is_shown_what_its_scope_holds(host: Make) -> None:
    hermes = host(tools=[make("a", "one"), make("b", "two"), make("c", "two", always_load=True)], config=ON)
    with hermes.session(enabled=["two"]) as session:
        assert names(session.definitions()) == ["c", *BRIDGE]
        assert names(session.definitions(everything=True)) == ["b", "c"]
        assert assemble(hermes, session=session).deferred == ("b",)
    hermes = host(tools=[make("a")])
    with hermes.session() as session:
        assert names(session.definitions()) == ["a"]
        assert names(session.definitions(context_length=50)) == BRIDGE
        assert assemble(hermes, context_length=10**6, session=session).definitions == session.definitions()


@pytest.mark.parametrize("format", ["openai", "anthropic", "responses", "mcp"])
def test_every_format_has_the_bridge(format: str, host: Make) -> None:
    hermes = host(tools=[make("a", effects=["read"]), make("b", always_load=True)], config=ON)
    result = assemble(hermes, format=format)
    assert names(result.definitions) == ["b", *BRIDGE]
    plain = hermes.definitions(format=format, everything=True)
    assert result.definitions[0] == plain[1]
    assert all(each.keys() <= plain[0].keys() for each in result.definitions)
    assert result.tokens_after == assemble(hermes).tokens_after


@pytest.mark.parametrize("format", ["openai", "anthropic", "responses", "mcp"])
def test_a_tool_that_calls_hidden_ones_says_so_in_every_format(format: str, host: Make) -> None:
    hermes = host(tools=[make("a"), make("b", always_load=True, calls=["a", "x"])], config=ON)
    (described, *_) = assemble(hermes, format=format).definitions
    assert described == hermes.definitions(format=format, everything=True)[1]


def test_a_wrong_question_is_an_error(host: Make) -> None:
    hermes = host(tools=[make("a")])
    with pytest.raises(ConfigError, match="format"):
        assemble(hermes, format="gemini")
    with pytest.raises(ConfigError, match="context_length"):
        assemble(hermes, context_length=cast(int, math.nan))
    with pytest.raises(UnknownToolsetError):
        assemble(hermes, enabled=["wbe"])
    with hermes.session() as session, pytest.raises(ConfigError, match="context_length"):
        session.definitions(context_length=cast(int, math.inf))


@pytest.mark.parametrize("length", [0, -1])
def test_a_context_window_of_nothing_is_one_that_nobody_knows(length: int, host: Make) -> None:
    assert assemble(host(tools=[make("a")]), context_length=length) == assemble(host(tools=[make("a")]))


def test_the_list_belongs_to_the_caller(host: Make) -> None:
    hermes = host(tools=[make("a"), make("b", always_load=True)], config=ON)
    before = json.dumps(hermes.definitions())
    mine = hermes.definitions()
    for entry in mine:
        entry["function"]["name"] = "mine"
        entry["function"]["description"] = "mine"
    mine.clear()
    assert json.dumps(hermes.definitions()) == before


def test_one_definition_can_be_had_though_it_is_hidden(host: Make) -> None:
    hermes = host(tools=[make("a", description="Hidden.")], config=ON)
    assert hermes.definition("a")["function"]["description"] == "Hidden."


# -- it follows what there is -------------------------------------------------------------------------------------


def test_the_answer_follows_the_registry_and_nothing_else(host: Make) -> None:
    hermes = host(tools=[make("a"), make("b", "two")], config=ON)
    first = assemble(hermes)
    assert assemble(hermes) == first
    hermes.registry.register(make("c"))
    assert assemble(hermes).deferred == ("a", "b", "c")
    assert assemble(hermes, disabled=["two"]).deferred == ("a", "c")
    hermes.registry.deregister("a")
    hermes.registry.register(make("c", always_load=True))
    assert (assemble(hermes).visible, assemble(hermes).deferred) == (("c",), ("b",))
    hermes.registry.replace_toolset("two", [make("d", "two"), make("e", "two")])
    assert assemble(hermes).deferred == ("d", "e")
    hermes.toolsets.create_custom("mine", tools=["e"])
    assert assemble(hermes, ["mine"]).deferred == ("e",)
    hermes.registry.deregister("c")
    hermes.registry.replace_toolset("two", [])
    assert not assemble(hermes).activated


def test_what_cannot_run_is_neither_shown_nor_counted(host: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FAR_KEY", raising=False)
    hermes = host(tools=[make("far", requires_env=["FAR_KEY"]), make("b")], config=ON)
    without = assemble(hermes)
    assert without.deferred == ("b",)
    monkeypatch.setenv("FAR_KEY", "x")
    assert assemble(hermes).deferred == ("b", "far")
    monkeypatch.delenv("FAR_KEY")
    assert assemble(hermes) == without


def test_a_definition_of_the_moment_is_weighed_at_the_moment(host: Make) -> None:
    length = 10
    changing = make("a", dynamic_schema=lambda: {"description": "x" * length})
    hermes = host(tools=[changing, make("b")])
    assert not assemble(hermes, context_length=10_000).activated
    length = 8_000
    grown = assemble(hermes, context_length=10_000)
    assert grown.activated
    assert grown.deferrable_tokens > 2_000
    length = 10
    assert not assemble(hermes, context_length=10_000).activated


def test_plugins_that_adjust_definitions_are_asked_first(host: Make) -> None:
    class Adjuster:
        @hookimpl
        def hermes_adjust_definitions(self, definitions: list[dict[str, Any]]) -> list[dict[str, Any]]:
            kept = [each for each in definitions if each["name"] != "a"]
            return [{**each, "description": "Adjusted."} for each in kept]

    hermes = host(tools=[make("a"), make("b"), make("c", always_load=True)], plugins=[Adjuster()], config=ON)
    result = assemble(hermes)
    assert (result.visible, result.deferred) == (("c",), ("b",))
    assert result.definitions[0]["function"]["description"] == "Adjusted."
    assert "Adjusted" in hermes.call("tool_describe", {"name": "b"})
    assert json.loads(hermes.call("tool_describe", {"name": "a"}))["code"] == "unavailable"


def test_ten_thousand_tools_are_assembled_and_weighed_once(host: Make) -> None:
    tools = [make(f"tool_{number}", f"set_{number % 100}") for number in range(10_000)]
    hermes = host(tools=[*tools, make("always", always_load=True)])
    result = assemble(hermes, context_length=200_000)
    assert (result.visible, result.deferred_count) == (("always",), 10_000)
    assert result.tokens_before == estimate_tokens(hermes.definitions(everything=True))
    assert result.tokens_after == estimate_tokens(result.definitions) < 500
    found = json.loads(hermes.call("tool_search", {"query": "tool_4321"}))
    assert (found["total_available"], found["matches"][0]["name"]) == (10_000, "tool_4321")
    assert json.loads(hermes.call("tool_call", {"name": "tool_4321"})) == {"ran": "tool_4321"}
    with hermes.session(enabled=["set_7"]) as session:
        assert assemble(hermes, context_length=1_000, session=session).deferred_count == 100
        found = json.loads(session.call("tool_search", {"query": "tool_4321", "limit": 20}))
        assert found["total_available"] == 100
        assert "tool_4321" not in [match["name"] for match in found["matches"]]
