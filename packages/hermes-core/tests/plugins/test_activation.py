"""A plugin with a manifest is imported at the first call of one of its tools, and not before; what then turns out to
be otherwise than its manifest said is the code's word, and is reported."""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import textwrap
import threading
import time
import weakref
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from hermes_core import Deny, Hermes, PluginError, Toolset, hookimpl, tool
from hermes_core.inspection import hook_table, load_command, plugin_commands, plugin_sections
from hermes_core.plugins import plugin_import

if TYPE_CHECKING:
    from plugins.conftest import Shop


def names(hermes: Hermes, **options: Any) -> list[str]:
    return [entry["function"]["name"] for entry in hermes.definitions(**options)]


def error_of(result: str) -> str:
    found = json.loads(result)["error"]
    assert isinstance(found, str)
    return found


@pytest.fixture
def gate() -> Iterator[Any]:
    """Events that plugins of the test wait for: they import `gate_for_shop`."""
    made = SimpleNamespace(entered=threading.Event(), release=threading.Event(), count=0)
    sys.modules["gate_for_shop"] = made  # type: ignore[assignment]
    yield made
    made.release.set()
    del sys.modules["gate_for_shop"]
    for thread in threading.enumerate():
        if thread.name.startswith("hermes-load-"):
            thread.join(10)


HANGING = """\
import gate_for_shop
gate_for_shop.count += 1
gate_for_shop.entered.set()
gate_for_shop.release.wait(60)
"""
SLOW = "import gate_for_shop, time\ngate_for_shop.count += 1\ntime.sleep(0.3)\n"


def with_prelude(prelude: str, source: str) -> str:
    return prelude + textwrap.dedent(source)


# The first call


def test_the_first_call_imports_exactly_that_plugin(shop: Shop, dice: str, coin: str) -> None:
    shop.install("dice", dice)
    shop.install("coin", coin)
    hermes = shop.load()
    assert names(hermes, enabled=["dice", "coin"]) == ["roll", "toss"]
    assert shop.imported() == []
    assert [(one.status, one.imported, one.tools) for one in (shop.record(hermes, "dice"),)] == [
        ("loaded", False, ("roll",))
    ]
    assert hermes.call("roll", {"sides": 4}) == "4"
    assert shop.imported() == ["dice"]
    record = shop.record(hermes, "dice")
    assert (record.status, record.imported, record.tools, record.problems) == ("loaded", True, ("roll",), ())
    assert record.seconds > 0
    assert not shop.record(hermes, "coin").imported


def test_an_alias_imports_too(shop: Shop, dice: str) -> None:
    shop.install("dice", dice)
    hermes = shop.load()
    assert hermes.call("throw", {"sides": 3}) == "3"
    assert shop.imported() == ["dice"]
    assert hermes.call("throw", {"sides": 3}) == "3"


def test_arguments_are_repaired_and_refused_by_the_real_schema(shop: Shop, dice: str) -> None:
    shop.install("dice", dice)
    hermes = shop.load()
    assert "sides" in error_of(hermes.call("roll", {"sides": "many"}))
    assert hermes.call("roll", {"sides": "5"}) == "5"


def test_a_call_out_of_scope_imports_nothing(shop: Shop, dice: str, coin: str) -> None:
    shop.install("dice", dice)
    shop.install("coin", coin)
    hermes = shop.load()
    assert "Unknown tool" in error_of(hermes.call("roll", {}, enabled=["coin"]))
    assert "Unknown tool" in error_of(hermes.call("roll", {}, disabled=["games"]))
    with hermes.session(enabled=["coin"]) as session:
        assert "Unknown tool" in error_of(session.call("roll"))
    assert shop.imported() == []
    assert hermes.call("roll", {}, enabled=["games"]) == "6"


def test_a_tool_that_lacks_its_key_is_refused_without_an_import(shop: Shop, dice: str) -> None:
    shop.install("dice", dice.replace('aliases=["throw"]', 'requires_env=["SHOP_NO_SUCH_KEY"]'))
    hermes = shop.load()
    assert "SHOP_NO_SUCH_KEY" in error_of(hermes.call("roll"))
    assert "SHOP_NO_SUCH_KEY" in hermes.why("roll").reason
    assert shop.imported() == []


