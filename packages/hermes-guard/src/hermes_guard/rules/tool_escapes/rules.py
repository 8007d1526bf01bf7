"""Declares the rules for tools that run commands."""

from hermes_guard.rules.family import Family

FAMILY = Family("tool_escapes")

ESCAPE = FAMILY.rule(
    "escape.shell", "{program} opens a shell, or runs an unknown command: {path}", effects=("execute",)
)
THERE = FAMILY.rule("escape.remote-delete", "deletes files on another machine: {path}", effects=("delete", "network"))
PROGRAM = FAMILY.rule("escape.database-program", "lets the database server run a program: {path}", effects=("execute",))
