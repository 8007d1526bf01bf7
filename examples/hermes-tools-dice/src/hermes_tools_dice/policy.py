"""The plugin's policy: it judges every roll before the dice fall, whoever asked for it."""

from __future__ import annotations

from hermes_core import Deny, ToolCall, ToolContext
from hermes_tools_dice.notation import read_dice
from hermes_tools_dice.settings import DiceSettings


def judge(call: ToolCall, ctx: ToolContext) -> Deny | None:
    """Deny a roll of more dice than `dice.most_dice` allows; have no opinion about anything else."""
    if call.name != "dice_roll":
        return None
    try:
        count = read_dice(str(call.args.get("notation", ""))).count
    except ValueError:
        return None  # the tool itself says it better
    most = ctx.settings("dice", DiceSettings).most_dice
    return Deny(f"{count} dice are more than the {most} that dice.most_dice allows") if count > most else None