# From many sides at once


def test_first_calls_from_many_threads_import_once(shop: Shop, dice: str, gate: Any) -> None:
    shop.install("dice", dice)
    shop.rewrite("dice", with_prelude(SLOW, dice))
    hermes = shop.load()
    ready = threading.Barrier(8)
    answers: list[str] = []

    def one() -> None:
        ready.wait(10)
        answers.append(hermes.call("roll", {"sides": 2}))

    threads = [threading.Thread(target=one) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert answers == ["2"] * 8
    assert gate.count == 1


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_slow_import_does_not_block_the_loop(shop: Shop, dice: str, gate: Any, backend: str) -> None:
    shop.install("dice", dice)
    shop.rewrite("dice", with_prelude(HANGING, dice))
    hermes = shop.load()
    answers: list[str] = []

    async def call() -> None:
        answers.append(await hermes.acall("roll", {"sides": 2}))

    async def main() -> None:
        async with anyio.create_task_group() as group:
            for _ in range(5):
                group.start_soon(call)
            while not gate.entered.is_set():
                await anyio.sleep(0.001)
            for _ in range(20):  # the import waits for this very loop to go on
                await anyio.sleep(0.001)
            assert answers == []
            gate.release.set()

    anyio.run(main, backend=backend)
    assert answers == ["2"] * 5
    assert gate.count == 1


def test_first_calls_in_a_batch_import_each_plugin_once(shop: Shop, dice: str, coin: str, gate: Any) -> None:
    shop.install("dice", dice)
    shop.install("coin", coin)
    shop.rewrite("dice", with_prelude(SLOW, dice))
    hermes = shop.load()
    calls = [("roll", {"sides": 1}), ("toss", {}), ("throw", {"sides": 2}), ("nothing", {}), ("roll", {"sides": 3})]
    answers = hermes.batch(calls)
    assert [answers[at] for at in (0, 1, 2, 4)] == ["1", '"heads"', "2", "3"]
    assert "Unknown tool" in answers[3]
    assert gate.count == 1


def test_a_tool_calls_a_tool_of_a_plugin_that_is_not_imported_yet(shop: Shop, dice: str) -> None:
    shop.install("dice", dice)
    outer = """
        from hermes_core import ToolContext, hookimpl, tool

        @tool(toolset="outer")
        def twice(ctx: ToolContext) -> list[str]:
            '''Roll two dice.'''
            return [ctx.call_tool("roll", {"sides": 2}), *ctx.batch([("roll", {"sides": 3})])]

        @tool(toolset="outer")
        async def later(ctx: ToolContext) -> str:
            '''Roll one.'''
            return await ctx.acall("roll", {"sides": 5})

        @hookimpl
        def hermes_tools():
            return [twice, later]
    """
    shop.install("outer", outer)
    assert json.loads(shop.load().call("twice")) == ["2", "3"]
    shop.forget()
    assert json.loads(shop.load().call("later")) == 5
    shop.forget()
    assert json.loads(asyncio.run(shop.load().acall("later"))) == 5


def test_a_call_that_is_cancelled_during_the_import_leaves_the_plugin_usable(shop: Shop, dice: str, gate: Any) -> None:
    shop.install("dice", dice)
    shop.rewrite("dice", with_prelude(HANGING, dice))
    hermes = shop.load()

    async def main() -> None:
        task = asyncio.create_task(hermes.acall("roll"))
        await asyncio.to_thread(gate.entered.wait, 10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        gate.release.set()
        assert await hermes.acall("roll", {"sides": 2}) == "2"

    asyncio.run(main())
    assert shop.record(hermes, "dice").status == "loaded"


# Imports that fail


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        ("raise ValueError('no luck')", "it raised ValueError: no luck while it was loaded"),
        ("import sys; sys.exit(3)", "it called sys.exit(3) while it was loaded"),
        ("def broken(:", "it has a syntax error"),
        ("import no_such_module_anywhere", "No module named 'no_such_module_anywhere'"),
        ("raise KeyboardInterrupt", "it raised KeyboardInterrupt"),
    ],
)
def test_after_a_failed_import_the_tools_say_why_and_all_others_work(
    shop: Shop, dice: str, coin: str, broken: str, reason: str
) -> None:
    shop.install("dice", dice)
    shop.install("coin", coin)
    shop.rewrite("dice", broken)
    hermes = shop.load()
    assert "roll" in names(hermes)
    failure = json.loads(hermes.call("roll"))
    assert failure["error"].startswith("roll is not available: its plugin 'dice' cannot be loaded: ")
    assert reason in failure["error"]
    assert failure["code"] == "unavailable"
    verdict = hermes.why("roll")
    assert not verdict.available
    assert reason in verdict.reason
    record = shop.record(hermes, "dice")
    assert verdict.remedy == record.remedy != ""
    assert record.status == "failed"
    assert reason in " ".join(record.problems)
    assert names(hermes, enabled=["games", "coin"]) == ["toss"]
    assert [spec.name for spec in hermes.tools(["games", "coin"])] == ["toss"]
    assert hermes.call("toss") == '"heads"'
    assert hermes.call("roll") == hermes.call("roll")
    assert hermes.activate("dice").get("dice") == record


