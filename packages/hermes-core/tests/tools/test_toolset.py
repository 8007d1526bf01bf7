"""A list of toolset names becomes exactly the tools it stands for, or an error that helps."""

from __future__ import annotations

import pickle
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from hermes_core.errors import ToolDefinitionError, UnknownToolsetError
from hermes_core.tools.builtin_toolsets import PRESETS
from hermes_core.tools.toolset import LiveTools, Toolset, ToolsetCatalog


@dataclass(frozen=True)
class Live:
    by_toolset: Mapping[str, frozenset[str]] = field(default_factory=dict)
    toolset_aliases: Mapping[str, str] = field(default_factory=dict)

    @property
    def all_names(self) -> frozenset[str]:
        return frozenset[str]().union(*self.by_toolset.values())


NOTHING = Live()


def live(aliases: Mapping[str, str] | None = None, **by_toolset: set[str]) -> Live:
    return Live({name.replace("_", "-"): frozenset(tools) for name, tools in by_toolset.items()}, aliases or {})


def catalog(*toolsets: Toolset) -> ToolsetCatalog:
    return ToolsetCatalog(toolsets)


# Declaring


def test_any_iterable_of_names_becomes_a_tuple_without_repeats() -> None:
    toolset = Toolset("research", tools=["b", "a", "b"], includes=(name for name in ("web",)), aliases={"r"})
    assert (toolset.tools, toolset.includes, toolset.aliases) == (("b", "a"), ("web",), ("r",))


def test_a_toolset_is_a_value() -> None:
    toolset = Toolset("research", tools=["a"])
    assert toolset == Toolset("research", tools=("a",))
    assert hash(toolset) == hash(Toolset("research", tools=("a",)))
    assert not hasattr(toolset, "__dict__")
    assert pickle.loads(pickle.dumps(toolset)) == toolset
    assert repr(toolset) == "Toolset(name='research', description='', tools=('a',), includes=(), aliases=())"
    with pytest.raises(AttributeError, match="cannot assign"):
        toolset.name = "other"  # type: ignore[misc]  # what is tested


@pytest.mark.parametrize("field", ["tools", "includes", "aliases"])
def test_a_bare_string_instead_of_a_list_names_the_toolset_and_the_remedy(field: str) -> None:
    with pytest.raises(ToolDefinitionError) as caught:
        Toolset("research", **{field: "web_search"})
    assert caught.value.tool == "research"
    assert f"{field} is 'web_search'" in caught.value.reason
    assert f'{field}=["web_search"]' in str(caught.value)


@pytest.mark.parametrize("value", [None, 3, b"ab", {"web_search": True}, [""], ["  "], [None], [["a"]]])
def test_what_is_no_list_of_names_is_refused(value: object) -> None:
    with pytest.raises(ToolDefinitionError, match="research"):
        Toolset("research", tools=value)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["", " ", None, 7])
def test_a_toolset_without_a_name_is_refused(name: object) -> None:
    with pytest.raises(ToolDefinitionError, match="needs a name"):
        Toolset(name)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["all", "*"])
def test_the_names_of_everything_are_reserved(name: str) -> None:
    with pytest.raises(ToolDefinitionError, match="reserved"):
        Toolset(name)
    with pytest.raises(ToolDefinitionError, match="reserved"):
        Toolset("mine", aliases=[name])


# The catalog


def test_the_presets_are_there_unless_others_are_given() -> None:
    assert ToolsetCatalog().names() == sorted(preset.name for preset in PRESETS)
    assert ToolsetCatalog(()).names() == []


def test_a_name_is_taken_once_and_replaced_only_on_purpose() -> None:
    toolsets = catalog(Toolset("web", tools=["a"], aliases=["net"]))
    with pytest.raises(ToolDefinitionError, match="replace=True"):
        toolsets.add(Toolset("web", tools=["b"]))
    toolsets.add(Toolset("web", tools=["b"]), replace=True)
    assert toolsets.resolve(["web"], NOTHING) == {"b"}
    assert "net" not in toolsets


def test_a_word_belongs_to_one_toolset_only() -> None:
    toolsets = catalog(Toolset("web", aliases=["net"]))
    for intruder in (Toolset("net"), Toolset("other", aliases=["net"]), Toolset("other", aliases=["web"])):
        with pytest.raises(ToolDefinitionError, match="already belongs to toolset 'web'"):
            toolsets.add(intruder, replace=True)
    assert toolsets.names() == ["web"]


def test_adding_several_toolsets_is_all_or_nothing() -> None:
    toolsets = catalog(Toolset("web"))
    before = toolsets.generation
    with pytest.raises(ToolDefinitionError):
        toolsets.add(Toolset("new"), Toolset("web"))
    assert toolsets.names() == ["web"]
    assert toolsets.generation == before


