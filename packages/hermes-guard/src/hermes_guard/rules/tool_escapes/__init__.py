"""Programs that are no interpreters and still run commands that their options or scripts hold."""

from hermes_guard.rules.tool_escapes import (
    archives,
    code_files,
    connections,
    coprocesses,
    databases,
    debuggers,
    editors,
    finders,
    git,
    make,
    options,
    variables,
)
from hermes_guard.rules.tool_escapes.rules import FAMILY

__all__ = [
    "FAMILY",
    "archives",
    "code_files",
    "connections",
    "coprocesses",
    "databases",
    "debuggers",
    "editors",
    "finders",
    "git",
    "make",
    "options",
    "variables",
]
