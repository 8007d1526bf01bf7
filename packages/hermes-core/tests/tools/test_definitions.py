"""What a model is shown: the available tools of a selection, in a fixed order, the same bytes each time."""

from __future__ import annotations

import contextlib
import itertools
import json
import random
import threading
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from hermes_core import ConfigError, Hermes, Tool, Toolset, UnknownToolsetError, hookimpl, tool

Make = Callable[..., Hermes]


def make(name: str, toolset: str = "web", **fields: Any) -> Tool:
    schema = {
        "name": name,
        "description": f"Does {name}.",
        "parameters": {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]},
    }
    return Tool.from_schema(schema, lambda args, **info: "{}", toolset=toolset, **fields)


def names(definitions: Iterable[dict[str, Any]]) -> list[str]:
    return [entry["function"]["name"] for entry in definitions]


class Switch:
    """A check that can be turned on and off."""

    def __init__(self, on: bool = True) -> None:
        self.on = on
        self.runs = 0

    def __call__(self) -> bool:
        self.runs += 1
        return self.on


# Which tools


def test_only_available_tools_are_shown(host: Make) -> None:
    hermes = host(tools=[make("yes"), make("no", check=lambda: False), make("key", requires_env=["NO_SUCH_KEY_HERE"])])
    assert names(hermes.definitions()) == ["yes"]
    assert [spec.name for spec in hermes.tools()] == ["yes"]
    assert [spec.name for spec in hermes.tools(available=False)] == ["key", "no", "yes"]


def test_enabled_takes_toolsets_and_single_tools(host: Make) -> None:
    hermes = host(tools=[make("a", "one"), make("b", "two"), make("c", "two")])
    assert names(hermes.definitions(enabled=["two"])) == ["b", "c"]
    assert names(hermes.definitions(enabled=["one", "c"])) == ["a", "c"]
    assert names(hermes.definitions(enabled="one")) == ["a"]
    for everything in (["all"], ["*"], None):
        assert names(hermes.definitions(enabled=everything)) == ["a", "b", "c"]


def test_an_empty_list_is_no_tool_and_none_is_all(host: Make) -> None:
    hermes = host(tools=[make("a")])
    assert hermes.definitions(enabled=[]) == []
    assert hermes.definitions(enabled=()) == []
    assert names(hermes.definitions(enabled=None)) == ["a"]


def test_disabled_is_always_taken_away_last(host: Make) -> None:
    hermes = host(tools=[make("a", "one"), make("b", "two")], toolsets=[Toolset("both", tools=["a"], includes=["two"])])
    assert names(hermes.definitions(enabled=["both"], disabled=["two"])) == ["a"]
    assert names(hermes.definitions(enabled=["one", "two"], disabled=["one"])) == ["b"]
    assert names(hermes.definitions(enabled=["b"], disabled=["b"])) == []
    assert names(hermes.definitions(disabled=["both"])) == []
    assert names(hermes.definitions(disabled=[])) == ["a", "b"]


def test_an_unknown_toolset_is_an_error_with_near_names(host: Make) -> None:
    hermes = host(tools=[make("a", "weather")])
    for arguments in ({"enabled": ["wether"]}, {"disabled": ["wether"]}, {"enabled": [], "disabled": ["wether"]}):
        with pytest.raises(UnknownToolsetError, match="Did you mean 'weather'") as caught:
            hermes.definitions(**arguments)  # type: ignore[arg-type]
        assert caught.value.name == "wether"


def test_checks_of_tools_outside_the_selection_do_not_run(host: Make) -> None:
    inside, outside = Switch(), Switch()
    hermes = host(tools=[make("a", "one", check=inside), make("b", "two", check=outside)])
    assert names(hermes.definitions(enabled=["one"])) == ["a"]
    assert hermes.definitions(enabled=[]) == []
    assert [spec.name for spec in hermes.tools(["one"])] == ["a"]
    assert (inside.runs, outside.runs) == (1, 0)


# The same bytes


