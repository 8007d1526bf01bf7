"""Holds back the tools of installed plugins that `hermes.lock` knows otherwise."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from hermes_core.plugins import sources
from hermes_core.plugins.candidate import Candidate
from hermes_core.plugins.registration import Hold, Registered
from hermes_core.tools.tool import Tool

if TYPE_CHECKING:
    from hermes_core.plugins.lock.lockfile import Lock

_LIES = "Tell its author to run 'hermes plugin manifest', or install another version."


def holder(lock: Lock | None, candidate: Candidate, placed: Registered) -> Hold | None:
    """Return the check of a plugin's tools against the lock; None if none is needed. The user's own files are free.

    Args:
        lock: What was accepted.
        candidate: The plugin.
        placed: What it has in the host already, by its manifest.
    """
    if lock is None or candidate.origin not in sources.LOCKED:
        return None

    accepts = functools.partial(lock.accepts, plugin=candidate.name, distribution=candidate.distribution)

    def hold(tool: Tool) -> tuple[str, str] | None:
        if accepts(tool):
            return None
        before = placed.tools.get(tool.name)
        if before is not None and accepts(before):
            return "it is quarantined: its code is not what its manifest says, and hermes.lock knows the latter", _LIES
        what = "its definition changed since" if tool.name in lock.tools else "it came after"
        accept = f"Look at it with 'hermes lock diff', then run 'hermes lock accept {tool.name}'."
        return f"it is quarantined: {what} hermes.lock was written", accept

    return hold
