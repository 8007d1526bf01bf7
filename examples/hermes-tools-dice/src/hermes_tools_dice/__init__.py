"""Dice for AI agents: the hooks of the plugin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hermes_core import Toolset, hookimpl
from hermes_tools_dice.policy import judge
from hermes_tools_dice.settings import DiceSettings
from hermes_tools_dice.tools import dice_odds, dice_roll

if TYPE_CHECKING:
    from pydantic import BaseModel

    from hermes_core import Deny, Tool, ToolCall, ToolContext

hermes_api = ">=1.0,<2"


@hookimpl
def hermes_tools() -> list[Tool]:
    """Return the two tools."""
    return [dice_roll, dice_odds]


@hookimpl
def hermes_toolsets() -> list[Toolset]:
    """Return a toolset that other game plugins can join."""
    return [Toolset("games", description="Games of chance.", includes=["dice"])]


@hookimpl
def hermes_settings() -> dict[str, type[BaseModel]]:
    """Declare the section `dice`."""
    return {"dice": DiceSettings}


@hookimpl
def hermes_pre_tool_call(call: ToolCall, ctx: ToolContext) -> Deny | None:
    """Deny rolls of more dice than the user allows."""
    return judge(call, ctx)
