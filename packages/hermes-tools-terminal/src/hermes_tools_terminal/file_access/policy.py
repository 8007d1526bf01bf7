"""Findings about reading or writing a file: the guard's rules, adapted to the environment."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from hermes_core import Finding
from hermes_tools_terminal.environments.base import agent_home
from hermes_tools_terminal.guarding import path_policy

if TYPE_CHECKING:
    from hermes_guard import Finding as GuardFinding
    from hermes_tools_terminal.environments.base import Environment
    from hermes_tools_terminal.files.filesystem import FileInfo

Op = Literal["read", "write"]

# In another place nobody knows the home; most containers are used as root.
_HOME_ELSEWHERE = "/root"


def findings(
    op: Op,
    found: FileInfo,
    *,
    place: Environment,
    roots: Sequence[str],
    confined: bool = False,
    ask_everywhere: bool = False,
    receipts: str | None = None,
) -> list[Finding]:
    """What is to be said about one file before it is used.

    Args:
        op: Whether it is read or written.
        found: Where the path leads.
        place: Where it lies.
        roots: The workspace and further folders that are worked in, as they really are.
        confined: Refuse what lies outside of them.
        ask_everywhere: Ask about what happens in an isolated place, too.
        receipts: The folder of this machine that old contents are kept in.
    """
    root = next((root for root in roots if is_beneath(found.path, root)), None)
    if confined and root is None:
        return [outside(op, found.path, f"it lies outside of {', '.join(roots) or 'the workspace'}")]
    told = {found.asked: None, found.path: None}  # by its name and where it leads, each once
    judged = [each for path in told for each in _judged(op, path, place, root or (roots[0] if roots else None))]
    isolated = place.isolated and not ask_everywhere
    lifted = isolated and not _leaves(found.path, place.leaks())
    by_rule = {(each.rule, each.severity): _as_ours(each, found.path, lifted=lifted) for each in judged}
    told_of = list(by_rule.values())
    if receipts is not None and place.quick and is_beneath(found.path, receipts):
        told_of.append(_about_receipts(op, found.path))
    return told_of


def outside(op: Op, path: str, reason: str) -> Finding:
    """That a path leads out of the folders to which files are confined."""
    return Finding(
        rule="files.outside",
        severity="refuse",
        reason=f"files are confined to certain folders: {reason}",
        effects=frozenset({op}),
        span=path[:500],
    )


def _about_receipts(op: Op, path: str) -> Finding:
    return Finding(
        rule="files.receipts",
        severity="ask",
        reason="Old contents of files are kept there, secret ones too, and undo writes what it finds there",
        effects=frozenset({op}),
        span=path[:500],
    )


def is_beneath(path: str, root: str) -> bool:
    """Whether a path is a folder or lies in it; both are without links."""
    return path == root or path.startswith(root.rstrip("/") + "/")


def _judged(op: Op, path: str, place: Environment, workspace: str | None) -> Sequence[GuardFinding]:
    home = os.environ.get("HOME") or None if place.quick else _HOME_ELSEWHERE
    return path_policy(agent_home(place)).judge(op, path, workspace=workspace, home=home).findings


def _leaves(path: str, leaks: Sequence[str]) -> bool:
    """Whether a file of an isolated place is one of this machine, too."""
    for leak in leaks:
        kind, _, where = leak.partition(":")
        if kind in ("host", "everything"):
            return True
        if kind in ("folder", "socket") and is_beneath(path, where or "/"):
            return True
    return False


def _as_ours(found: GuardFinding, path: str, *, lifted: bool) -> Finding:
    return Finding(
        rule=found.rule,
        severity="note" if lifted and found.severity == "ask" else found.severity,
        reason=found.reason,
        effects=found.effects,
        span=path[:500],
    )
