"""`hermes why` answers with words and with its exit status."""

from __future__ import annotations

import json
from collections.abc import Callable
from subprocess import CompletedProcess

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
        "What to do: Set DICE_SHOP_KEY in the environment.",
    ]


def test_an_unknown_tool_exits_with_3(hermes: Run) -> None:
    outcome = hermes("why", "buy_dise")
    assert outcome.returncode == 3
    assert "Did you mean 'buy_dice'" in outcome.stderr


def test_a_name_like_nothing_else_is_answered_with_the_command_that_lists(hermes: Run) -> None:
    assert "Unknown tool: zzz. Run 'hermes tools --all'" in hermes("why", "zzz").stderr


def test_json_keeps_the_exit_status(hermes: Run) -> None:
    outcome = hermes("why", "buy_dice", "--json")
    assert outcome.returncode == 5
    assert json.loads(outcome.stdout) == {
        "name": "buy_dice",
        "available": False,
        "reason": "the environment variable DICE_SHOP_KEY is not set",
        "remedy": "Set DICE_SHOP_KEY in the environment.",
    }
