"""A tool joins a toolset of another distribution only when the user accepts it there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from hermes_core import Tool

if TYPE_CHECKING:
    from plugins.conftest import Shop


def names(shop: Shop, toolset: str) -> list[str]:
    return [entry["function"]["name"] for entry in shop.load().definitions([toolset])]


def joining(coin: str, toolset: str) -> str:
    return coin.replace('toolset="coin"', f'toolset="{toolset}"')


def accept(home: Path, toolset: str, plugin: str) -> None:
    home.mkdir(parents=True, exist_ok=True)
    (home / "config.yaml").write_text(f"plugins: {{accept: {{{toolset}: [{plugin}]}}}}")


@pytest.mark.parametrize("manifest", [True, False])
@pytest.mark.parametrize("name", ["aaa", "zzz"])
def test_a_tool_of_another_distribution_is_held_back_until_it_is_accepted(
    shop: Shop, home: Path, dice: str, coin: str, name: str, manifest: bool
) -> None:
    shop.install("dice", dice, manifest=manifest)
    shop.install(name, joining(coin, "dice"), manifest=manifest)
    hermes = shop.load()
    assert names(shop, "dice") == ["roll"]
    verdict = hermes.why("toss")
    assert verdict.reason == "the toolset 'dice' belongs to dice-tools"
    assert f"plugins: {{accept: {{dice: [{name}]}}}}" in verdict.remedy
    assert json.loads(hermes.call("toss"))["code"] == "unavailable"
    record = shop.record(hermes, name)
    assert (record.status, record.unaccepted, record.quarantined) == ("partial", ("toss",), ())
    assert "belongs to dice-tools" in record.problems[0]
    assert shop.record(hermes, "dice").status == "loaded"
    accept(home, "dice", name)
    assert names(shop, "dice") == ["roll", "toss"]
    hermes = shop.load()
    assert hermes.call("toss") == '"heads"'
    assert shop.record(hermes, name).status == "loaded"


@pytest.mark.parametrize("toolset", ["web", "terminal", "file", "code_execution", "browser", "hermes-telegram", "safe"])
def test_the_built_in_toolsets_are_ours(shop: Shop, home: Path, coin: str, toolset: str) -> None:
    shop.install("aaa", joining(coin, toolset))
    assert names(shop, toolset) == []
    assert f"the toolset {toolset!r} belongs to hermes-" in shop.load().why("toss").reason
    accept(home, toolset, "aaa")
    assert names(shop, toolset) == ["toss"]


def test_an_alias_of_a_toolset_is_the_toolset(shop: Shop, dice: str, coin: str) -> None:
    shop.install("dice", dice.replace('Toolset("games", tools=["roll"])', 'Toolset("dice", aliases=["cubes"])'))
    shop.install("zzz", joining(coin, "cubes"))
    assert names(shop, "dice") == ["roll"]
    assert names(shop, "cubes") == ["roll"]


def test_a_plugin_cannot_declare_the_toolset_of_another_distribution(shop: Shop, dice: str, coin: str) -> None:
    declares = """
        from hermes_core import Toolset, hookimpl

        @hookimpl
        def hermes_toolsets():
            return [Toolset("dice", tools=["toss"]), Toolset("mine", aliases=["dice"], tools=["toss"])]
    """
    shop.install("aaa", declares)
    shop.install("coin", coin)
    shop.install("dice", dice)
    assert names(shop, "dice") == ["roll"]
    problems = shop.record(shop.load(), "aaa").problems
    assert problems == ("the toolset 'dice' belongs to dice-tools, so the plugin cannot declare it.",) * 2


def test_a_file_of_the_user_is_held_back_too(shop: Shop, home: Path, dice: str, coin: str) -> None:
    import textwrap

    (home / "plugins").mkdir(parents=True)
    (home / "plugins" / "mine.py").write_text(textwrap.dedent(joining(coin, "dice")))
    shop.install("dice", dice)
    assert names(shop, "dice") == ["roll"]


def test_an_application_puts_its_tools_where_it_likes(shop: Shop, dice: str) -> None:
    shop.install("dice", dice)
    hermes = shop.load(tools=[Tool.from_schema({"name": "mine"}, lambda args: "1", toolset="dice")])
    assert hermes.call("mine") == "1"


def test_a_required_plugin_may_have_a_tool_that_is_held_back(shop: Shop, home: Path, coin: str) -> None:
    shop.install("aaa", joining(coin, "web"))
    home.mkdir(parents=True)
    (home / "config.yaml").write_text("plugins: {required: [aaa]}")
    assert "belongs to hermes-tools-web" in shop.load().why("toss").reason