def test_the_order_is_by_name_and_the_bytes_never_differ(host: Make) -> None:
    made = [make(name, toolset) for name, toolset in zip("hgfedcba", itertools.cycle(["one", "two"]), strict=False)]
    texts = set()
    for seed in range(5):
        random.Random(seed).shuffle(made)
        hermes = host(tools=made)
        texts |= {json.dumps(hermes.definitions()), json.dumps(hermes.definitions(enabled=["two", "one"]))}
        texts |= {json.dumps(hermes.definitions()), json.dumps(hermes.definitions(enabled=["one", "two"]))}
    assert len(texts) == 1
    assert names(json.loads(texts.pop())) == list("abcdefgh")


def test_threads_get_the_same_bytes(host: Make) -> None:
    hermes = host(tools=[make(f"t{number}", f"s{number % 40}") for number in range(80)])
    want = {number: json.dumps(hermes.definitions(enabled=[f"s{number}"])) for number in range(40)}
    failed: list[BaseException] = []

    def ask(seed: int) -> None:
        try:
            order = list(range(40)) * 3
            random.Random(seed).shuffle(order)
            for number in order:
                assert json.dumps(hermes.definitions(enabled=[f"s{number}"])) == want[number]
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=ask, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert failed == []


# The caller's own


@pytest.mark.parametrize("format", ["openai", "anthropic", "responses", "mcp"])
def test_the_list_and_its_entries_belong_to_the_caller(format: str, host: Make) -> None:
    hermes = host(tools=[make("a", effects=["read"]), make("b")])
    before = json.dumps(hermes.definitions(format=format))
    mine = hermes.definitions(format=format)
    mine.append({"type": "function"})
    for entry in mine[:2]:
        entry["extra"] = True
        if "function" in entry:
            entry["function"]["name"] = "mine"
            entry["function"]["strict"] = True
        else:
            entry["name"] = "mine"
            del entry["description"]
    mine.clear()
    assert json.dumps(hermes.definitions(format=format)) == before


def test_changing_a_definition_never_changes_the_tool(host: Make) -> None:
    made = make("a")
    hermes = host(tools=[made])
    hermes.definitions()[0]["function"]["parameters"] = {}
    assert made.parameters["required"] == ["q"]
    assert json.loads(hermes.call("a"))["code"] == "invalid_arguments"


# Formats


def test_each_provider_gets_its_format(host: Make) -> None:
    hermes = host(tools=[make("a", effects=["read"])])
    parameters = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}
    about: dict[str, Any] = {"name": "a", "description": "Does a."}
    assert hermes.definitions() == [{"type": "function", "function": {**about, "parameters": parameters}}]
    assert hermes.definitions(format="anthropic") == [{**about, "input_schema": parameters}]
    assert hermes.definitions(format="responses") == [
        {"type": "function", **about, "parameters": parameters, "strict": False}
    ]
    (mcp,) = hermes.definitions(format="mcp")
    assert mcp["inputSchema"] == parameters
    assert mcp["annotations"]["readOnlyHint"] is True


@pytest.mark.parametrize("format", ["OpenAI", "gemini", "", None])
def test_an_unknown_format_is_an_error_that_names_the_known_ones(format: Any, host: Make) -> None:
    with pytest.raises(ConfigError, match="openai"):
        host().definitions(format=format)


@pytest.mark.parametrize("length", [True, "long", float("nan")])
def test_a_context_that_is_no_number_is_an_error(length: Any, host: Make) -> None:
    with pytest.raises(ConfigError, match="context_length"):
        host().definitions(context_length=length)


# The schema of the moment


def description(hermes: Hermes, name: str, **options: Any) -> str:
    found = {entry["function"]["name"]: entry["function"]["description"] for entry in hermes.definitions(**options)}
    return str(found[name])


def test_a_tool_that_calls_others_names_only_those_that_are_offered_beside_it(host: Make) -> None:
    script = make("script", toolset="code", calls=["b", "a", "nowhere"])
    off = Switch(False)
    hermes = host(tools=[script, make("a"), make("b", toolset="files"), make("c"), make("d", check=off)])
    assert description(hermes, "script").endswith("Does script.\n\nTools that it can call here: a, b.")
    assert description(hermes, "script", enabled=["code", "files"]).endswith("call here: b.")
    assert description(hermes, "script", enabled=["code"]).endswith("It can call no other tool here.")
    assert description(hermes, "a") == "Does a."
    assert description(hermes, "script").endswith("call here: a, b.")  # what others were told is not kept for all


