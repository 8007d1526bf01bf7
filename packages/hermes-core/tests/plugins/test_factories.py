"""A plugin with state is made once for each host; what it cannot be made from stops the host."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from hermes_core import CallRecord, ConfigError, Hermes, PluginError, Tool, hookimpl
from hermes_core.plugin_context import PluginContext
from hermes_core.plugins.contribution import collect
from hermes_core.plugins.generated_manifest import make_manifest
from hermes_core.plugins.policy_plugins import UnreadPolicy
from hermes_core.plugins.records import Candidate

PLAIN = Tool.from_schema({"name": "plain"}, lambda args: "1")


class Counter:
    """Counts the calls of one host."""

    def __init__(self, context: PluginContext) -> None:
        self.context = context
        self.count = 0

    @hookimpl
    def hermes_post_tool_call(self, record: CallRecord) -> None:
        self.count += 1


class Counting:
    """Makes a counter for each host."""

    __name__ = "counting"
    hermes_hooks = ("hermes_post_tool_call",)

    def __init__(self, error: Exception | None = None) -> None:
        self.made: list[Counter] = []
        self.error = error

    @hookimpl
    def hermes_settings(self) -> dict[str, Any]:
        return {"counting": {"type": "object", "properties": {"step": {"type": "integer", "default": 1}}}}

    def hermes_factory(self, context: PluginContext) -> Counter:
        if self.error is not None:
            raise self.error
        self.made.append(Counter(context))
        return self.made[-1]


def test_each_host_gets_a_plugin_of_its_own(host: Callable[..., Hermes]) -> None:
    plugin = Counting()
    first, second = host(tools=[PLAIN], plugins=[plugin]), host(tools=[PLAIN], plugins=[plugin])
    assert plugin.made == []  # nothing is made before there is a call
    for hermes in (first, second, first):
        assert hermes.call("plain") == "1"
    assert [each.count for each in plugin.made] == [2, 1]


def test_a_factory_learns_about_its_host(home: Path) -> None:
    plugin = Counting()
    given = {"counting": {"step": 3}}
    with (
        Hermes(home=home, config=given, environ={"KEY": "x"}, tools=[PLAIN]) as parent,
        Hermes(home=home, config=given, parent=parent, tools=[PLAIN], plugins=[plugin]) as child,
    ):
        child.call("plain")
        context = plugin.made[0].context
        assert (context.home, list(context.tools)) == (home, ["plain"])
        assert context.parent is not None
        assert (context.parent.home, context.parent.parent, context.parent.plugin(Counter)) == (home, None, None)
        assert context.config.section("counting") == {"step": 3}
        assert [each.section("counting")["step"] for each in context.configs] == [3]
        assert context.plugin(Counter) is plugin.made[0]
        assert context.plugin(Path) is None


def test_a_plugin_that_cannot_be_made_stops_the_host(host: Callable[..., Hermes]) -> None:
    ran: list[Any] = []
    hermes = host(tools=[Tool.from_schema({"name": "act"}, ran.append)], plugins=[Counting(ConfigError("no rules"))])
    for _ in range(2):
        with pytest.raises(ConfigError, match="no rules"):
            hermes.call("act")
    assert ran == []


def test_a_factory_that_is_added_later_makes_its_plugin_at_once(host: Callable[..., Hermes]) -> None:
    hermes, plugin = host(tools=[PLAIN]), Counting()
    hermes.call("plain")
    hermes.add_plugin(plugin)
    hermes.call("plain")
    assert [each.count for each in plugin.made] == [1]
    with pytest.raises(ConfigError, match="no"):
        hermes.add_plugin(Counting(ConfigError("no")), name="other")


def test_a_module_can_be_a_factory_and_its_manifest_names_the_hooks_to_come() -> None:
    module = ModuleType("counting")
    plugin = Counting()
    module.hermes_factory = plugin.hermes_factory  # type: ignore[attr-defined]
    module.hermes_hooks = ["hermes_post_tool_call"]  # type: ignore[attr-defined]
    brought = collect(Candidate(name="counting", origin="a test", load=lambda: module))
    assert make_manifest("counting", brought)["hooks"] == ["hermes_post_tool_call"]
    assert plugin.made == []
    module.hermes_hooks = ["hermes_post"]  # type: ignore[attr-defined]
    with pytest.raises(PluginError, match="not names of hooks"):
        collect(Candidate(name="counting", origin="a test", load=lambda: module))


def test_a_policy_that_no_plugin_reads_denies_every_call(host: Callable[..., Hermes]) -> None:
    readers: dict[str, str] = {}
    hermes = host(tools=[PLAIN], plugins=[UnreadPolicy("policy", "hermes-approval", readers.get)])
    answer = json.loads(hermes.call("plain"))
    assert answer["decision"] == "denied-by-policy"
    assert "pip install" in answer["error"]
    assert "hermes-approval" in answer["error"]
    readers["policy"] = "approval"
    assert hermes.call("plain") == "1"
