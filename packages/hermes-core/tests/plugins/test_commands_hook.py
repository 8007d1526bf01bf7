"""`hermes_commands`: plugins add commands, which are known by their manifest and imported when they are run."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import click
import pytest
from click.testing import CliRunner

from hermes_core import Hermes, PluginError, hookimpl
from hermes_core.inspection import load_command, plugin_commands

if TYPE_CHECKING:
    from plugins.conftest import Shop

SOURCE = """
    import click
    from hermes_core import hookimpl

    @click.command("shuffle")
    @click.option("--times", default=1)
    def shuffle(times):
        '''Shuffle the cards.

        As often as you like.
        '''
        click.echo(f"shuffled {times} times")

    @click.group("deck", short_help="Look after the deck.")
    def deck():
        '''A very long explanation that is not shown in lists.'''

    @deck.command("cut")
    def cut():
        click.echo("cut")

    @hookimpl
    def hermes_commands():
        return [shuffle, deck]
"""


def plugin(answer: object) -> Any:
    class Plugin:
        @hookimpl
        def hermes_commands(self) -> Any:
            return answer

    return Plugin()


@pytest.mark.parametrize("manifest", [True, False], ids=["from the manifest", "from the code"])
def test_commands_are_listed_with_their_help_and_run(shop: Shop, manifest: bool) -> None:
    shop.install("cards", SOURCE, manifest=manifest)
    hermes = shop.load()
    assert plugin_commands(hermes) == {"deck": "Look after the deck.", "shuffle": "Shuffle the cards."}
    assert shop.imported() == ([] if manifest else ["cards"])
    command = load_command(hermes, "shuffle")
    assert shop.imported() == ["cards"]
    assert CliRunner().invoke(command, ["--times", "3"]).output == "shuffled 3 times\n"
    assert CliRunner().invoke(load_command(hermes, "deck"), ["cut"]).output == "cut\n"
    assert shop.record(hermes, "cards").status == "loaded"
    assert plugin_commands(hermes) == {"deck": "Look after the deck.", "shuffle": "Shuffle the cards."}


WITH_A_CALL_HOOK = (
    SOURCE.replace("def hermes_commands():", "def hermes_commands():\n        ASKED.append(1)")
    + """
    ASKED = []

    @hookimpl
    def hermes_pre_tool_call(call):
        pass
"""
)


def test_a_plugin_that_judges_calls_is_asked_for_its_commands_when_one_runs(shop: Shop) -> None:
    shop.install("cards", WITH_A_CALL_HOOK)
    hermes = shop.load()
    asked = importlib.import_module("shop_cards").ASKED
    assert shop.record(hermes, "cards").status == "loaded"
    assert plugin_commands(hermes) == {"deck": "Look after the deck.", "shuffle": "Shuffle the cards."}
    assert asked == []
    assert CliRunner().invoke(load_command(hermes, "shuffle"), []).output == "shuffled 1 times\n"
    assert CliRunner().invoke(load_command(hermes, "deck"), ["cut"]).output == "cut\n"
    assert asked == [1]


def test_commands_that_cannot_be_given_harm_nothing_but_the_command_line(shop: Shop) -> None:
    shop.install("cards", WITH_A_CALL_HOOK)
    shop.rewrite("cards", WITH_A_CALL_HOOK.replace("ASKED.append(1)", "raise ValueError('no')"))
    hermes = shop.load()
    for _ in range(2):
        with pytest.raises(PluginError, match="no"):
            load_command(hermes, "shuffle")
    assert shop.record(hermes, "cards").status == "loaded"


def test_a_command_that_nobody_has_is_an_error_with_the_nearest(shop: Shop) -> None:
    shop.install("cards", SOURCE)
    with pytest.raises(PluginError, match="none has a command 'shufle'. Did you mean 'shuffle'?") as caught:
        load_command(shop.load(), "shufle")
    assert caught.value.remedy == "See 'hermes --help'."
    assert shop.imported() == []


def test_a_help_that_changed_after_the_manifest_is_that_of_the_code(shop: Shop) -> None:
    shop.install("cards", SOURCE)
    shop.rewrite("cards", SOURCE.replace("Shuffle the cards.", "Mix the cards."))
    hermes = shop.load()
    load_command(hermes, "shuffle")
    assert plugin_commands(hermes)["shuffle"] == "Mix the cards."
    assert "command 'shuffle' differs in its help." in shop.record(hermes, "cards").problems[0]


def test_an_application_adds_commands() -> None:
    command = click.Command("hello", help="Say hello.")
    with Hermes(plugins=[plugin([command])]) as hermes:
        assert plugin_commands(hermes) == {"hello": "Say hello."}
        assert load_command(hermes, "hello") is command


def test_of_two_plugins_with_one_command_the_first_keeps_it() -> None:
    first = click.Command("hello", help="Say hello.")
    with Hermes(plugins=[plugin([first])]) as hermes:
        with pytest.raises(PluginError, match="the command 'hello' belongs to the plugin 'Plugin-1'"):
            hermes.add_plugin(plugin([click.Command("hello")]))
        assert load_command(hermes, "hello") is first


class Mute(click.Command):
    """A command that cannot say what it is."""

    def get_short_help_str(self, limit: int = 45) -> str:
        raise ValueError("no help")


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (5, "hermes_commands returned a int, not a list of Commands."),
        ([5], "hermes_commands returned a list that contains a int, not a Command."),
        ({"x": click.Command("x")}, "hermes_commands returned a dict, not a list of Commands."),
        ([click.Command(None)], "hermes_commands returned a command without a name."),
    ],
    ids=["number", "list of numbers", "mapping", "nameless"],
)
def test_nonsense_instead_of_commands_is_refused_in_words(answer: object, reason: str) -> None:
    with Hermes() as hermes:
        with pytest.raises(PluginError) as caught:
            hermes.add_plugin(plugin(answer), "mine")
        assert caught.value.reason == reason
        assert caught.value.remedy
        assert plugin_commands(hermes) == {}


def test_a_command_that_breaks_while_it_is_asked_for_its_help_disables_its_plugin_alone() -> None:
    with Hermes() as hermes:
        with pytest.raises(PluginError, match="ValueError: no help") as caught:
            hermes.add_plugin(plugin([Mute("mute")]), "mine")
        assert __file__ in caught.value.reason
        assert plugin_commands(hermes) == {}
        hermes.add_plugin(plugin([click.Command("hello")]), "mine")
        assert plugin_commands(hermes) == {"hello": ""}


def test_one_command_or_none_may_be_given() -> None:
    with Hermes(plugins=[plugin(click.Command("hello"))]) as hermes:
        assert list(plugin_commands(hermes)) == ["hello"]
    with Hermes(plugins=[plugin(None)]) as hermes:
        assert plugin_commands(hermes) == {}
