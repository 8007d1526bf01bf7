"""Shells in real places for AI agents: the plugin's hooks. Everything else lives in the modules beside this one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hermes_core import hookimpl

if TYPE_CHECKING:
    import click
    from pydantic import BaseModel

    from hermes_core import Tool

__version__ = "1.0.0"
hermes_api = ">=1.0,<2"


@hookimpl
def hermes_tools() -> list[Tool]:
    """The tools of the family."""
    from hermes_tools_terminal.tools.process import process
    from hermes_tools_terminal.tools.terminal import terminal

    return [terminal, process]


@hookimpl
def hermes_settings() -> dict[str, type[BaseModel]]:
    """The section `terminal`."""
    from hermes_tools_terminal.settings import TerminalSettings

    return {"terminal": TerminalSettings}


@hookimpl
def hermes_commands() -> list[click.Command]:
    """`hermes terminal`."""
    from hermes_tools_terminal.cli import terminal

    return [terminal]