def test_every_change_raises_the_generation() -> None:
    toolsets = catalog()
    seen = [toolsets.generation]
    toolsets.add(Toolset("a"))
    seen.append(toolsets.generation)
    toolsets.create_custom("b")
    seen.append(toolsets.generation)
    toolsets.remove("a")
    seen.append(toolsets.generation)
    assert seen == sorted(set(seen))


def test_a_custom_toolset_behaves_like_any_other() -> None:
    toolsets = ToolsetCatalog()
    made = toolsets.create_custom("flow", "My work", tools=["my_tool"], includes=["file"])
    assert toolsets.get("flow") is made
    assert toolsets.resolve(["flow"], NOTHING) == {"my_tool", "read_file", "write_file", "patch", "search_files"}
    with pytest.raises(ToolDefinitionError):
        toolsets.create_custom("flow")


def test_a_removed_toolset_is_gone_with_its_aliases() -> None:
    toolsets = catalog(Toolset("web", aliases=["net"]), Toolset("file"))
    assert "net" in toolsets
    toolsets.remove("web")
    assert "web" not in toolsets
    assert "net" not in toolsets
    with pytest.raises(UnknownToolsetError, match="'file'"):
        toolsets.remove("fil")


def test_contains_takes_anything() -> None:
    assert 3 not in catalog()
    assert ["web"] not in catalog()


# Resolving


def test_declared_and_registered_tools_of_a_toolset_are_merged() -> None:
    toolsets = catalog(Toolset("web", tools=["web_search", "not_installed"]))
    assert toolsets.resolve(["web"], live(web={"web_search", "plugin_search"})) == {
        "web_search",
        "not_installed",
        "plugin_search",
    }


def test_a_toolset_that_only_a_plugin_registers_is_known() -> None:
    tools = live(weather={"forecast"})
    toolsets = ToolsetCatalog()
    assert toolsets.resolve(["weather"], tools) == {"forecast"}
    assert toolsets.is_known("weather", tools)
    assert "weather" in toolsets.known_names(tools)
    assert not toolsets.is_known("weather", NOTHING)


def test_an_mcp_server_answers_to_its_alias() -> None:
    tools = live({"github": "mcp-github", "idle": "mcp-idle"}, mcp_github={"mcp_github_issues"})
    assert catalog().resolve(["github"], tools) == {"mcp_github_issues"}
    assert catalog().resolve(["idle"], tools) == frozenset()
    assert catalog(Toolset("github", tools=["own"])).resolve(["github"], tools) == {"own"}


def test_an_alias_is_the_same_toolset_including_what_is_registered_under_it() -> None:
    toolsets = catalog(Toolset("web", tools=["a"], aliases=["net"]))
    tools = live(web={"b"}, net={"c"})
    assert toolsets.resolve(["net"], tools) == toolsets.resolve(["web"], tools) == {"a", "b", "c"}
    assert toolsets.known_names(tools) == ["web"]


def test_one_name_may_be_given_as_a_string() -> None:
    assert catalog(Toolset("web", tools=["a"])).resolve("web", NOTHING) == {"a"}


def test_no_names_means_no_tools() -> None:
    assert ToolsetCatalog().resolve([], live(web={"web_search"})) == frozenset()


@pytest.mark.parametrize("everything", ["all", "*"])
def test_all_is_every_registered_tool_and_nothing_else(everything: str) -> None:
    tools = live(web={"web_search"}, plugin={"dice"})
    toolsets = ToolsetCatalog()
    assert toolsets.resolve([everything], tools) == {"web_search", "dice"}
    assert toolsets.is_known(everything, NOTHING)
    toolsets.add(Toolset("mine", includes=[everything]))
    assert toolsets.resolve(["mine"], tools) == {"web_search", "dice"}


def test_a_registered_tool_may_stand_where_a_toolset_is_expected() -> None:
    tools = live(web={"web_search", "web_extract"})
    toolsets = ToolsetCatalog()
    assert toolsets.resolve(["web_search"], tools) == {"web_search"}
    assert toolsets.is_known("web_search", tools)
    with pytest.raises(UnknownToolsetError):
        toolsets.resolve(["web_search"], NOTHING)


def test_a_toolset_wins_over_a_tool_of_the_same_name() -> None:
    assert ToolsetCatalog().resolve(["terminal"], live(terminal={"terminal"})) == {"terminal", "process"}


def test_an_unknown_name_is_an_error_with_the_nearest_names() -> None:
    with pytest.raises(UnknownToolsetError) as caught:
        ToolsetCatalog().resolve(["web", "Browsr"], NOTHING)
    assert caught.value.name == "Browsr"
    assert caught.value.near[0] == "browser"
    assert len(caught.value.near) <= 3
    assert caught.value.included_by is None


