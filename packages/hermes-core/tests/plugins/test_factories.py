"""A plugin with state is made once for each host; what it cannot be made from stops the host."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from hermes_core import CallRecord, ConfigError, Deny, Hermes, PluginError, Tool, hookimpl
from hermes_core.plugin_context import PluginContext
from hermes_core.plugins import plugin_import
from hermes_core.plugins.contributions import collect
from hermes_core.plugins.generated_manifest import make_manifest
from hermes_core.plugins.plugin_records import Candidate
from hermes_core.plugins.policy_plugins import UnreadPolicy

if TYPE_CHECKING:
    from plugins.conftest import Shop

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


class Strict:
    """A plugin that holds a policy."""

    @hookimpl
    def hermes_pre_tool_call(self) -> Deny:
        return Deny("the house says no")


class Making:
    """Makes whatever it was given, for a plugin that may hold a policy."""

    __name__ = "making"
    hermes_hooks: tuple[str, ...] = ("hermes_pre_tool_call",)

    def __init__(self, make: Callable[[], object]) -> None:
        self.make = make

    @hookimpl
    def hermes_settings(self) -> dict[str, Any]:
        return {"making": {"type": "object"}}

    def hermes_factory(self, context: PluginContext) -> object:
        made = self.make()
        return self if made == "itself" else made


WRONG: dict[str, Callable[[], object]] = {
    "none": lambda: None,
    "a text": lambda: "x",
    "itself": lambda: "itself",
    "no hooks": object,
    "a class": lambda: Strict,
    "raises": lambda: 1 / 0,
    "exits": lambda: sys.exit(0),
}


@pytest.mark.parametrize("way", WRONG)
def test_a_factory_of_the_application_that_makes_no_plugin_stops_the_host(
    host: Callable[..., Hermes], way: str
) -> None:
    ran: list[Any] = []
    hermes = host(tools=[Tool.from_schema({"name": "act"}, ran.append)], plugins=[Making(WRONG[way])])
    for _ in range(2):
        with pytest.raises(PluginError, match="'making'"):
            hermes.call("act")
    assert ran == []


def test_a_factory_may_make_a_plugin_that_watches_nothing_and_be_the_plugin_itself(
    host: Callable[..., Hermes],
) -> None:
    class Both(Strict):
        hermes_hooks = ("hermes_pre_tool_call",)

        def hermes_factory(self, context: PluginContext) -> object:
            return self

    class Silent:
        """Watches nothing."""

    quiet = Making(Silent)
    quiet.hermes_hooks = ("hermes_post_tool_call",)
    assert host(tools=[PLAIN], plugins=[quiet]).call("plain") == "1"
    assert "the house says no" in host(tools=[PLAIN], plugins=[Both()]).call("plain")


@pytest.mark.parametrize("error", [ConfigError("a typo"), ValueError("a typo")])
def test_a_late_plugin_that_cannot_be_made_leaves_nothing_behind(host: Callable[..., Hermes], error: Exception) -> None:
    def refuse() -> object:
        raise error

    hermes = host(tools=[PLAIN])
    assert hermes.call("plain") == "1"
    with pytest.raises((ConfigError, PluginError), match="a typo"):
        hermes.add_plugin(Making(refuse))
    assert hermes.report == ()
    assert "making" not in hermes.config.sections
    assert hermes.add_plugin(Making(Strict)).status == "loaded"
    assert "the house says no" in hermes.call("plain")


def test_a_plugin_whose_name_is_taken_does_not_remove_the_one_that_has_it(host: Callable[..., Hermes]) -> None:
    hermes = host(tools=[PLAIN])
    hermes.add_plugin(Strict(), "house")
    with pytest.raises(PluginError, match="already has this name"):
        hermes.add_plugin(Counter(PluginContext.__new__(PluginContext)), "house")
    assert "the house says no" in hermes.call("plain")


FACTORY = """
    import sys, time
    from hermes_core import hookimpl

    hermes_hooks = ("HOOK",)

    def hermes_factory(context):
        WAY
"""


@pytest.mark.parametrize("hook", ["hermes_pre_tool_call", "hermes_post_tool_call"])
@pytest.mark.parametrize("way", ["sys.exit(0)", "raise ValueError('no')", "time.sleep(60)", "return None"])
@pytest.mark.parametrize("manifest", [True, False])
def test_an_installed_factory_that_fails_denies_only_where_it_may_hold_a_policy(
    shop: Shop, coin: str, monkeypatch: pytest.MonkeyPatch, hook: str, way: str, manifest: bool
) -> None:
    monkeypatch.setattr(plugin_import, "LOAD_SECONDS", 0.2)
    shop.install("coin", coin)
    shop.install("house", FACTORY.replace("HOOK", hook).replace("WAY", way), manifest=manifest)
    hermes = shop.load()
    said = hermes.call("toss")
    record = shop.record(hermes, "house")
    assert record.status == "failed"
    assert record.denies is (hook == "hermes_pre_tool_call")
    assert ("'house' holds a policy and cannot be used" in said) is record.denies
    assert (said == '"heads"') is not record.denies
    assert hermes.call("toss") == said


def test_a_wrong_setting_that_an_installed_factory_finds_stays_a_wrong_setting(shop: Shop, coin: str) -> None:
    shop.install("coin", coin)
    source = FACTORY.replace("HOOK", "hermes_post_tool_call").replace("import hookimpl", "import ConfigError")
    shop.install("house", source.replace("WAY", "raise ConfigError('no rules')"))
    with pytest.raises(ConfigError, match="no rules"):
        shop.load().call("toss")


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
