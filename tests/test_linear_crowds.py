"""Many of everything at once still costs no more than each by itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bench.work import FACTOR, Job, Make, assert_linear, make_tool, make_tools

from hermes_core import Hermes, Tool, Toolset, hookimpl
from hermes_core.calls.spill import Spill
from hermes_core.tools.registry import Registry
from hermes_core.tools.toolset import ToolsetCatalog
from hermes_files.access_order import Footprint, waits
from hermes_schemas.checker import compile_checker
from hermes_schemas.repair import Repairer


class Seen(str):
    """Text whose comparisons are counted, also those that a loop in C makes."""

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        return str.__eq__(self, other) is True


def repairing_misspelt_names(n: int) -> Job:
    properties = {Seen(f"name_{at}"): {"type": "integer"} for at in range(n)}
    repairer, args = Repairer({"type": "object", "properties": properties}), {f"Name-{at}": at for at in range(n)}
    return lambda: repairer.repair(args)


def problems_by_missing_names(n: int) -> Job:
    names = [f"name_{at}" for at in range(n)]
    checker = compile_checker(
        {"type": "object", "properties": {n: {"type": "integer"} for n in names}, "required": names}
    )
    return lambda: checker.find_problems({})


def naming_a_whole_chain(n: int) -> Job:
    names = [f"set_{at}" for at in range(n)]
    last = Toolset(f"set_{n}", tools=["tool"])
    toolsets = [*(Toolset(f"set_{at}", includes=[f"set_{at + 1}"]) for at in range(n)), last]
    hermes = Hermes(toolsets=toolsets)
    return lambda: hermes.definitions(names)


def deregistering_toolsets_with_aliases(n: int) -> Job:
    registry = Registry()
    registry.register_all(make_tool(f"tool_{number}", toolset=f"set_{number}") for number in range(n))
    for number in range(n):
        registry.register_toolset_alias(f"alias_{number}", f"set_{number}")
    return lambda: [registry.deregister(f"tool_{number}") for number in range(n)]


def adding_plugins(n: int) -> Job:
    class Watcher:
        @hookimpl
        def hermes_pre_tool_call(self, call: object) -> None: ...

    plugins = [Watcher() for _ in range(n)]
    return lambda: Hermes(plugins=plugins)


def removing_toolsets(n: int) -> Job:
    catalog = ToolsetCatalog([Toolset(f"set_{at}", aliases=[f"alias_{at}"]) for at in range(n)])

    def remove_all() -> None:
        for at in range(n):
            catalog.remove(f"set_{at}")

    return remove_all


def aliases_of_toolsets_listed(n: int) -> Job:
    registry = Registry()
    registry.register_all(make_tool(f"tool_{number}", toolset=f"set_{number}") for number in range(n))
    for number in range(n):
        registry.register_toolset_alias(f"alias_{number}", f"set_{number}")
    catalog, live = ToolsetCatalog(()), registry.snapshot
    return lambda: [catalog.info(name, live) for name in catalog.known_names(live)]


@pytest.mark.parametrize(
    "make",
    [
        repairing_misspelt_names,
        problems_by_missing_names,
        naming_a_whole_chain,
        deregistering_toolsets_with_aliases,
        adding_plugins,
        removing_toolsets,
        aliases_of_toolsets_listed,
    ],
)
def test_twice_the_crowd_costs_twice_the_work(make: Make) -> None:
    assert_linear(make)


def reads(*paths: str) -> Footprint:
    return Footprint(paths=tuple(tuple(path.split("/")) for path in paths))


def writes(*paths: str) -> Footprint:
    return Footprint(changes=True, paths=tuple(tuple(path.split("/")) for path in paths))


_BATCHES: dict[str, Callable[[int], list[Footprint]]] = {
    "reads of anything, then writes": lambda n: [Footprint(paths=((),))] * n + [writes(f"a/{at}") for at in range(n)],
    "children, then reads of their parent": lambda n: [writes(f"a/{at}") for at in range(n)] + [reads("a")] * n,
    "a child and reads of its parent in turn": lambda n: [writes("a/b") if at % 2 else reads("a") for at in range(n)],
}


@pytest.mark.parametrize("batch", _BATCHES.values(), ids=_BATCHES)
def test_twice_the_batch_costs_twice_the_work(batch: Callable[[int], list[Footprint]]) -> None:
    def edges(n: int) -> int:
        return sum(len(behind) for behind in waits(batch(n)).awaited)

    assert edges(200) <= FACTOR * edges(100) + 5  # sets are joined in C, unseen: what they hold is counted


def test_shortening_a_turn(tmp_path: Path) -> None:
    def make(n: int) -> Job:
        results = ["x" * 10_000] * n
        names = [f"call-{at}" for at in range(n)]
        return lambda: Spill(tmp_path / str(n)).fit_turn(results, names, 0, lambda path, line: "")

    assert_linear(make, 25)


def test_a_plugin_with_twice_the_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    copied = 0
    publish = Registry._publish

    def counted(self: Registry) -> Any:
        nonlocal copied
        copied += len(self)
        return publish(self)

    monkeypatch.setattr(Registry, "_publish", counted)

    def entries(n: int) -> int:
        nonlocal copied
        tools, copied = make_tools(n), 0

        class Plugin:
            @hookimpl
            def hermes_tools(self) -> list[Tool]:
                return tools

        Hermes(plugins=[Plugin()]).close()
        return copied

    assert entries(200) <= FACTOR * entries(100) + 5
