"""The plugin works in a host as an agent would use it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import hermes_tools_dice
from hermes_kit import Kit, check_manifest, check_plugin
from hermes_tools_dice.notation import Dice, read_dice

Load = Callable[..., Kit]


@pytest.fixture
def kit(hermes_kit: Load) -> Kit:
    return hermes_kit(hermes_tools_dice, name="dice", config={"dice": {"seed": 7}})


def test_a_roll_shows_each_die_and_the_total(kit: Kit) -> None:
    rolled = kit.call("dice_roll", {"notation": "3d6+2"}).assert_ok().value
    assert len(rolled["rolls"]) == 3
    assert all(1 <= roll <= 6 for roll in rolled["rolls"])
    assert rolled["total"] == sum(rolled["rolls"]) + 2


def test_the_same_seed_gives_the_same_rolls(kit: Kit) -> None:
    first, second = (kit.call("dice_roll", {"notation": "9d20"}).value for _ in range(2))
    assert first == second


def test_rolls_without_a_seed_differ(hermes_kit: Load) -> None:
    kit = hermes_kit(hermes_tools_dice, name="dice")
    assert len({str(kit.call("dice_roll", {"notation": "20d1000"}).value) for _ in range(3)}) == 3


def test_an_argument_alias_is_repaired(kit: Kit) -> None:
    kit.call("dice_roll", {"dice": "d6"}).assert_ok().assert_repaired()


@pytest.mark.parametrize("notation", ["", "six", "2d", "0d6", "2d0", "1001d6", "d1001", "2d6+", "2d6+1+1", "٣d6"])
def test_invalid_notation_is_explained(kit: Kit, notation: str) -> None:
    outcome = kit.call("dice_roll", {"notation": notation}).assert_error("invalid_arguments")
    assert repr(notation) in str(outcome.error)


def test_policy_denies_more_dice_than_the_user_allows(hermes_kit: Load) -> None:
    kit = hermes_kit(hermes_tools_dice, name="dice", config={"dice": {"max_dice": 3}})
    kit.call("dice_roll", {"notation": "3d6"}).assert_ok()
    denied = kit.call("dice_roll", {"notation": "4d6"}).assert_denied()
    assert "4 dice exceed dice.max_dice, which is 3" in str(denied.error)


def test_invalid_settings_deny_the_roll(hermes_kit: Load) -> None:
    kit = hermes_kit(hermes_tools_dice, name="dice", config={"dice": {"max_dice": 0}})
    assert not kit.call("dice_roll", {"notation": "d6"}).ok


@pytest.mark.parametrize(
    ("notation", "at_least", "chance"),
    [
        ("2d6", 7, 21 / 36),
        ("d20", 20, 0.05),
        ("d6", 1, 1.0),
        ("d6", 7, 0.0),
        ("d6+1", 7, 1 / 6),
        ("3d6-3", 15, 1 / 216),
    ],
)
def test_odds_are_exact(kit: Kit, notation: str, at_least: int, chance: float) -> None:
    odds = kit.call("dice_odds", {"notation": notation, "at_least": at_least}).assert_ok().value
    assert odds["chance"] == round(chance, 6)


@pytest.mark.parametrize(("text", "dice"), [("2d6", Dice(2, 6)), ("D20", Dice(1, 20)), (" 3 d 8 - 2", Dice(3, 8, -2))])
def test_notation_is_parsed(text: str, dice: Dice) -> None:
    assert read_dice(text) == dice


def test_the_review_finds_no_problems() -> None:
    assert check_plugin(hermes_tools_dice, "dice") == []


def test_models_see_two_tools_without_the_context(kit: Kit) -> None:
    definitions: list[dict[str, Any]] = kit.definitions()
    assert [each["function"]["name"] for each in definitions] == ["dice_odds", "dice_roll"]
    assert "ctx" not in definitions[1]["function"]["parameters"]["properties"]


def test_the_manifest_matches_the_code() -> None:
    assert check_manifest(hermes_tools_dice, "dice") == []
