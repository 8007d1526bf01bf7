"""Says what a command would do before it runs: the guard's findings, as far as they matter in the command's place."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hermes_core import Finding

if TYPE_CHECKING:
    from hermes_guard import Finding as GuardFinding
    from hermes_tools_terminal.environments.base import Environment

# What stays in a box that has a network, as far as the kind of rule tells: files, processes and settings of its own.
_INSIDE = frozenset({"boot", "delete", "disk", "kernel", "kill", "logs", "machine", "package", "permissions", "write"})
_OUTSIDE = frozenset({"message", "network", "publish", "service"})


def assess_command(command: str, *, cwd: str, place: Environment, ask_everywhere: bool = False) -> list[Finding]:
    """Findings about one command.

    Args:
        command: The text.
        cwd: Where it would run; no text when nobody knows.
        place: What it would run in.
        ask_everywhere: Ask about what happens in an isolated place, too.
    """
    from hermes_guard import judge

    # Elsewhere nobody knows; most containers are used as root.
    home = os.environ.get("HOME") or None if place.quick else "/root"
    verdict = judge(command, cwd=cwd or None, home=home)
    if verdict.allowed:
        return []
    isolated = place.isolated and not ask_everywhere
    leaks = place.leaks() if isolated else ()
    return [_as_ours(command, found, lifted=isolated and not _leaves(found, leaks)) for found in verdict.findings]


def _leaves(found: GuardFinding, leaks: Sequence[str]) -> bool:
    """Whether something outside an isolated place would notice."""
    if found.severity == "refuse":
        return True  # a place has mounts, sockets and networks: what is never done is never done there either
    for leak in leaks:
        kind, _, where = leak.partition(":")
        if kind == "network" and (found.rule.partition(".")[0] not in _INSIDE or found.effects & _OUTSIDE):
            return True
        if kind == "folder" and (not found.path or _within(found.path, where)) and found.effects & {"write", "delete"}:
            return True
        if kind in ("socket", "everything", "host"):
            return True
    return False


def _within(path: str, folder: str) -> bool:
    folder = folder.rstrip("/")
    return not path.startswith("/") or path == folder or path.startswith(f"{folder}/") or folder.startswith(path)


def _as_ours(command: str, found: GuardFinding, *, lifted: bool) -> Finding:
    start, end = found.span or (0, len(command))
    return Finding(
        rule=found.rule,
        severity="note" if lifted else found.severity,
        reason=found.reason,
        effects=found.effects,
        span=command[start:end][:500],
    )


def as_input(command: str, said: str) -> str:
    """What a process would be told, as one text that the guard can read: its program, fed with all that it heard."""
    word = "HERMES_INPUT"
    while word in said:
        word += "_"
    return f"{{ {command}\n}} <<'{word}'\n{said}\n{word}\n"  # every program in it may be the one that reads