def test_a_tool_that_cannot_be_used_is_not_named_by_those_that_would_call_it(host: Make) -> None:
    switch = Switch(True)
    hermes = host(tools=[make("script", calls=["a"]), make("a", check=switch)])
    assert description(hermes, "script").endswith("call here: a.")
    switch.on = False
    hermes._visibility.availability.invalidate()
    assert description(hermes, "script").endswith("It can call no other tool here.")


def test_a_dynamic_schema_is_asked_at_each_pass(host: Make) -> None:
    moments = itertools.count(1)

    def now() -> dict[str, Any]:
        return {"description": f"Pass {next(moments)}.", "parameters": {"type": "object", "properties": {"n": {}}}}

    hermes = host(tools=[make("a", dynamic_schema=now), make("b")])
    for number in (1, 2):
        first, second = hermes.definitions()
        assert first["function"]["description"] == f"Pass {number}."
        assert list(first["function"]["parameters"]["properties"]) == ["n"]
        assert second["function"]["description"] == "Does b."


def test_a_dynamic_schema_may_change_one_part_and_never_the_name(host: Make) -> None:
    hermes = host(tools=[make("a", dynamic_schema=lambda: {"description": "New.", "name": "other"})])
    (entry,) = hermes.definitions()
    assert (entry["function"]["name"], entry["function"]["description"]) == ("a", "New.")
    assert entry["function"]["parameters"]["required"] == ["q"]


def raising() -> Any:
    raise RuntimeError("no schema today")


def leaving() -> Any:
    raise SystemExit(1)


async def later() -> Any:
    return {"description": "never"}


@pytest.mark.parametrize(
    "dynamic",
    [
        raising,
        leaving,
        later,
        lambda: None,
        list,
        lambda: "text",
        lambda: {"parameters": 5},
        lambda: {"parameters": None},
        lambda: {"description": 5},
        lambda: {"parameters": {"properties": {"q": {"enum": {1, 2}}}}},
        lambda: {"parameters": {"properties": {"q": {"default": float("nan")}}}},
    ],
)
def test_a_dynamic_schema_that_fails_or_is_junk_leaves_the_tool_as_declared(dynamic: Any, host: Make) -> None:
    hermes = host(tools=[make("a", dynamic_schema=dynamic), make("b")])
    assert json.dumps(hermes.definitions()) == json.dumps(host(tools=[make("a"), make("b")]).definitions())


# Plugins that adjust


class Adjuster:
    def __init__(self, change: Callable[[list[dict[str, Any]], frozenset[str]], Any]) -> None:
        self.change = change
        self.available: list[frozenset[str]] = []

    @hookimpl
    def hermes_adjust_definitions(self, definitions: list[dict[str, Any]], available: frozenset[str]) -> Any:
        self.available.append(available)
        return self.change(definitions, available)


def test_a_plugin_is_told_the_names_that_really_passed(host: Make) -> None:
    watcher = Adjuster(lambda definitions, available: None)
    hermes = host(tools=[make("a"), make("b", "two"), make("c", check=lambda: False)], plugins=[watcher])
    hermes.definitions()
    hermes.definitions(enabled=["two"])
    assert watcher.available == [frozenset({"a", "b"}), frozenset({"b"})]


def test_a_plugin_may_change_and_remove(host: Make) -> None:
    def change(definitions: list[dict[str, Any]], available: frozenset[str]) -> Any:
        changed = {**definitions[0], "description": "Changed."}
        return [changed, *(entry for entry in definitions[1:] if entry["name"] != "b")]

    hermes = host(tools=[make("a"), make("b"), make("c")], plugins=[Adjuster(change)])
    shown = hermes.definitions()
    assert names(shown) == ["a", "c"]
    assert shown[0]["function"]["description"] == "Changed."
    assert [entry["name"] for entry in hermes.definitions(format="anthropic")] == ["a", "c"]


