"""The plugins of a host: each is read on its own, and their hooks have a fixed order."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace
from typing import Any

import pytest

from hermes_core import PluginError, hookimpl
from hermes_core.plugins.api_version import REGISTRATION_HOOKS
from hermes_core.plugins.manager import HOOKS, Plugins, read_plugin


class Watcher:
    """Implements one hook."""

    @hookimpl
    def hermes_post_tool_call(self, record: Any) -> None: ...


def order(plugins: Plugins) -> list[str]:
    return [implementation.plugin for implementation in plugins.implementations("hermes_post_tool_call")]


def test_the_hooks_are_those_of_the_documentation() -> None:
    assert len(HOOKS) == 19
    assert set(REGISTRATION_HOOKS) <= set(HOOKS)
    assert all(hook.startswith("hermes_") for hook in HOOKS)


def test_a_plugin_is_read_with_the_arguments_it_wants() -> None:
    class Policy:
        @hookimpl
        def hermes_pre_tool_call(self, call: Any) -> None: ...

        @hookimpl
        def hermes_assess_call(self, ctx: Any, call: Any) -> None: ...

        def helper(self) -> None: ...

    found = {one.hook: one.argnames for one in read_plugin(Policy(), "policy")}
    assert found == {"hermes_pre_tool_call": ("call",), "hermes_assess_call": ("ctx", "call")}


def test_a_function_of_another_name_can_implement_a_hook() -> None:
    class Renamed:
        @hookimpl(specname="hermes_post_tool_call")
        def note(self, record: Any) -> None: ...

    assert [one.hook for one in read_plugin(Renamed(), "x")] == ["hermes_post_tool_call"]


def test_arguments_that_a_hook_does_not_give_are_refused() -> None:
    class Wrong:
        @hookimpl
        def hermes_pre_tool_call(self, call: Any, weather: Any) -> None: ...

    with pytest.raises(PluginError, match="weather") as caught:
        read_plugin(Wrong(), "wrong")
    assert caught.value.plugin == "wrong"
    assert "documents" in str(caught.value)


@pytest.mark.parametrize(
    ("hook", "near"),
    [("hermes_pre_tool_cal", "hermes_pre_tool_call"), ("hermes_tool", "hermes_tools"), ("hermes_zzz", None)],
)
def test_a_hook_that_does_not_exist_suggests_the_nearest(hook: str, near: str | None) -> None:
    def implementation() -> None: ...

    implementation.__name__ = hook
    plugin = SimpleNamespace(**{hook: hookimpl(implementation)})
    with pytest.raises(PluginError, match=f"no hook '{hook}'") as caught:
        read_plugin(plugin, "x")
    assert near is None or f"Did you mean '{near}'?" in str(caught.value)


def test_a_hook_of_a_later_version_may_be_optional() -> None:
    class Modern:
        @hookimpl(optionalhook=True)
        def hermes_from_the_future(self) -> None: ...

        @hookimpl
        def hermes_post_tool_call(self, record: Any) -> None: ...

    assert [one.hook for one in read_plugin(Modern(), "x")] == ["hermes_post_tool_call"]


@pytest.mark.parametrize("options", [{"wrapper": True}, {"hookwrapper": True}])
def test_wrappers_are_refused(options: dict[str, Any]) -> None:
    def wrapping(record: Any) -> Any:
        yield

    plugin = SimpleNamespace(hermes_post_tool_call=hookimpl(wrapping, **options))
    with pytest.raises(PluginError, match="wrapper") as caught:
        read_plugin(plugin, "x")
    assert caught.value.remedy


@pytest.mark.parametrize("hook", HOOKS)
def test_a_hook_without_its_mark_is_refused_with_the_remedy(hook: str) -> None:
    plugin = SimpleNamespace(**{hook: lambda: None})
    with pytest.raises(PluginError, match=f"{hook} is not marked") as caught:
        read_plugin(plugin, "x")
    assert "@hermes_core.hookimpl" in str(caught.value)


def test_the_plugin_registered_last_is_called_first_unless_it_says_otherwise() -> None:
    class First:
        @hookimpl(tryfirst=True)
        def hermes_post_tool_call(self, record: Any) -> None: ...

    class Last:
        @hookimpl(trylast=True)
        def hermes_post_tool_call(self, record: Any) -> None: ...

    plugins = Plugins()
    for name, plugin in (("first", First()), ("a", Watcher()), ("b", Watcher()), ("last", Last()), ("c", Watcher())):
        plugins.accept(plugin, name)
    assert plugins.names() == ("first", "a", "b", "last", "c")
    assert order(plugins) == ["first", "c", "b", "a", "last"]


def test_a_name_can_be_taken_once() -> None:
    plugins = Plugins()
    plugins.accept(Watcher(), "x")
    before = plugins.generation
    with pytest.raises(PluginError, match="already has this name"):
        plugins.accept(Watcher(), "x")
    assert (plugins.generation, order(plugins)) == (before, ["x"])


def test_an_object_can_be_registered_once() -> None:
    plugins, watcher = Plugins(), Watcher()
    plugins.accept(watcher, "x")
    with pytest.raises(PluginError, match="another name"):
        plugins.accept(watcher, "y")
    assert plugins.names() == ("x",)


def test_a_plugin_that_cannot_stand_leaves_nothing_behind() -> None:
    class Wrong:
        @hookimpl
        def hermes_post_tool_call(self, record: Any) -> None: ...

        @hookimpl
        def hermes_unknown(self) -> None: ...

    plugins = Plugins()
    with pytest.raises(PluginError):
        plugins.accept(Wrong(), "wrong")
    assert (plugins.names(), order(plugins), plugins.generation) == ((), [], 0)
    plugins.accept(Watcher(), "wrong")
    assert order(plugins) == ["wrong"]


def test_a_removed_plugin_is_called_no_more() -> None:
    plugins = Plugins()
    plugins.accept(Watcher(), "x")
    plugins.accept(Watcher(), "y")
    before = plugins.generation
    assert plugins.remove("x") is True
    assert (order(plugins), plugins.names()) == (["y"], ("y",))
    assert plugins.generation > before
    assert plugins.remove("x") is False
    plugins.accept(Watcher(), "x")
    assert order(plugins) == ["x", "y"]


def test_a_hook_that_nobody_implements_has_no_implementations() -> None:
    assert Plugins().implementations("hermes_post_tool_call") == ()
    assert Plugins().implementations("no_such_hook") == ()


def test_an_implementation_is_a_value() -> None:
    (found,) = read_plugin(Watcher(), "x")
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.plugin = "y"  # type: ignore[misc]
