"""Ask the shell that would run a command whether it can parse it, without running any of it."""

from __future__ import annotations

import os
import re
import subprocess
from typing import TYPE_CHECKING

from hermes_tools_terminal.environments.base import PlaceError
from hermes_tools_terminal.environments.variables import for_commands

if TYPE_CHECKING:
    from hermes_tools_terminal.environments.base import Environment

_SECONDS = 5.0
_LONGEST = 500
_WRONG = frozenset({"1", "2"})
"""The exit codes of a shell that only parses, and cannot parse what it was given."""


# Aliases and another dialect change what can be parsed, and a shell that only parses has neither.
_CHANGES_PARSING = re.compile(r"alias|posix", re.IGNORECASE)

# Nothing is read but the command, which comes by the input. Patterns such as !(a) are syntax only with extglob.
_PARSE = {
    "bash": ("bash --norc --noprofile -n -s", "bash --norc --noprofile -O extglob -n -s"),
    "sh": ("sh -n -s",),
}


def syntax_error(command: str, place: Environment) -> str | None:
    """Return what the shell says about a command that it cannot parse, with the line; None when it can, or may.

    A command is only called wrong when the shell would take it for wrong in every state that it may be in: with
    extended patterns and without. Where aliases may have changed the syntax, nobody can tell.

    Args:
        command: The command.
        place: Where it would run; it is open.
    """
    if _CHANGES_PARSING.search(command):
        return None
    text = command.encode("utf-8", "surrogateescape") + b"\n"
    said = ""
    for parse in _PARSE[place.shell]:
        script = f"LC_ALL=C {parse} 2>&1; echo $?"
        words, _, status = _printed(script, text, place).strip().rpartition("\n")
        if status.strip() not in _WRONG or not words:
            return None
        said = said or words
    return said[:_LONGEST].strip()


def _printed(script: str, text: bytes, place: Environment) -> str:
    """What a small script prints where the command would run; nothing when it cannot be run."""
    try:
        if not place.quick:
            return str(place.run(script, input=text, timeout=_SECONDS).decode(errors="replace"))  # type: ignore[attr-defined]
        done = subprocess.run(  # noqa: S603 - ours
            ["/bin/sh", "-c", script],
            input=text,
            capture_output=True,
            timeout=_SECONDS,
            env={"PATH": for_commands().get("PATH", os.defpath)},
            cwd="/",
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired, PlaceError, AttributeError):  # not every place runs scripts
        return ""
    return done.stdout.decode(errors="replace")
