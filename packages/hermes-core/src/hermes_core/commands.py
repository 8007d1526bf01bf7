"""PUBLIC: what the `hermes` command offers to the commands of plugins, so that all of them look and end alike.

A name is imported from where it is defined when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_core.cli.arguments import read_words as read_words
    from hermes_core.cli.arguments import type_pairs as type_pairs
    from hermes_core.cli.completions import tool_names as tool_names
    from hermes_core.cli.completions import toolset_names as toolset_names
    from hermes_core.cli.counting import counted as counted
    from hermes_core.cli.exit_codes import ExitCode as ExitCode
    from hermes_core.cli.invocation import debug_option as debug_option
    from hermes_core.cli.lazy import Entry as Entry
    from hermes_core.cli.lazy import LazyGroup as LazyGroup
    from hermes_core.cli.loading import loaded_host as loaded_host
    from hermes_core.cli.output import clean as clean
    from hermes_core.cli.output import is_terminal as is_terminal
    from hermes_core.cli.output import line_width as line_width
    from hermes_core.cli.output import note as note
    from hermes_core.cli.output import print_json as print_json
    from hermes_core.cli.output import print_json_text as print_json_text
    from hermes_core.cli.output import say as say
    from hermes_core.cli.since import since_option as since_option
    from hermes_core.cli.table import Column as Column
    from hermes_core.cli.table import cut as cut
    from hermes_core.cli.table import print_facts as print_facts
    from hermes_core.cli.table import print_table as print_table

_MODULES = {
    "arguments": ("read_words", "type_pairs"),
    "completions": ("tool_names", "toolset_names"),
    "counting": ("counted",),
    "exit_codes": ("ExitCode",),
    "invocation": ("debug_option",),
    "lazy": ("Entry", "LazyGroup"),
    "loading": ("loaded_host",),
    "output": ("clean", "is_terminal", "line_width", "note", "print_json", "print_json_text", "say"),
    "since": ("since_option",),
    "table": ("Column", "cut", "print_facts", "print_table"),
}


def __getattr__(name: str) -> object:
    for module, names in _MODULES.items():
        if name in names:
            from importlib import import_module

            value: object = getattr(import_module(f"hermes_core.cli.{module}"), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
