"""Sends the probe through every path, and collects the results."""

from __future__ import annotations

import contextlib
import logging
from functools import partial
from typing import TYPE_CHECKING, Any

from hermes_core import Hermes, HermesError, Waiver, hookimpl
from hermes_core.commands import run_within
from hermes_core.inspection import default_session, hook_table, replace_hook_table
from hermes_kit.proof.call_paths import Path, all_paths
from hermes_kit.proof.probe import ProbeNames, free_names, register_probe
from hermes_kit.proof.proof import PROVEN_HOOKS, UNPROVEN_HOOKS, PathProof, Proof
from hermes_kit.proof.watcher import OBSERVER, Notes, Observer, ProblemLog, WatchedPlugins

if TYPE_CHECKING:
    from hermes_core import CallRecord, Session

_OF_SESSIONS = frozenset({"hermes_session_start", "hermes_session_end"})
_NEVER_ENDED = "it did not end"
_GRACE_SECONDS = 2.0
"""How many seconds a path may take in addition to its hooks."""


def prove_host(host: Hermes) -> Proof:
    """Send the probe through a host on every path. Do not use the host afterwards."""
    with contextlib.suppress(HermesError):  # the report has the load status of each plugin
        host.activate()
    notes = Notes(seconds=0)
    host.add_plugin(Observer(notes))
    names = free_names(host)
    register_probe(host, names, notes)
    notes.seconds = replace_hook_table(host, WatchedPlugins(hook_table(host), notes))
    log = logging.getLogger("hermes")
    failures = ProblemLog(notes)
    log.addFilter(failures)
    try:
        paths = _taken(host, names, notes)
    finally:
        log.removeFilter(failures)
    return Proof(
        stuck=_stuck(notes, paths),
        implemented=_implementers(host, PROVEN_HOOKS),
        paths=paths,
        unusable={record.name: " ".join(record.problems) or record.status for record in host.report.problems},
        unproven={hook: found for hook, found in _implementers(host, UNPROVEN_HOOKS).items() if found},
    )


def _taken(host: Hermes, names: ProbeNames, notes: Notes) -> list[PathProof]:
    below = _host_below(host, names, notes)
    taken: list[PathProof] = []
    for path in all_paths(names, hiding=host.registry.get("tool_search") is not None):
        used = below if path.below else host
        session = default_session(used) if path.name == "direct" else used.session()
        implemented = _expected_hooks(path, _implementers(host, PROVEN_HOOKS))
        notes.failures.clear()
        tried = not _stuck(notes, taken)
        problem = ""
        if tried:
            number = sum(map(len, implemented.values())) + 1
            seconds = notes.seconds * number * (path.calls + 1) + _GRACE_SECONDS
            ended = run_within(partial(_go, path, used, session), seconds)
            problem = f"{_NEVER_ENDED} within {seconds:g} s" if ended is None else ended
        taken.append(_proof(path, session.id, implemented, notes, problem, tried))
    run_within(below.close, notes.seconds + _GRACE_SECONDS)
    return taken


class _WaivesNothing:
    """Makes a host ask its approvers about everything."""

    __name__ = "proof"

    @hookimpl
    def hermes_waive_findings(self) -> list[Waiver]:
        """Waive nothing, so that the parent cannot waive the finding either."""
        return []


def _host_below(host: Hermes, names: ProbeNames, notes: Notes) -> Hermes:
    """Return a child host of the user's host. It asks, which shows how a request for approval ends."""
    seconds = {"calls": {"hook_timeout": notes.seconds}}
    below = Hermes(parent=host, plugins=[_WaivesNothing()], config=seconds, home=host.home)
    register_probe(below, names, notes)
    return below


def _go(path: Path, host: Hermes, session: Session) -> None:
    try:
        path.take(host, session)
    finally:
        session.close()


def _stuck(notes: Notes, taken: list[PathProof]) -> str:
    """Return what blocks all other paths; empty if nothing does."""
    hook = notes.stuck(async_only=True)
    if hook is not None:
        return f"{hook.hook} of {hook.plugin} blocks the event loop"
    endless = next((each.path for each in taken if each.problem.startswith(_NEVER_ENDED)), None)
    if endless is None:
        return ""
    hook = notes.stuck(async_only=False)
    return f"{hook.hook} of {hook.plugin} never returned" if hook else f"the path {endless!r} does not end"


def _implementers(host: Hermes, hooks: Any) -> dict[str, list[str]]:
    """Return the user's plugins that implement each hook, in the order of their calls."""
    found = {hook: [each.plugin for each in hook_table(host).implementations(hook)] for hook in hooks}
    return {hook: [plugin for plugin in plugins if plugin != OBSERVER] for hook, plugins in found.items()}


def _expected_hooks(path: Path, implemented: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return the expected hooks of a path: each host has its own sessions."""
    return {hook: [] if path.below and hook in _OF_SESSIONS else plugins for hook, plugins in implemented.items()}


def _proof(
    path: Path, session_id: str, implemented: dict[str, list[str]], notes: Notes, problem: str, tried: bool
) -> PathProof:
    records = [record for record in notes.records if record.call.session_id == session_id]
    inner = [record for record in records if record.call.name == path.tool]
    if inner or not any(record.status == "blocked" for record in records):
        records = inner
        if tried and len(records) != path.calls and not problem:
            problem = f"{len(records)} of {path.calls} calls ended"
    # Otherwise the tool that calls the probe was denied itself: then all hooks must have seen that call.
    ids = {None, *(record.call.id for record in records)}
    sightings = [each for each in notes.sightings if each.session_id == session_id and each.call_id in ids]
    seen: dict[str, list[str]] = {}
    skipped = []
    for hook, plugins in implemented.items():
        order = dict.fromkeys(each.plugin for each in sightings if each.hook == hook and each.plugin != OBSERVER)
        seen[hook] = list(order)
        for plugin in plugins:
            met = {each.call_id for each in sightings if (each.hook, each.plugin) == (hook, plugin)}
            if not _expected_calls(hook, records, notes.ran) <= met:
                skipped.append((hook, plugin))
    outcomes: list[str] = [record.decision.outcome if record.decision else "allowed" for record in records]
    return PathProof(
        path=path.name,
        seen=seen,
        skipped=skipped if tried else [],
        tried=tried,
        failures=[each for each in notes.failures if each.plugin != OBSERVER],
        outcomes=outcomes,
        problem=problem,
    )


def _expected_calls(hook: str, records: list[CallRecord], ran: set[str]) -> set[str | None]:
    """Return the calls that a hook must have seen: a denied call has no result to transform."""
    if hook in _OF_SESSIONS:
        return {None}
    ids = {record.call.id for record in records}
    if hook == "hermes_transform_tool_result":
        return set(ids & ran)
    if hook == "hermes_approval_resolved":
        return {each.call.id for each in records if each.decision and each.decision.outcome == "no-approver"}
    return set(ids)