def test_near_names_come_from_aliases_and_live_toolsets_too() -> None:
    toolsets = catalog(Toolset("x", aliases=["internet"]))
    tools = live({"github": "mcp-github"}, weather={"forecast"})
    for typo, meant in {"internt": "internet", "githb": "github", "wether": "weather"}.items():
        with pytest.raises(UnknownToolsetError) as caught:
            toolsets.resolve([typo], tools)
        assert meant in caught.value.near


def test_an_unknown_include_says_who_wanted_it() -> None:
    toolsets = catalog(Toolset("mine", includes=["inner"]), Toolset("inner", includes=["gone"]))
    with pytest.raises(UnknownToolsetError) as caught:
        toolsets.resolve(["mine"], NOTHING)
    assert (caught.value.name, caught.value.included_by) == ("gone", "inner")


def test_cycles_and_diamonds_resolve_once() -> None:
    toolsets = catalog(
        Toolset("top", tools=["t"], includes=["left", "right", "top"]),
        Toolset("left", tools=["l"], includes=["bottom"]),
        Toolset("right", tools=["r"], includes=["bottom"]),
        Toolset("bottom", tools=["b"], includes=["top"]),
    )
    assert toolsets.resolve(["top"], NOTHING) == toolsets.resolve(["bottom"], NOTHING) == {"t", "l", "r", "b"}


def test_a_chain_longer_than_the_stack_resolves() -> None:
    length = max(10_000, sys.getrecursionlimit() * 3)
    toolsets = ToolsetCatalog(
        Toolset(f"t{index}", tools=[f"tool{index}"], includes=[f"t{index + 1}"] if index + 1 < length else [])
        for index in range(length)
    )
    assert len(toolsets.resolve(["t0"], NOTHING)) == length


def test_stacked_diamonds_do_not_multiply() -> None:
    toolsets = ToolsetCatalog(
        Toolset(f"t{index}", tools=[f"tool{index}"], includes=[f"t{index + 1}", f"t{index + 2}"][: 199 - index])
        for index in range(200)
    )
    assert len(toolsets.resolve(["t0"], NOTHING)) == 200


# Describing


def test_info_shows_a_toolset_with_its_includes_followed() -> None:
    toolsets = catalog(
        Toolset("top", description="Top", tools=["z", "a"], includes=["low"], aliases=["t"]),
        Toolset("low", tools=["l"]),
    )
    info = toolsets.info("t", live({"server": "top"}, top={"live"}))
    assert info.name == "top"
    assert info.description == "Top"
    assert info.direct_tools == ("z", "a", "live")
    assert info.includes == ("low",)
    assert info.resolved_tools == ("a", "l", "live", "z")
    assert info.tool_count == 4
    assert info.is_composite
    assert info.aliases == ("t", "server")


def test_info_knows_everything_that_resolves() -> None:
    tools = live({"github": "mcp-github"}, mcp_github={"b", "a"})
    toolsets = ToolsetCatalog()
    assert toolsets.info("*", tools).resolved_tools == ("a", "b")
    assert toolsets.info("github", tools).name == "mcp-github"
    assert toolsets.info("mcp-github", tools).aliases == ("github",)
    assert toolsets.info("file", tools).tool_count == 4
    assert toolsets.info("a", tools).direct_tools == ("a",)
    assert not toolsets.info("a", tools).is_composite
    with pytest.raises(UnknownToolsetError):
        toolsets.info("nothing", tools)


# Threads


def test_readers_always_see_a_whole_state_while_writers_write() -> None:
    toolsets = catalog(Toolset("pair", tools=["a0", "b0"]))
    torn: list[frozenset[str]] = []
    stop = threading.Event()

    def read() -> None:
        while not stop.is_set():
            tools = toolsets.resolve(["pair"], NOTHING)
            if len({tool[1:] for tool in tools}) != 1:
                torn.append(tools)

    def write(worker: int) -> None:
        for step in range(200):
            toolsets.add(Toolset("pair", tools=[f"a{step}", f"b{step}"]), replace=True)
            toolsets.create_custom(f"w{worker}-{step}")

    readers = [threading.Thread(target=read) for _ in range(2)]
    writers = [threading.Thread(target=write, args=(worker,)) for worker in range(4)]
    before = toolsets.generation
    for thread in (*readers, *writers):
        thread.start()
    for thread in writers:
        thread.join(timeout=60)
    stop.set()
    for thread in readers:
        thread.join(timeout=60)
    assert torn == []
    assert toolsets.generation == before + 4 * 200 * 2
    assert len(toolsets.names()) == 1 + 4 * 200


def test_the_protocol_is_what_a_registry_snapshot_offers() -> None:
    snapshot: LiveTools = NOTHING
    assert snapshot.all_names == frozenset()
