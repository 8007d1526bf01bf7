"""PUBLIC: what plugin commands share with the commands of `hermes`: hosts, tables, JSON and exit codes."""
# ruff: noqa: PLC0414 - `as` tells type checkers that a name is exported

from __future__ import annotations

from hermes_core.cli.arguments import read_words as read_words
from hermes_core.cli.arguments import type_pairs as type_pairs
from hermes_core.cli.completion import tool_names as tool_names
from hermes_core.cli.completion import toolset_names as toolset_names
from hermes_core.cli.exit_codes import ExitCode as ExitCode
from hermes_core.cli.lazy import Entry as Entry
from hermes_core.cli.lazy import LazyGroup as LazyGroup
from hermes_core.cli.output import counted as counted
from hermes_core.cli.output import is_terminal as is_terminal
from hermes_core.cli.output import line_width as line_width
from hermes_core.cli.output import note as note
from hermes_core.cli.output import print_facts as print_facts
from hermes_core.cli.output import print_json as print_json
from hermes_core.cli.output import print_json_text as print_json_text
from hermes_core.cli.output import print_table as print_table
from hermes_core.cli.output import say as say
from hermes_core.cli.probe import probe_host as probe_host
from hermes_core.cli.probe import run_within as run_within
from hermes_core.cli.run import debug_option as debug_option
from hermes_core.cli.run import loaded_host as loaded_host
from hermes_core.cli.run import plugin_output as plugin_output
from hermes_core.families import install_command as install_command
from hermes_text.tables import Column as Column
from hermes_text.terminal import clean as clean
from hermes_text.terminal import cut as cut
