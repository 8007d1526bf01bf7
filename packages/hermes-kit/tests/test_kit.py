"""A plugin is loaded into a host of its own, and a test asks in one line what became of a call."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any

import anyio
import pytest
from pydantic import Field

import hermes_kit
from hermes_core import Ask, Deny, Finding, PluginError, Rewrite, ToolCall, Toolset, hookimpl, tool, tool_error
from hermes_kit import FakeApprover, FakeClock, Kit, load_plugin


@tool(toolset="dice")
def roll(sides: Annotated[int, Field(description="How many sides.", ge=2)] = 6) -> dict[str, int]:
    """Roll a die and say what it shows."""
    return {"shows": sides}


@tool(toolset="dice")
def cheat() -> str:
    """Report a failure instead of a roll."""
    return tool_error("no cheating", code="cheated")


class Dice:
    @hookimpl
    def hermes_tools(self) -> list[Any]:
        return [roll, cheat]

    @hookimpl
    def hermes_toolsets(self) -> list[Toolset]:
        return [Toolset("games", includes=["dice"])]


class House:
    """A policy for the tests: what it does depends on the sides."""

    @hookimpl
    def hermes_pre_tool_call(self, call: ToolCall) -> object:
        sides = call.args.get("sides")
        if sides == 13:
            return Deny("thirteen is bad luck")
        if sides == 12:
            return Ask("twelve is a lot")
        return Rewrite({"sides": 20}) if sides == 19 else None


# -- loading -----------------------------------------------------------------------------------------------------


def test_a_plugin_object_is_loaded() -> None:
    with load_plugin(Dice()) as kit:
        assert kit.tool_names() == ["cheat", "roll"]


def test_a_plugin_class_is_made_an_object() -> None:
    with load_plugin(Dice, name="dice") as kit:
        assert [record.name for record in kit.report] == ["dice"]


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    made = ModuleType("dice_for_tests")
    made.hermes_tools = hookimpl(lambda: [roll])  # type: ignore[attr-defined]
    made.plugin = Dice()  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, made.__name__, made)
    return made


def test_a_plugin_module_is_loaded(module: ModuleType) -> None:
    with load_plugin(module) as kit:
        assert kit.tool_names() == ["roll"]


@pytest.mark.parametrize(("value", "tools"), [("dice_for_tests", 1), ("dice_for_tests:plugin", 2)])
def test_a_plugin_is_loaded_by_the_value_of_its_entry_point(module: ModuleType, value: str, tools: int) -> None:
    with load_plugin(value) as kit:
        assert len(kit.tool_names()) == tools


def test_a_single_tool_will_do() -> None:
    with load_plugin(roll) as kit:
        assert kit.call("roll", {"sides": 4}).value == {"shows": 4}


def test_a_plugin_that_cannot_stand_raises_with_the_reason() -> None:
    class Wrong:
        @hookimpl
        def hermes_tools(self) -> list[str]:
            return ["roll"]

    with pytest.raises(PluginError, match="contains a str, not a Tool"):
        load_plugin(Wrong())


def test_options_are_those_of_a_host() -> None:
    with load_plugin(Dice(), plugins=[House()], tools=[tool(lambda_tool)]) as kit:
        assert "lambda_tool" in kit.tool_names()
        kit.call("roll", {"sides": 13}).assert_denied()


def lambda_tool() -> int:
    """Give a number."""
    return 1


def test_without_a_home_a_scratch_folder_is_used_and_removed(home: Path) -> None:
    kit = load_plugin(Dice())
    folder = kit.host.home
    assert folder.is_dir()
    assert folder != home
    kit.close()
    assert not folder.exists()


def test_a_home_that_was_given_is_used_and_kept(tmp_path: Path) -> None:
    with load_plugin(Dice(), home=tmp_path) as kit:
        assert kit.host.home == tmp_path
    assert tmp_path.is_dir()


# -- calling -----------------------------------------------------------------------------------------------------


@pytest.fixture
def kit() -> Any:
    with load_plugin(Dice(), name="dice", plugins=[House()]) as loaded:
        yield loaded


def test_a_call_gives_its_parsed_value(kit: Kit) -> None:
    outcome = kit.call("roll", {"sides": 8}).assert_ok()
    assert outcome.value == {"shows": 8}
    assert outcome.text == '{"shows": 8}'
    assert (outcome.ok, outcome.error, outcome.code, outcome.repairs) == (True, None, None, ())
    assert outcome.record.call.name == "roll"


def test_a_call_from_async_code_gives_the_same(kit: Kit) -> None:
    async def main() -> None:
        outcome = await kit.acall("roll", {"sides": "8"})
        outcome.assert_ok().assert_repaired("string_to_integer")

    anyio.run(main)


def test_call_options_reach_the_host(kit: Kit) -> None:
    kit.call("roll", disabled=["games"]).assert_error("unknown_tool", contains="roll")


def test_an_error_that_a_tool_reports_is_an_error(kit: Kit) -> None:
    outcome = kit.call("cheat").assert_error(code="cheated", contains="cheating")
    assert outcome.error == "no cheating"


def test_a_denied_call_says_by_whom_and_why(kit: Kit) -> None:
    outcome = kit.call("roll", {"sides": 13}).assert_denied(reason="bad luck", by="House-1")
    outcome.assert_error(code="denied")
    assert outcome.decision is not None
    assert outcome.decision.outcome == "denied-by-policy"


def test_a_rewritten_call_runs_with_the_new_arguments(kit: Kit) -> None:
    assert kit.call("roll", {"sides": 19}).assert_ok().value == {"shows": 20}


def test_definitions_are_what_a_model_is_shown(kit: Kit) -> None:
    assert [entry["function"]["name"] for entry in kit.definitions(enabled=["games"])] == ["cheat", "roll"]


def test_the_report_leaves_the_kit_itself_out(kit: Kit) -> None:
    assert [(record.name, record.status) for record in kit.report] == [("House-1", "loaded"), ("dice", "loaded")]


# -- hooks -------------------------------------------------------------------------------------------------------


def test_the_order_of_hooks_is_that_of_their_calls() -> None:
    asked: list[str] = []

    class Policy:
        def __init__(self, name: str) -> None:
            self.__name__ = name

        @hookimpl
        def hermes_pre_tool_call(self, call: ToolCall) -> None:
            asked.append(self.__name__)

    class First(Policy):
        @hookimpl(tryfirst=True)
        def hermes_pre_tool_call(self, call: ToolCall) -> None:
            asked.append(self.__name__)

    with load_plugin(Dice(), plugins=[First("first"), Policy("one"), Policy("two")]) as kit:
        kit.call("roll")
        assert kit.hook_order("hermes_pre_tool_call") == asked
        assert asked[0] == "first"


def test_a_hook_that_does_not_exist_has_no_order(kit: Kit) -> None:
    with pytest.raises(ValueError, match="Did you mean 'hermes_pre_tool_call'"):
        kit.hook_order("hermes_pre_tool_cal")


def test_the_strictest_answer_wins_whatever_the_order_of_the_plugins() -> None:
    class Careful:
        @hookimpl
        def hermes_assess_call(self, call: ToolCall) -> Finding:
            return Finding(rule="dice.any", severity="ask", reason="it is a game of chance")

    for plugins in ([House(), Careful()], [Careful(), House()]):
        with load_plugin(Dice(), plugins=[*plugins, FakeApprover().allow()]) as kit:
            kit.call("roll", {"sides": 13}).assert_denied(reason="bad luck")
            kit.call("roll").assert_ok()


# -- time --------------------------------------------------------------------------------------------------------


def test_a_check_is_asked_again_when_the_clock_has_moved() -> None:
    clock = FakeClock()
    answers = iter([False, True])

    @tool(toolset="dice", check=lambda: next(answers))
    def loaded_die() -> int:
        """Roll a die that always shows six."""
        return 6

    with load_plugin(Dice(), clock=clock, tools=[loaded_die]) as kit:
        kit.call("loaded_die").assert_error("unavailable")
        clock.advance(29)
        kit.call("loaded_die").assert_error("unavailable")
        clock.advance(1)
        kit.call("loaded_die").assert_ok()


def test_a_clock_moves_only_forward_and_only_when_told() -> None:
    clock = FakeClock(start=5)
    assert clock() == clock() == 5
    assert clock.advance(2.5) == clock() == 7.5
    with pytest.raises(ValueError, match="cannot go back"):
        clock.advance(-1)


def test_the_kit_shows_exactly_what_it_lists() -> None:
    assert hermes_kit.__all__ == sorted(hermes_kit.__all__)
    assert [name for name in hermes_kit.__all__ if not getattr(hermes_kit, name).__doc__] == []