def test_an_import_that_hangs_is_given_up_and_not_tried_again(
    shop: Shop, dice: str, coin: str, gate: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.install("dice", dice)
    shop.install("coin", coin)
    shop.rewrite("dice", with_prelude(HANGING, dice))
    monkeypatch.setattr(plugin_import, "LOAD_SECONDS", 0.5)
    hermes = shop.load()
    assert "still loading after 0.5 s without progress, at" in error_of(hermes.call("roll"))
    assert f"{shop.folder / 'shop_dice' / '__init__.py'}:4" in hermes.why("roll").reason
    assert "still loading" in error_of(hermes.call("roll"))
    assert gate.count == 1
    assert [thread.name for thread in threading.enumerate()].count("hermes-load-dice") == 1
    monkeypatch.setattr(plugin_import, "LOAD_SECONDS", 10.0)
    assert hermes.call("toss") == '"heads"'


def test_a_hanging_import_lets_others_be_imported_meanwhile(
    shop: Shop, dice: str, coin: str, gate: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.install("dice", dice)
    shop.install("coin", coin)
    shop.rewrite("dice", with_prelude(HANGING, dice))
    hermes = shop.load()
    answers: list[str] = []
    thread = threading.Thread(target=lambda: answers.append(hermes.call("roll", {"sides": 2})))
    thread.start()
    assert gate.entered.wait(10)
    assert hermes.call("toss") == '"heads"'
    assert "toss" in names(hermes)
    assert hermes.why("toss").available
    gate.release.set()
    thread.join(10)
    assert answers == ["2"]


def test_a_plugin_without_tools_that_fails_keeps_its_name_and_says_why_to_who_wants_its_command(shop: Shop) -> None:
    source = """
        import click
        from hermes_core import hookimpl

        @hookimpl
        def hermes_commands():
            return [click.Command("shuffle", help="Shuffle cards.")]
    """
    shop.install("cards", source)
    shop.rewrite("cards", "raise ValueError('torn')")
    hermes = shop.load()
    assert plugin_commands(hermes)["shuffle"] == "Shuffle cards."
    for _ in range(2):
        with pytest.raises(PluginError, match="ValueError: torn") as caught:
            load_command(hermes, "shuffle")
        assert caught.value.plugin == "cards"
    with pytest.raises(PluginError, match="another plugin already has this name"):
        hermes.add_plugin(SimpleNamespace(), "cards")


MOODY = """
    from hermes_core import hookimpl, tool

    @tool(toolset="dice")
    def roll() -> int:
        '''Roll a die.'''
        return 6

    class Moody:
        asked = 0

        def __getattribute__(self, name):
            Moody.asked += name == "hermes_tools"
            if Moody.asked > AFTER:
                raise RuntimeError("not again")
            return object.__getattribute__(self, name)

        @hookimpl
        def hermes_tools(self):
            return [roll]
"""


def test_a_plugin_that_breaks_while_it_is_registered_disables_only_itself(shop: Shop, coin: str) -> None:
    broken = 0
    shop.install("coin", coin)
    for after in range(10):
        shop.install(
            f"moody{after}", MOODY.replace("AFTER", str(after)), entry=f"shop_moody{after}:Moody", manifest=False
        )
        hermes = shop.load()
        record = shop.record(hermes, f"moody{after}")
        assert hermes.call("toss") == '"heads"'
        if record.status == "failed":
            broken += 1
            assert "RuntimeError: not again" in record.problems[0]
            assert f"moody{after}" not in hook_table(hermes).names()
        else:
            assert hermes.call("roll") == "6"
            break
        shop.forget()
    assert broken >= 2  # once while it is asked, once while it is entered


# What the application changed before


def test_a_tool_that_the_application_replaced_stays_replaced(shop: Shop, dice: str) -> None:
    shop.install("dice", dice.replace("return [roll]", "return [roll, peek]").replace("@hookimpl", PEEK, 1))
    hermes = shop.load()

    @tool(toolset="mine", name="roll")
    def own() -> str:
        """Mine."""
        return "mine"

    hermes.registry.register(own, override=True)
    assert hermes.call("peek") == '"seen"'
    assert hermes.call("roll") == '"mine"'
    assert shop.record(hermes, "dice").tools == ("peek",)
    assert shop.record(hermes, "dice").status == "loaded"


PEEK = """@tool(toolset="dice")
    def peek() -> str:
        '''Look at the dice.'''
        return "seen"

    @hookimpl"""


def test_a_tool_that_the_application_took_out_stays_out(shop: Shop, dice: str) -> None:
    shop.install("dice", dice.replace("return [roll]", "return [roll, peek]").replace("@hookimpl", PEEK, 1))
    hermes = shop.load()
    assert hermes.registry.deregister("roll")
    assert hermes.call("peek") == '"seen"'
    assert "roll" not in hermes.registry
    assert "throw" not in hermes.registry
    assert "Unknown tool" in error_of(hermes.call("roll"))


def test_a_replaced_tool_is_not_blocked_when_the_plugin_fails(shop: Shop, dice: str) -> None:
    shop.install("dice", dice.replace("return [roll]", "return [roll, peek]").replace("@hookimpl", PEEK, 1))
    shop.rewrite("dice", "raise ValueError('no luck')")
    hermes = shop.load()

    @tool(toolset="dice", name="roll")
    def own() -> str:
        """Mine."""
        return "mine"

    hermes.registry.register(own)
    assert "no luck" in error_of(hermes.call("peek"))
    assert hermes.call("roll") == '"mine"'


def test_a_toolset_that_the_application_replaced_stays_replaced(shop: Shop, dice: str) -> None:
    shop.install("dice", dice)
    shop.rewrite("dice", dice.replace('Toolset("games"', 'Toolset("games", description="New."'))
    hermes = shop.load()
    hermes.toolsets.add(Toolset("games", description="Mine.", tools=["roll"]), replace=True)
    hermes.activate("dice")
    found = hermes.toolsets.get("games")
    assert found is not None
    assert found.description == "Mine."


# Manifests that say something else than the code


def stale(shop: Shop, hermes: Hermes, name: str = "dice") -> str:
    record = shop.record(hermes, name)
    assert record.status == "partial"
    assert record.remedy == "Tell its author to run 'hermes plugin manifest', or install another version."
    (problem,) = record.problems
    file = shop.folder / f"shop_{name}" / "hermes-plugin.json"
    said, _, rest = problem.partition(": ")
    assert said == f"its manifest {file} is stale"
    return rest


def test_a_tool_that_came_after_the_manifest_arrives_with_the_import(shop: Shop, dice: str) -> None:
    shop.install("dice", dice)
    shop.rewrite("dice", dice.replace("return [roll]", "return [roll, peek]").replace("@hookimpl", PEEK, 1))
    hermes = shop.load()
    assert "peek" not in hermes.registry
    hermes.call("roll")
    assert hermes.call("peek") == '"seen"'
    assert stale(shop, hermes) == "tool 'peek' is not in it."


def test_a_tool_that_left_after_the_manifest_is_unknown_once_it_is_called(shop: Shop, dice: str, coin: str) -> None:
    shop.install("dice", dice)
    shop.install("coin", coin)
    shop.rewrite("dice", dice.replace("return [roll]", "return []"))
    hermes = shop.load()
    assert "roll" in names(hermes)
    assert "Unknown tool: roll" in error_of(hermes.call("roll"))
    assert "roll" not in names(hermes)
    assert stale(shop, hermes) == "tool 'roll' is in it, but not in the code."
    assert hermes.call("toss") == '"heads"'


def test_a_renamed_tool_is_found_under_its_new_name(shop: Shop, dice: str) -> None:
    shop.install("dice", dice)
    shop.rewrite("dice", dice.replace("roll", "cast"))
    hermes = shop.load()
    assert "Unknown tool: roll" in error_of(hermes.call("roll"))
    assert hermes.call("cast", {"sides": 3}) == "3"
    assert hermes.call("throw", {"sides": 4}) == "4"
    assert stale(shop, hermes) == (
        "tool 'cast' is not in it. tool 'roll' is in it, but not in the code. toolset 'games' differs in its tools."
    )


def test_a_renamed_toolset_keeps_its_alias(shop: Shop, dice: str) -> None:
    shop.install("dice", dice.replace('tools=["roll"]', 'tools=["roll"], aliases=["play"]'))
    shop.rewrite("dice", dice.replace('"games", tools=["roll"]', '"fun", tools=["roll"], aliases=["play"]'))
    hermes = shop.load()
    hermes.activate("dice")
    assert "games" not in hermes.toolsets
    assert names(hermes, enabled=["play"]) == ["roll"]
    assert stale(shop, hermes) == "toolset 'fun' is not in it. toolset 'games' is in it, but not in the code."


def test_policy_sees_the_effects_of_the_code_and_not_those_of_a_lying_manifest(shop: Shop, dice: str) -> None:
    shop.install("dice", dice)
    shop.rewrite("dice", dice.replace('effects=["read"]', 'effects=["delete"]'))
    seen: list[frozenset[str]] = []

    class Policy:
        @hookimpl
        def hermes_pre_tool_call(self, call: Any) -> Deny | None:
            seen.append(call.tool.effects)
            return Deny("nothing is deleted here") if "delete" in call.tool.effects else None

    hermes = shop.load(plugins=[Policy()])
    found = hermes.registry.get("roll")
    assert found is not None
    assert found.effects == {"read"}
    assert "nothing is deleted here" in error_of(hermes.call("roll"))
    assert seen == [frozenset({"delete"})]
    assert stale(shop, hermes) == "tool 'roll' differs in its effects."


def test_a_tool_that_the_code_puts_into_another_toolset_is_out_of_the_scope_of_the_first(shop: Shop, dice: str) -> None:
    shop.install("dice", dice)
    shop.rewrite("dice", dice.replace('toolset="dice"', 'toolset="danger"').replace('"games", tools=["roll"]', '"g"'))
    hermes = shop.load()
    assert "Unknown tool" in error_of(hermes.call("roll", {}, enabled=["dice"]))
    assert hermes.call("roll", {}, enabled=["danger"]) == "6"


def test_the_checks_of_the_code_count_once_it_is_imported(shop: Shop, dice: str) -> None:
    shop.install("dice", dice.replace("def roll", "def roll").replace('effects=["read"]', "check=lambda: False"))
    hermes = shop.load()
    assert hermes.why("roll").available
    assert "roll is not available" in error_of(hermes.call("roll"))
    assert not hermes.why("roll").available
    assert shop.record(hermes, "dice").status == "loaded"


HOOKED = """
    from hermes_core import Deny, hookimpl, tool

    @tool(toolset="dice")
    def roll() -> int:
        '''Roll a die.'''
        return 6

    @hookimpl
    def hermes_tools():
        return [roll]

    @hookimpl
    def hermes_pre_tool_call(call):
        return Deny("the house says no")
"""


def test_a_plugin_with_call_hooks_is_imported_at_load_by_its_own_word(shop: Shop, coin: str) -> None:
    shop.install("dice", HOOKED)
    shop.install("coin", coin)
    hermes = shop.load()
    assert shop.imported() == ["dice"]
    assert shop.record(hermes, "dice").hooks == ("hermes_pre_tool_call", "hermes_tools")
    assert "the house says no" in error_of(hermes.call("toss"))


def test_a_hook_that_the_manifest_hides_works_from_the_import_on_and_is_reported(shop: Shop, coin: str) -> None:
    shop.install("dice", HOOKED)
    shop.write_manifest("dice", lambda made: made.update(hooks=["hermes_tools"]))
    shop.install("coin", coin)
    hermes = shop.load()
    assert hermes.call("toss") == '"heads"'
    hermes.activate("dice")
    assert "the house says no" in error_of(hermes.call("toss"))
    assert "the house says no" in error_of(hermes.call("roll"))
    assert stale(shop, hermes) == "hook hermes_pre_tool_call is not in it."


def test_a_hook_that_the_manifest_hides_judges_the_very_call_that_imports_it(shop: Shop) -> None:
    shop.install("dice", HOOKED)
    shop.write_manifest("dice", lambda made: made.update(hooks=["hermes_tools"]))
    hermes = shop.load()
    record = hermes.run("roll")
    assert (record.status, record.decision and record.decision.by) == ("blocked", "dice")
    assert record.seconds < 60


def test_a_plugin_with_call_hooks_that_fails_leaves_its_tools_with_the_reason(shop: Shop, coin: str) -> None:
    shop.install("dice", HOOKED)
    shop.rewrite("dice", "raise ValueError('no luck')")
    shop.install("coin", coin)
    hermes = shop.load()
    assert "no luck" in error_of(hermes.call("roll"))
    assert "no luck" in hermes.why("roll").reason
    record = shop.record(hermes, "dice")
    assert (record.status, record.denies) == ("failed", True)
    assert "the plugin 'dice' holds a policy and cannot be used" in error_of(hermes.call("toss"))


def test_who_only_looks_imports_no_policy_and_the_first_call_imports_it_first(shop: Shop, coin: str) -> None:
    shop.install("dice", HOOKED)
    shop.install("coin", coin)
    hermes = shop.load(only_looking=True)
    assert names(hermes) == ["roll", "toss"]
    assert shop.imported() == []
    assert "the house says no" in error_of(hermes.call("toss"))
    assert shop.imported() == ["coin", "dice"]


def test_a_deadline_covers_the_import(shop: Shop, dice: str, gate: Any) -> None:
    shop.install("dice", dice)
    shop.rewrite("dice", HANGING + textwrap.dedent(dice))
    hermes = shop.load()
    record = hermes.run("roll", timeout=0.2)
    assert (record.status, record.code) == ("timeout", "timeout")
    assert "still being imported after 0.2 s" in record.result
    gate.release.set()
    hermes.activate("dice")
    assert hermes.call("roll", {"sides": 3}) == "3"


def test_the_first_call_by_an_alias_of_a_renamed_tool_finds_the_new_one(shop: Shop, dice: str) -> None:
    shop.install("dice", dice)
    shop.rewrite("dice", dice.replace("roll", "cast"))
    assert shop.load().call("throw", {"sides": 4}) == "4"


def test_a_batch_is_planned_by_what_the_code_says_it_does(shop: Shop, dice: str) -> None:
    shop.install("dice", dice)
    together = """
    import threading, time
    from hermes_core import hookimpl, tool

    running = []

    @tool(toolset="dice", effects=["exec"])
    def roll(sides: int = 6) -> int:
        running.append(sides)
        most = len(running)
        time.sleep(0.02)
        running.remove(sides)
        return most

    @hookimpl
    def hermes_tools():
        return [roll]
    """
    shop.rewrite("dice", textwrap.dedent(together))
    answers = shop.load().batch([("roll", {"sides": number}) for number in range(6)])
    assert answers == ["1"] * 6


def test_a_plugin_whose_code_implements_nothing_any_more_is_reported(shop: Shop, dice: str) -> None:
    shop.install("dice", dice)
    shop.rewrite("dice", "")
    hermes = shop.load()
    assert "Unknown tool: roll" in error_of(hermes.call("roll"))
    record = shop.record(hermes, "dice")
    assert record.status == "partial"
    assert record.problems[1] == "it implements no hook, so it provides nothing."
    assert "hook hermes_tools is in it, but not in the code." in record.problems[0]
    assert "@hermes_core.hookimpl" in record.remedy


def test_a_plugin_that_asks_for_a_newer_api_in_its_code_alone_is_refused_at_activation(shop: Shop, dice: str) -> None:
    shop.install("dice", dice)
    shop.rewrite("dice", "hermes_api = '>=2'\n" + textwrap.dedent(dice))
    hermes = shop.load()
    assert "it requires version >=2 of the plugin API" in error_of(hermes.call("roll"))
    assert "roll" not in names(hermes)


# Settings, commands and providers from a manifest

FULL = """
    import click
    from hermes_core import ToolContext, hookimpl, tool
    from pydantic import BaseModel

    class Table(BaseModel):
        seats: int = 4

    @tool(toolset="dice")
    def seats(ctx: ToolContext) -> int:
        '''Count the seats.'''
        return ctx.settings("table", Table).seats

    @tool(toolset="dice")
    def engines(ctx: ToolContext) -> list[str]:
        '''List the engines.'''
        return [f"{name}={engine}" for name, engine in sorted(ctx.providers("engine").items())]

    @click.command("shuffle", help="Shuffle the cards.")
    def shuffle():
        click.echo("shuffled")

    @hookimpl
    def hermes_tools():
        return [seats, engines]

    @hookimpl
    def hermes_settings():
        return {"table": Table}

    @hookimpl
    def hermes_commands():
        return [shuffle]

    @hookimpl
    def hermes_providers():
        return {"engine": {"full": lambda: "full engine"}}
"""
PROVIDER = """
    from hermes_core import hookimpl

    @hookimpl
    def hermes_providers():
        return {"engine": {"third": lambda: "third party"}}
"""


def test_a_provider_of_a_manifest_is_imported_when_it_is_asked_for(shop: Shop) -> None:
    shop.install("full", FULL)
    shop.install("third", PROVIDER)
    hermes = shop.load()
    assert hermes.call("seats") == "4"
    assert shop.imported() == ["full"]
    assert json.loads(hermes.call("engines")) == ["full=full engine", "third=third party"]
    assert shop.imported() == ["full", "third"]
    assert shop.record(hermes, "third").imported


def test_a_provider_whose_plugin_fails_says_why_and_takes_no_other_along(
    shop: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    shop.install("full", FULL)
    shop.install("third", PROVIDER)
    shop.rewrite("third", "raise ValueError('no luck')")
    hermes = shop.load()
    assert json.loads(hermes.call("engines")) == ["full=full engine"]
    assert "Provider third of engine cannot be made" in caplog.text
    assert "no luck" in shop.record(hermes, "third").problems[0]
    assert hermes.call("seats") == "4"


def test_providers_that_changed_after_the_manifest_are_those_of_the_code(shop: Shop) -> None:
    shop.install("full", FULL)
    shop.rewrite("full", FULL.replace('{"full": lambda: "full engine"}', '{"full": lambda: "f", "new": lambda: "n"}'))
    hermes = shop.load()
    assert json.loads(hermes.call("engines")) == ["full=f", "new=n"]
    assert stale(shop, hermes, "full") == "it lists other providers than the code."


def test_sections_and_commands_that_left_after_the_manifest_leave_with_the_import(shop: Shop) -> None:
    shop.install("full", FULL)
    shop.rewrite("full", FULL.replace('return {"table": Table}', 'return {"desk": Table}').replace("[shuffle]", "[]"))
    hermes = shop.load()
    assert [section.name for section in plugin_sections(hermes)] == ["table"]
    assert list(plugin_commands(hermes)) == ["shuffle"]
    with pytest.raises(PluginError, match="command 'shuffle' is in it, but not in the code"):
        load_command(hermes, "shuffle")
    assert [section.name for section in plugin_sections(hermes)] == ["desk"]
    assert list(plugin_commands(hermes)) == []
    with pytest.raises(PluginError, match="none has a command 'shuffle'"):
        load_command(hermes, "shuffle")


def test_two_plugins_that_promise_the_same_things_keep_what_the_first_had(shop: Shop) -> None:
    shop.install("afull", FULL)
    shop.install("bfull", FULL)
    hermes = shop.load()
    first, second = shop.record(hermes, "afull"), shop.record(hermes, "bfull")
    assert (first.status, first.problems) == ("loaded", ())
    assert second.status == "partial"
    assert second.problems == (
        "tool 'engines' of toolset 'dice' is taken by another tool of the plugin 'afull'.",
        "tool 'seats' of toolset 'dice' is taken by another tool of the plugin 'afull'.",
        "the section 'table' of config.yaml belongs to afull.",
        "the command 'shuffle' belongs to the plugin 'afull'.",
        "provider 'full' of 'engine' is taken.",
    )
    hermes.activate()
    assert sorted(shop.record(hermes, "bfull").problems) == sorted(second.problems)
    assert shop.record(hermes, "afull").problems == ()
    assert hermes.call("seats") == "4"


# host.activate


def test_activate_imports_those_named_or_all(shop: Shop, dice: str, coin: str) -> None:
    shop.install("dice", dice)
    shop.install("coin", coin)
    hermes = shop.load()
    report = hermes.activate("coin")
    assert shop.imported() == ["coin"]
    assert [(record.name, record.imported) for record in report] == [("coin", True), ("dice", False)]
    hermes.activate()
    assert shop.imported() == ["coin", "dice"]
    before = shop.record(hermes, "dice")
    hermes.activate()
    assert shop.record(hermes, "dice") == before


def test_activate_of_a_plugin_that_does_not_exist_is_an_error(shop: Shop, dice: str) -> None:
    shop.install("dice", dice)
    hermes = shop.load()
    with pytest.raises(PluginError, match="there is no such plugin"):
        hermes.activate("dicee")
    assert shop.imported() == []


def test_activate_of_a_plugin_that_is_turned_off_or_broken_reports_and_imports_nothing(
    shop: Shop, dice: str, home: Path
) -> None:
    shop.install("dice", dice)
    shop.install("broken", "raise ValueError('no luck')", manifest=False)
    home.mkdir()
    (home / "config.yaml").write_text("plugins: {disabled: [dice]}\n")
    hermes = shop.load()
    found = {record.name: record.status for record in hermes.activate("dice", "broken")}
    assert found == {"dice": "disabled", "broken": "failed"}
    assert shop.imported() == []


# Hosts


def test_two_hosts_in_one_process_share_the_code_and_nothing_else(shop: Shop, dice: str) -> None:
    shop.install("dice", dice)
    one, two = shop.load(), shop.load()
    assert one.call("roll", {"sides": 2}) == "2"
    assert not shop.record(two, "dice").imported
    two.registry.deregister("roll")
    assert one.call("roll", {"sides": 2}) == "2"
    assert "Unknown tool" in error_of(two.call("roll"))
    three = shop.load()
    assert three.call("roll", {"sides": 3}) == "3"


@pytest.mark.parametrize("use", ["list", "call", "fail", "provide"])
def test_a_forgotten_host_is_collected(shop: Shop, dice: str, use: str) -> None:
    shop.install("dice", dice)
    shop.install("full", FULL)
    if use == "fail":
        shop.rewrite("dice", "raise ValueError('no luck')")
    hermes = Hermes.load()
    names(hermes)
    hermes.why("roll")
    assert [section.name for section in plugin_sections(hermes)] == ["table"]
    if use in ("call", "fail"):
        hermes.call("roll")
        hermes.batch([("roll", {}), ("seats", {})])
    if use == "provide":
        hermes.call("engines")
    gone = weakref.ref(hermes)
    del hermes
    deadline = time.monotonic() + 10
    while gone() is not None and time.monotonic() < deadline:
        gc.collect()
        time.sleep(0.01)
    assert gone() is None
