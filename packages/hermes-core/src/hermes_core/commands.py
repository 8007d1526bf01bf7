"""PUBLIC: what plugin commands share with the commands of `hermes`: hosts, tables, JSON and exit codes."""

from __future__ import annotations

from hermes_core.cli.arguments import read_words, type_pairs
from hermes_core.cli.completion import tool_names, toolset_names
from hermes_core.cli.exit_codes import ExitCode
from hermes_core.cli.lazy import Entry, LazyGroup
from hermes_core.cli.output import (
    counted,
    is_terminal,
    line_width,
    note,
    print_facts,
    print_json,
    print_json_text,
    print_table,
    say,
)
from hermes_core.cli.probe import probe_host, run_within
from hermes_core.cli.run import debug_option, loaded_host, plugin_output
from hermes_core.families import install_command
from hermes_text.tables import Column
from hermes_text.terminal import clean, cut

__all__ = [
    "Column",
    "Entry",
    "ExitCode",
    "LazyGroup",
    "clean",
    "counted",
    "cut",
    "debug_option",
    "install_command",
    "is_terminal",
    "line_width",
    "loaded_host",
    "note",
    "plugin_output",
    "print_facts",
    "print_json",
    "print_json_text",
    "print_table",
    "probe_host",
    "read_words",
    "run_within",
    "say",
    "tool_names",
    "toolset_names",
    "type_pairs",
]