def test_what_a_plugin_changes_in_place_is_refused(host: Make) -> None:
    def change(definitions: list[dict[str, Any]], available: frozenset[str]) -> Any:
        definitions[0]["description"] = "Changed."

    def shorten(definitions: list[dict[str, Any]], available: frozenset[str]) -> Any:
        definitions.clear()

    (entry,) = host(tools=[make("a")], plugins=[Adjuster(change), Adjuster(shorten)]).definitions()
    assert entry["function"]["description"] == "Does a."


def test_a_plugin_decides_the_order(host: Make) -> None:
    hermes = host(tools=[make("a"), make("b")], plugins=[Adjuster(lambda given, available: given[::-1])])
    assert names(hermes.definitions()) == ["b", "a"]


def test_the_same_tuple_means_the_same_definitions(host: Make) -> None:
    kept: list[tuple[Any, ...]] = []

    def shorten(definitions: list[dict[str, Any]], available: frozenset[str]) -> Any:
        if not kept:
            kept.append(({**definitions[0], "description": "Short."},))
        return kept[0]

    hermes = host(tools=[make("a"), make("b")], plugins=[Adjuster(shorten)])
    for format in ("openai", "anthropic", "openai"):
        (entry,) = hermes.definitions(format=format)
        assert entry.get("function", entry)["description"] == "Short."
        entry.get("function", entry)["description"] = "Mine."
    assert names(hermes.definitions()) == ["a"]


def test_a_plugin_is_told_who_asks_and_for_what(host: Make) -> None:
    seen: list[Any] = []

    class Watching:
        @hookimpl
        def hermes_adjust_definitions(self, context_length: Any, format: str, everything: bool, ctx: Any) -> None:
            seen.append((context_length, format, everything, sorted(ctx.allowed_tools()), ctx.session.kind))

    hermes = host(tools=[make("a"), make("b", "two")], plugins=[Watching()])
    hermes.definitions(context_length=1000, format="anthropic")
    with hermes.session(enabled=["two"], kind="cron") as session:
        session.definitions(everything=True)
    assert seen == [(1000, "anthropic", False, ["a", "b"], "interactive"), (None, "openai", True, ["b"], "cron")]


def test_a_plugin_cannot_add_rename_or_repeat(host: Make) -> None:
    def change(definitions: list[dict[str, Any]], available: frozenset[str]) -> Any:
        hidden = {"name": "hidden", "description": "", "parameters": {}}
        return [*definitions, hidden, {"name": "new"}, dict(definitions[0]), "junk", None, {}, {"name": ["a"]}]

    hermes = host(tools=[make("a"), make("hidden", check=lambda: False)], plugins=[Adjuster(change)])
    assert names(hermes.definitions()) == ["a"]


def test_what_a_raising_plugin_did_is_dropped(host: Make) -> None:
    def spoil(definitions: list[dict[str, Any]], available: frozenset[str]) -> Any:
        definitions[0]["description"] = "Spoiled."
        definitions.clear()
        raise RuntimeError("half way")

    def leave(definitions: list[dict[str, Any]], available: frozenset[str]) -> Any:
        raise SystemExit(2)

    def good(definitions: list[dict[str, Any]], available: frozenset[str]) -> Any:
        return [{**entry, "description": f"{entry['description']} Well."} for entry in definitions]

    hermes = host(tools=[make("a")], plugins=[Adjuster(spoil), Adjuster(good), Adjuster(leave)])
    (entry,) = hermes.definitions()
    assert entry["function"]["description"] == "Does a. Well."


@pytest.mark.parametrize("junk", [5, None, {"properties": {"q": {"enum": {1}}}}, {"default": float("inf")}])
def test_parameters_that_models_cannot_read_are_not_taken_from_a_plugin(junk: Any, host: Make) -> None:
    def change(definitions: list[dict[str, Any]], available: frozenset[str]) -> Any:
        return [{**definitions[0], "parameters": junk}, *definitions[1:]]

    hermes = host(tools=[make("a"), make("b")], plugins=[Adjuster(change)])
    assert json.dumps(hermes.definitions()) == json.dumps(host(tools=[make("a"), make("b")]).definitions())


