"""Findings about reading or writing a file: the guard's rules, adapted to the environment."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from hermes_core import Finding
from hermes_tools_terminal.command_assessment import path_policy
from hermes_tools_terminal.environments.base import agent_home
from hermes_tools_terminal.files.filesystem import is_beneath

if TYPE_CHECKING:
    from hermes_guard import Finding as GuardFinding
    from hermes_tools_terminal.environments.base import Environment
    from hermes_tools_terminal.files.filesystem import FileInfo

Op = Literal["read", "write"]

# The home directory of other environments is unknown; most containers run as root.
_REMOTE_HOME = "/root"


def findings(
    op: Op,
    found: FileInfo,
    *,
    environment: Environment,
    roots: Sequence[str],
    confined: bool = False,
    ask_everywhere: bool = False,
    receipts: str | None = None,
) -> list[Finding]:
    """Return the findings about the use of a file; all paths are resolved."""
    root = next((root for root in roots if is_beneath(found.path, root)), None)
    if confined and root is None:
        return [outside(op, found.path, f"it is outside {', '.join(roots) or 'the workspace'}")]
    paths = {found.asked: None, found.path: None}  # its name and its target, each once
    found_by_guard = [
        each for path in paths for each in _judged(op, path, environment, root or (roots[0] if roots else None))
    ]
    isolated = environment.isolated and not ask_everywhere
    lifted = isolated and not leaves_environment(found.path, environment.leaks())
    by_rule = {(each.rule, each.severity): _as_ours(each, found.path, lifted=lifted) for each in found_by_guard}
    all_findings = list(by_rule.values())
    if receipts is not None and environment.quick and is_beneath(found.path, receipts):
        all_findings.append(_receipts_finding(op, found.path))
    return all_findings


def outside(op: Op, path: str, reason: str) -> Finding:
    """Return the finding for a file outside the roots that files are confined to."""
    return Finding(
        rule="files.outside",
        severity="refuse",
        reason=f"files are confined to certain directories: {reason}",
        effects=frozenset({op}),
        span=path[:500],
    )


def _receipts_finding(op: Op, path: str) -> Finding:
    return Finding(
        rule="files.receipts",
        severity="ask",
        reason="It stores old contents of files, including secrets, and undo restores what it finds there",
        effects=frozenset({op}),
        span=path[:500],
    )


def _judged(op: Op, path: str, environment: Environment, workspace: str | None) -> Sequence[GuardFinding]:
    home = os.environ.get("HOME") or None if environment.quick else _REMOTE_HOME
    return path_policy(agent_home(environment)).judge(op, path, workspace=workspace, home=home).findings


def leaves_environment(path: str, leaks: Sequence[str], *, tree: bool = False) -> bool:
    """Return whether a file of an isolated environment, or any file below it, is also a file of this machine."""
    for leak in leaks:
        kind, _, where = leak.partition(":")
        if kind in ("host", "everything"):
            return True
        if kind in ("folder", "socket") and (is_beneath(path, where or "/") or (tree and is_beneath(where, path))):
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
