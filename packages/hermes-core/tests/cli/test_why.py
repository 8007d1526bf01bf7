"""`hermes why` answers with words and with its exit status."""

from __future__ import annotations

import json
from collections.abc import Callable
from subprocess import CompletedProcess

import pytest

from hermes_core.cli.exit_codes import ExitCode

Run = Callable[..., CompletedProcess[str]]


def test_an_available_tool_exits_with_0(hermes: Run) -> None:
    outcome = hermes("why", "throw")
    assert outcome.returncode == 0
    assert outcome.stdout == "roll_dice is available.\n"


def test_an_unavailable_tool_exits_with_5_and_tells_the_remedy(hermes: Run) -> None:
    outcome = hermes("why", "buy_dice")
    assert outcome.returncode == 5
    assert outcome.stdout.splitlines() == [
        "buy_dice is not available: the environment variable DICE_SHOP_KEY is not set.",
        "What to do: Set DICE_SHOP_KEY in the environment, or store it with 'hermes config set DICE_SHOP_KEY -'.",
    ]


def test_an_unknown_tool_exits_with_3(hermes: Run) -> None:
    outcome = hermes("why", "buy_dise")
    assert outcome.returncode == 3
    assert "Did you mean 'buy_dice'" in outcome.stderr


def test_a_name_like_nothing_else_is_answered_with_the_command_that_lists(hermes: Run) -> None:
    assert "Unknown tool: zzz. 'hermes tools --all' lists all tools." in hermes("why", "zzz").stderr


def test_json_keeps_the_exit_status(hermes: Run) -> None:
    outcome = hermes("why", "buy_dice", "--json")
    assert outcome.returncode == 5
    assert json.loads(outcome.stdout) == {
        "name": "buy_dice",
        "available": False,
        "reason": "the environment variable DICE_SHOP_KEY is not set",
        "remedy": "Set DICE_SHOP_KEY in the environment, or store it with 'hermes config set DICE_SHOP_KEY -'.",
    }


TERMINAL = (
    "pip install ./packages/hermes-approval ./packages/hermes-editing ./packages/hermes-guard "
    "./packages/hermes-tools-terminal (in a checkout of Hermes tools)"
)


@pytest.mark.parametrize("command", ["why", "describe"])
def test_a_tool_of_a_family_that_is_not_installed_names_the_package(bare: Run, command: str) -> None:
    outcome = bare(command, "terminal")
    assert outcome.returncode == ExitCode.UNKNOWN_TOOL
    assert f"It is part of hermes-tools-terminal, which is not installed. Run: {TERMINAL}" in outcome.stderr


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_a_call_of_a_tool_that_is_not_installed_names_the_package(bare: Run, form: tuple[str, ...]) -> None:
    outcome = bare("call", "terminal", "command=ls", *form)
    assert outcome.returncode == ExitCode.UNKNOWN_TOOL
    assert TERMINAL in outcome.stderr


def test_a_command_of_a_family_that_is_not_installed_names_the_package(bare: Run) -> None:
    outcome = bare("terminal", "run", "ls")
    assert outcome.returncode == ExitCode.USAGE
    assert TERMINAL in outcome.stderr


def test_a_toolset_of_a_family_that_is_not_installed_names_the_package(hermes: Run) -> None:
    assert "./packages/hermes-tools-web" in hermes("tools", "--toolset", "web").stderr