def test_a_plugin_never_reaches_the_cache_or_the_tool(host: Make) -> None:
    kept: list[Any] = []

    def keep(definitions: list[dict[str, Any]], available: frozenset[str]) -> Any:
        kept.extend(definitions)
        with contextlib.suppress(TypeError):
            definitions[0]["parameters"]["properties"]["q"]["type"] = "integer"

    made = make("a")
    hermes = host(tools=[made], plugins=[Adjuster(keep)])
    first = json.dumps(hermes.definitions())
    with pytest.raises(TypeError, match="read-only"):
        kept[0]["parameters"]["properties"].clear()
    assert json.dumps(hermes.definitions()) == first
    assert made.parameters["properties"]["q"]["type"] == "string"


# The cache follows every change


def test_a_change_of_the_registry_is_seen_at_once(host: Make) -> None:
    hermes = host(tools=[make("a")])
    assert names(hermes.definitions()) == ["a"]
    hermes.registry.register(make("b"))
    assert names(hermes.definitions()) == ["a", "b"]
    hermes.registry.deregister("a")
    assert names(hermes.definitions()) == ["b"]
    hermes.registry.register(make("b", emoji="x", dynamic_schema=None))
    hermes.registry.register(Tool.from_schema({"name": "b", "description": "New."}, lambda args: "", toolset="web"))
    assert hermes.definitions()[0]["function"]["description"] == "New."


def test_a_replaced_toolset_is_seen_at_once(host: Make) -> None:
    hermes = host(tools=[make("a", "mcp-x"), make("z")])
    assert names(hermes.definitions(enabled=["mcp-x"])) == ["a"]
    hermes.registry.replace_toolset("mcp-x", [make("b", "mcp-x"), make("c", "mcp-x")])
    assert names(hermes.definitions(enabled=["mcp-x"])) == ["b", "c"]
    assert names(hermes.definitions()) == ["b", "c", "z"]


def test_a_change_of_availability_is_seen_when_the_check_is_asked_again(host: Make) -> None:
    switch = Switch(on=False)
    hermes = host(tools=[make("a", check=switch), make("b")])
    for on, expected in ((False, ["b"]), (True, ["a", "b"]), (False, ["b"])):
        switch.on = on
        hermes._visibility.availability.invalidate()
        assert names(hermes.definitions()) == expected
        assert names(hermes.definitions(enabled=["web"])) == expected


def test_a_custom_toolset_can_be_asked_for_at_once(host: Make) -> None:
    hermes = host(tools=[make("a"), make("b")])
    with pytest.raises(UnknownToolsetError):
        hermes.definitions(enabled=["mine"])
    hermes.toolsets.create_custom("mine", tools=["b"])
    assert names(hermes.definitions(enabled=["mine"])) == ["b"]
    hermes.toolsets.add(Toolset("mine", tools=["a"]), replace=True)
    assert names(hermes.definitions(enabled=["mine"])) == ["a"]
    hermes.toolsets.remove("mine")
    with pytest.raises(UnknownToolsetError):
        hermes.definitions(enabled=["mine"])


def test_a_toolset_alias_can_be_asked_for_at_once(host: Make) -> None:
    hermes = host(tools=[make("a", "mcp-x")])
    hermes.registry.register_toolset_alias("x", "mcp-x")
    assert names(hermes.definitions(enabled=["x"])) == ["a"]


def test_many_different_selections_stay_correct(host: Make) -> None:
    """More than are remembered, so that old ones are forgotten and made again."""
    hermes = host(tools=[make(f"t{number:03}", f"s{number}") for number in range(100)])
    for _ in range(2):
        for number in range(100):
            assert names(hermes.definitions(enabled=[f"s{number}"])) == [f"t{number:03}"]


def test_typed_tools_are_shown_without_generated_titles(host: Make) -> None:
    @tool
    def search(query: str, limit: int | None = None) -> str:
        """Search the web."""
        return query

    (entry,) = host(tools=[search]).definitions()
    assert "title" not in json.dumps(entry)
    assert entry["function"]["parameters"]["properties"]["limit"]["type"] == ["integer", "null"]
