"""The plugin's hook implementations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hermes_core import hookimpl

if TYPE_CHECKING:
    import click

    from hermes_core import Tool
    from hermes_core.demo import DemoStep
    from hermes_core.health import HealthCheck

hermes_api = ">=1.0,<2"


@hookimpl
def hermes_tools() -> list[Tool]:
    """Return the tools of this package."""
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
    """Return the settings sections `terminal`, `files` and `code_execution`."""
    from hermes_tools_terminal.settings import CodeSettings, FileSettings, TerminalSettings

    return {"terminal": TerminalSettings, "files": FileSettings, "code_execution": CodeSettings}


@hookimpl
def hermes_commands() -> list[click.Command]:
    """Return the commands `hermes terminal` and `hermes undo`."""
    from hermes_tools_terminal.cli.terminal import terminal
    from hermes_tools_terminal.cli.undo import command, open_filesystem

    return [terminal, command(open_filesystem)]


@hookimpl
def hermes_health_checks() -> list[HealthCheck]:
    """Return the checks that `hermes doctor` runs."""
    from hermes_tools_terminal.health import health_checks

    return health_checks()


@hookimpl
def hermes_demo_steps() -> list[DemoStep]:
    """Return the steps of `hermes demo`."""
    from hermes_tools_terminal.demo import demo_steps

    return demo_steps()
