"""The two tools: typed functions whose annotations become the schemas that models see."""

from __future__ import annotations

import random
from typing import Annotated, Any

from pydantic import Field

from hermes_core import ToolContext, ToolInputError, tool
from hermes_tools_dice.notation import Dice, read_dice
from hermes_tools_dice.settings import DiceSettings

Notation = Annotated[str, Field(description="The dice, such as 2d6, d20 or 3d8+2.", examples=["3d6+2"])]
_MAX_DICE_FOR_ODDS = 50


@tool(toolset="dice", emoji="🎲", keywords=["random", "chance"], argument_aliases={"dice": "notation"})
def dice_roll(notation: Notation, ctx: ToolContext) -> dict[str, Any]:
    """Roll dice and return the value of each die and the total.

    Use it for random decisions, such as games, draws and test data.
    """
    dice = _dice(notation)
    settings = ctx.settings("dice", DiceSettings)
    source = random.SystemRandom() if settings.seed is None else random.Random(settings.seed)  # noqa: S311 - dice
    rolls = dice.roll(source)
    return {"rolls": rolls, "bonus": dice.bonus, "total": sum(rolls) + dice.bonus}


@tool(toolset="dice", emoji="📈", effects=["read"], keywords=["probability"])
def dice_odds(notation: Notation, at_least: Annotated[int, Field(description="The minimum total.")]) -> dict[str, Any]:
    """Compute the probability of rolling at least a given total. Does not roll."""
    dice = _dice(notation)
    if dice.count > _MAX_DICE_FOR_ODDS:
        raise ToolInputError(f"odds are limited to {_MAX_DICE_FOR_ODDS} dice", hint="Use fewer dice.")
    chance = dice.chance_of_at_least(at_least)
    return {"chance": round(float(chance), 6), "percent": round(float(chance) * 100, 2)}


def _dice(notation: str) -> Dice:
    try:
        return read_dice(notation)
    except ValueError as error:
        raise ToolInputError(str(error)) from error
