"""The registry: one owner for each name, changes in single steps, and no way to a handler but the pipeline."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from hermes_core import Hermes, Tool, ToolDefinitionError
from hermes_core.errors import ToolConflictError
from hermes_core.tools.registry import Registry, Snapshot


def handler(args: dict[str, Any], **info: Any) -> str:
    return "{}"


def make(name: str, toolset: str = "web", **fields: Any) -> Tool:
    return Tool.from_schema({"name": name}, handler, toolset=toolset, **fields)


def registry(*tools: Tool) -> Registry:
    made = Registry()
    made.register_all(tools)
    return made


# Looking


def emoji_of(tools: Registry, name: str) -> str | None:
    spec = tools.get(name)
    return spec.emoji if spec else None


def test_a_registered_tool_is_found_by_name_and_alias() -> None:
    tools = registry(make("search", aliases=["find"]))
    for name in ("search", "find"):
        spec = tools.get(name)
        assert spec is not None
        assert spec.name == "search"
        assert name in tools
        assert tools.toolset_of(name) == "web"
    assert tools.snapshot.canonical("find") == "search"


def test_an_unknown_name_is_nothing() -> None:
    tools = registry()
    assert tools.get("search") is None
    assert tools.toolset_of("search") is None
    assert tools.snapshot.canonical("search") is None
    assert "search" not in tools
    assert 5 not in tools
    assert tools.tools_in("web") == ()
    assert tools.deregister("search") is False


def test_listings_are_sorted() -> None:
    tools = registry(make("b"), make("c", "file"), make("a"))
    assert tools.names() == ("a", "b", "c")
    assert tools.toolsets() == ("file", "web")
    assert tools.tools_in("web") == ("a", "b")
    assert len(tools) == 3


def test_a_spec_is_made_once_and_follows_a_replacement() -> None:
    tools = registry(make("a"))
    spec = tools.get("a")
    assert tools.get("a") is spec
    tools.register(make("a", emoji="x"))
    assert emoji_of(tools, "a") == "x"


def test_a_replacement_that_shares_its_schema_is_not_mistaken_for_the_old_tool() -> None:
    """A reader that saw the old tool may write its note after the new one was registered."""
    old = make("a", emoji="old")
    tools = registry(old)
    real = Tool.spec.fget  # type: ignore[attr-defined]
    paused, go_on = threading.Event(), threading.Event()

    class SlowTool(Tool):
        @property
        def spec(self) -> Any:
            made = real(self)
            paused.set()
            assert go_on.wait(10)
            return made

    slow = SlowTool(**{field.name: getattr(old, field.name) for field in dataclasses.fields(Tool)})
    tools.register(slow)
    reader = threading.Thread(target=tools.get, args=("a",))
    reader.start()
    assert paused.wait(10)
    tools.register(dataclasses.replace(old, emoji="new"))
    go_on.set()
    reader.join(10)
    assert emoji_of(tools, "a") == "new"


# Registering


def test_a_tool_of_the_same_toolset_replaces() -> None:
    tools = registry(make("a", emoji="1"))
    tools.register(make("a", emoji="2"))
    assert emoji_of(tools, "a") == "2"
    assert tools.names() == ("a",)


def test_a_replacement_takes_the_old_aliases_away() -> None:
    tools = registry(make("a", aliases=["x"]))
    tools.register(make("a", aliases=["y"]))
    assert "x" not in tools
    assert "y" in tools


def test_a_tool_of_another_toolset_is_refused() -> None:
    tools = registry(make("a", "web"))
    before = tools.generation
    with pytest.raises(ToolConflictError, match="'web'") as caught:
        tools.register(make("a", "file"))
    assert (caught.value.name, caught.value.toolset, caught.value.holder) == ("a", "file", "web")
    assert "override=True" in str(caught.value)
    assert tools.toolset_of("a") == "web"
    assert tools.generation == before


def test_override_takes_the_name_over() -> None:
    tools = registry(make("a", "web"), make("b", "web"))
    tools.register(make("a", "file"), override=True)
    assert tools.toolset_of("a") == "file"
    assert tools.tools_in("web") == ("b",)


def test_one_mcp_server_may_overwrite_another() -> None:
    tools = registry(make("a", "mcp-one"))
    tools.register(make("a", "mcp-two"))
    assert tools.toolset_of("a") == "mcp-two"
    assert tools.toolsets() == ("mcp-two",)


@pytest.mark.parametrize(("held", "wanted"), [("mcp-one", "web"), ("web", "mcp-one"), ("web", "mcpx")])
def test_an_mcp_server_and_a_family_may_not_overwrite_each_other(held: str, wanted: str) -> None:
    tools = registry(make("a", held))
    with pytest.raises(ToolConflictError):
        tools.register(make("a", wanted))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (make("a", "web", aliases=["x"]), make("x", "file")),
        (make("x", "web"), make("a", "file", aliases=["x"])),
        (make("a", "web", aliases=["x"]), make("b", "file", aliases=["x"])),
    ],
    ids=["name takes alias", "alias takes name", "alias takes alias"],
)
def test_an_alias_is_defended_like_a_name(first: Tool, second: Tool) -> None:
    tools = registry(first)
    with pytest.raises(ToolConflictError) as caught:
        tools.register(second)
    assert caught.value.name == "x"
    assert tools.names() == (first.name,)
    assert tools.snapshot.canonical("x") == first.name


def test_within_a_toolset_a_name_wins_over_an_alias_whatever_the_order() -> None:
    named, aliased = make("x"), make("a", aliases=["x"])
    for order in ((named, aliased), (aliased, named)):
        assert registry(*order).snapshot.canonical("x") == "x"


def test_what_is_no_tool_is_refused() -> None:
    for thing in (handler, None, "a", {"name": "a"}):
        with pytest.raises(ToolDefinitionError, match="not a Tool"):
            Registry().register(thing)  # type: ignore[arg-type]
        with pytest.raises(ToolDefinitionError, match="not a Tool"):
            Registry().replace_toolset("web", [thing])  # type: ignore[list-item]


# Removing


def test_deregistering_takes_a_tool_and_its_aliases_away() -> None:
    tools = registry(make("a", aliases=["x"]), make("b"))
    assert tools.deregister("a") is True
    assert tools.names() == ("b",)
    assert "x" not in tools
    assert tools.deregister("a") is False


def test_the_last_tool_takes_the_check_and_the_aliases_of_its_toolset_along() -> None:
    tools = registry(make("a", check=lambda: True), make("b"))
    tools.register_toolset_alias("internet", "web")
    tools.register_toolset_alias("files", "file")
    tools.deregister("a")
    assert "web" in tools.snapshot.toolset_checks
    assert tools.tools_in("internet") == ("b",)
    tools.deregister("b")
    assert "web" not in tools.snapshot.toolset_checks
    assert dict(tools.snapshot.toolset_aliases) == {"files": "file"}


def test_a_tool_that_was_overridden_takes_its_empty_toolset_along() -> None:
    tools = registry(make("a", "web", check=lambda: True))
    tools.register_toolset_alias("internet", "web")
    tools.register(make("a", "file"), override=True)
    assert "web" not in tools.snapshot.toolset_checks
    assert "internet" not in tools.snapshot.toolset_aliases


def test_the_first_check_of_a_toolset_counts_until_its_tool_is_replaced() -> None:
    def first() -> bool:
        return True

    def second() -> bool:
        return True

    tools = registry(make("a", check=first), make("b", check=second))
    assert tools.snapshot.toolset_checks["web"] is first
    tools.register(make("a", check=second))
    assert tools.snapshot.toolset_checks["web"] is second
    tools.replace_toolset("web", [make("c", check=first)])
    assert tools.snapshot.toolset_checks["web"] is first


def test_a_check_that_was_set_for_a_toolset_outlives_replacements() -> None:
    def whole() -> bool:
        return True

    tools = registry(make("a", check=lambda: True))
    tools.register_toolset_check("web", whole)
    tools.register(make("a", check=lambda: False))
    tools.replace_toolset("web", [make("b", check=lambda: False)])
    assert tools.snapshot.toolset_checks["web"] is whole


@pytest.mark.parametrize("alias", ["", "all", "*", None, 5, []])
def test_an_alias_of_a_toolset_must_be_a_name(alias: Any) -> None:
    with pytest.raises(ToolDefinitionError, match="alias"):
        Registry().register_toolset_alias(alias, "web")


def test_a_later_alias_of_a_toolset_wins() -> None:
    tools = registry(make("a", "web"), make("b", "file"))
    tools.register_toolset_alias("x", "web")
    tools.register_toolset_alias("x", "file")
    assert tools.tools_in("x") == ("b",)


# Several at once


def test_registering_several_tools_is_all_or_nothing() -> None:
    tools = registry(make("taken", "file"), make("old", aliases=["o"], check=lambda: True))
    before = tools.snapshot
    with pytest.raises(ToolConflictError):
        tools.register_all([make("a", aliases=["x"]), make("old"), make("taken", "web")])
    assert tools.snapshot is before
    assert tools.names() == ("old", "taken")
    assert "x" not in tools
    assert tools.snapshot.canonical("o") == "old"
    tools.register(make("b"))
    assert tools.names() == ("b", "old", "taken")
    assert tools.deregister("old")
    assert tools.tools_in("web") == ("b",)


def test_a_generator_that_reads_the_registry_or_raises_leaves_nothing_behind() -> None:
    tools = registry(make("a"))

    def arriving() -> Iterator[Tool]:
        yield make("b")
        assert "b" not in tools
        raise OSError("gone")

    for step in (tools.register_all, lambda found: tools.replace_toolset("web", found)):
        with pytest.raises(OSError, match="gone"):
            step(arriving())
        assert tools.names() == ("a",)
        assert len(tools) == 1


def test_replacing_a_toolset_swaps_all_its_tools() -> None:
    tools = registry(make("a", "mcp-x"), make("b", "mcp-x", aliases=["bee"]), make("c", "web"))
    tools.register_toolset_alias("x", "mcp-x")
    tools.replace_toolset("mcp-x", [make("b", "mcp-x"), make("d", "mcp-x")])
    assert tools.tools_in("x") == ("b", "d")
    assert tools.names() == ("b", "c", "d")
    assert "bee" not in tools
    tools.replace_toolset("mcp-x", [])
    assert tools.names() == ("c",)
    assert "x" not in tools.snapshot.toolset_aliases


def test_a_replacement_that_cannot_stand_changes_nothing() -> None:
    tools = registry(make("a", "mcp-x"), make("c", "web"))
    before = tools.snapshot
    with pytest.raises(ToolConflictError):
        tools.replace_toolset("mcp-x", [make("d", "mcp-x"), make("c", "mcp-x")])
    with pytest.raises(ToolDefinitionError, match="being replaced"):
        tools.replace_toolset("mcp-x", [make("d", "other")])
    assert tools.snapshot is before


def test_a_replacement_may_take_over_names_and_aliases_of_what_leaves() -> None:
    tools = registry(make("a", "mcp-x", aliases=["b"]))
    tools.replace_toolset("mcp-x", [make("b", "mcp-x", aliases=["a"])])
    assert tools.snapshot.canonical("a") == "b"


# Snapshots


def test_every_change_makes_the_generation_grow() -> None:
    tools = Registry()
    seen = [tools.generation]
    for change in (
        lambda: tools.register(make("a")),
        lambda: tools.register(make("a")),
        lambda: tools.register_all([make("b")]),
        lambda: tools.register_toolset_alias("x", "web"),
        lambda: tools.register_toolset_check("web", lambda: True),
        lambda: tools.replace_toolset("web", [make("c")]),
        lambda: tools.deregister("c"),
    ):
        change()
        seen.append(tools.generation)
        assert tools.snapshot.generation == tools.generation
    assert seen == sorted(set(seen))
    tools.deregister("c")
    assert tools.generation == seen[-1]


def test_a_snapshot_is_the_same_until_something_changes_and_never_changes_itself() -> None:
    tools = registry(make("a", aliases=["x"]))
    before = tools.snapshot
    assert tools.snapshot is before
    tools.register(make("b"))
    tools.deregister("a")
    tools.register_toolset_alias("internet", "web")
    assert before.names == ("a",)
    assert before.all_names == {"a"}
    assert before.by_toolset == {"web": {"a"}}
    assert dict(before.aliases) == {"x": "a"}
    assert dict(before.toolset_aliases) == {}
    assert tools.snapshot.names == ("b",)


def test_a_snapshot_cannot_be_changed() -> None:
    snapshot = registry(make("a", check=lambda: True)).snapshot
    with pytest.raises(AttributeError, match="cannot be changed"):
        snapshot.generation = 5
    for mapping in (snapshot.aliases, snapshot.toolset_aliases, snapshot.toolset_checks, snapshot.by_toolset):
        with pytest.raises(TypeError):
            mapping["x"] = "y"  # type: ignore[index]


# No way to the handler


def reachable(start: object, depth: int = 8) -> Iterator[tuple[str, object]]:
    """Everything that public attributes, items and calls without arguments lead to, with the way there."""
    seen: set[int] = set()
    waiting: list[tuple[str, object, int]] = [(type(start).__name__, start, depth)]
    keep: list[object] = []  # so that no id is used twice
    while waiting:
        path, value, left = waiting.pop()
        if id(value) in seen or left == 0 or isinstance(value, str | int | float | bool | type | None):
            continue
        seen.add(id(value))
        keep.append(value)
        yield path, value
        if isinstance(value, Mapping):
            waiting += [(f"{path}[{key!r}]", item, left - 1) for key, item in value.items()]
        elif isinstance(value, list | tuple | set | frozenset):
            waiting += [(f"{path}[...]", item, left - 1) for item in value]
        for name in dir(value):
            if name.startswith("_"):
                continue
            try:
                found = getattr(value, name)
            except Exception:  # an attribute that only exists at other times leads nowhere
                continue
            waiting.append((f"{path}.{name}", found, left - 1))


def test_no_public_way_leads_from_the_registry_to_a_handler() -> None:
    def secret(args: dict[str, Any], **info: Any) -> str:
        return "reached"

    def assess(args: Any, ctx: Any) -> None: ...

    tool = Tool.from_schema({"name": "a"}, secret, toolset="web", aliases=["b"], check=lambda: True, assess=assess)
    tools = registry(tool)
    starts: list[object] = [tools, tools.snapshot, tools.get("a"), tools.get("b"), tools.names(), tools.toolsets()]
    with Hermes(tools=[tool]) as hermes:
        starts += [hermes.registry, hermes.tools(), hermes.definitions(), hermes.why("a"), hermes.toolsets]
        for start in starts:
            for path, value in reachable(start):
                assert value is not secret, path
                assert value is not assess, path
                assert not isinstance(value, Tool), path
                assert getattr(value, "__self__", None) is not tool, path


def test_the_search_for_handlers_would_find_one() -> None:
    assert any(value is handler for _, value in reachable(make("a")))
    assert any(value is handler for _, value in reachable({"x": [make("a")]}))


# Under threads


def together(*jobs: Callable[[], None]) -> None:
    """Run all jobs at the same time, and raise what any of them raised."""
    start, failed = threading.Barrier(len(jobs)), list[BaseException]()

    def run(job: Callable[[], None]) -> None:
        try:
            start.wait(30)
            job()
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=run, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    if failed:
        raise failed[0]


def coherent(snapshot: Snapshot) -> None:
    names = set(snapshot.names)
    assert snapshot.all_names == names
    assert list(snapshot.names) == sorted(names)
    assert set(snapshot.aliases.values()) <= names
    assert names.isdisjoint(snapshot.aliases)
    grouped = [name for group in snapshot.by_toolset.values() for name in group]
    assert sorted(grouped) == sorted(names)
    assert set(snapshot.gated) <= names
    for name in names:
        assert name in snapshot.by_toolset[snapshot._tools[name].toolset]
    if "churn" in snapshot.toolset_checks:
        assert snapshot.by_toolset.get("churn")


def test_readers_see_coherent_snapshots_while_writers_race() -> None:
    tools = registry(make("steady", aliases=["s"]))
    done = threading.Event()

    def churn() -> None:
        for number in range(300):
            tools.register(make(f"t{number % 7}", "churn", aliases=[f"a{number % 5}"], check=lambda: True))
            tools.deregister(f"t{(number + 3) % 7}")

    def swap() -> None:
        for number in range(300):
            tools.replace_toolset(
                "mcp-x", [make(f"m{number % 3}-{part}", "mcp-x", aliases=[f"n{part}"]) for part in range(3)]
            )

    def several() -> None:
        for number in range(300):
            try:
                tools.register_all(
                    [make("x1", "pair"), make("x2", "pair"), make("steady", "pair" if number % 2 else "web")]
                )
            except ToolConflictError:
                tools.deregister("x1")
                tools.deregister("x2")

    def write(job: Callable[[], None]) -> Callable[[], None]:
        def run() -> None:
            try:
                job()
            finally:
                finished.release()

        return run

    finished = threading.Semaphore(0)

    def wait() -> None:
        for _ in range(3):
            assert finished.acquire(timeout=60)
        done.set()

    def read() -> None:
        last = -1
        while not done.is_set():
            snapshot = tools.snapshot
            assert snapshot.generation >= last
            last = snapshot.generation
            coherent(snapshot)
            for name in snapshot.names[:3]:
                spec = tools.get(name)
                assert spec is None or spec.name == name
            assert tools.get("s") is None or tools.get("steady") is not None

    together(write(churn), write(swap), write(several), wait, read, read)
    coherent(tools.snapshot)


def test_readers_never_see_a_mixture_of_two_versions_of_a_toolset() -> None:
    versions = [frozenset(f"v{version}-{part}" for part in range(20)) for version in range(4)]
    made = [[make(name, "mcp-x") for name in sorted(version)] for version in versions]
    tools = registry(*made[0], make("other"))
    done = threading.Event()

    def swap() -> None:
        try:
            for number in range(200):
                tools.replace_toolset("mcp-x", made[number % 4])
        finally:
            done.set()

    def read() -> None:
        while not done.is_set():
            snapshot = tools.snapshot
            assert snapshot.by_toolset["mcp-x"] in versions
            assert len(tools) == 21
            assert frozenset(tools.tools_in("mcp-x")) in versions

    together(swap, read, read)
