"""Shells, files and scripts in real places for AI agents: the plugin's hooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hermes_core import hookimpl

if TYPE_CHECKING:
    import click

    from hermes_core import Tool
    from hermes_core.demo import DemoStep
    from hermes_core.health import HealthCheck

__version__ = "1.0.0"
hermes_api = ">=1.0,<2"


@hookimpl
def hermes_tools() -> list[Tool]:
    """The tools of the family."""
    from hermes_tools_terminal.tools.execute_code import execute_code
    from hermes_tools_terminal.tools.patch import patch
    from hermes_tools_terminal.tools.process import process
    from hermes_tools_terminal.tools.read_file import read_file
    from hermes_tools_terminal.tools.search_files import search_files
    from hermes_tools_terminal.tools.terminal import terminal
    from hermes_tools_terminal.tools.write_file import write_file

    return [terminal, process, read_file, write_file, patch, search_files, execute_code]


@hookimpl
def hermes_settings() -> dict[str, type]:
    """The sections `terminal`, `files` and `code_execution`."""
    from hermes_tools_terminal.settings import CodeSettings, FileSettings, TerminalSettings

    return {"terminal": TerminalSettings, "files": FileSettings, "code_execution": CodeSettings}


@hookimpl
def hermes_commands() -> list[click.Command]:
    """`hermes terminal` and `hermes undo`."""
    from hermes_tools_terminal.cli import terminal
    from hermes_tools_terminal.undo_cli import command, open_filesystem

    return [terminal, command(open_filesystem)]


@hookimpl
def hermes_health_checks() -> list[HealthCheck]:
    """Return what `hermes doctor` exercises."""
    from hermes_tools_terminal.health import health_checks

    return health_checks()


@hookimpl
def hermes_demo_steps() -> list[DemoStep]:
    """Return what `hermes demo` shows."""
    from hermes_tools_terminal.demo import demo_steps

    return demo_steps()
