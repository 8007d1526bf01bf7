"""The plugin's policy, which judges every roll before it runs."""

from __future__ import annotations

from hermes_core import Deny, ToolCall, ToolContext
from hermes_tools_dice.notation import read_dice
from hermes_tools_dice.settings import DiceSettings


def judge(call: ToolCall, ctx: ToolContext) -> Deny | None:
    """Deny a roll of more dice than `dice.max_dice` allows; return None for everything else."""
    if call.name != "dice_roll":
        return None
    try:
        count = read_dice(str(call.args.get("notation", ""))).count
    except ValueError:
        return None  # the tool reports a better error
    limit = ctx.settings("dice", DiceSettings).max_dice
    return Deny(f"{count} dice exceed dice.max_dice, which is {limit}") if count > limit else None
