"""Combines what the plugins of a host and of the hosts above it waive: a host never waives more than those above it."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from threading import Lock

from hermes_core.approval.finding import ApprovalRequest, Decision, Finding, Waiver

Opinion = Mapping[Finding, Waiver] | None
"""What one host waives; None when no plugin of it has an opinion."""

_MAX_ANSWERS = 10_000
"""So many answers of approvers are remembered by a host. Older ones are asked about again."""


def asked(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return the findings that need an approval."""
    return tuple(finding for finding in findings if finding.severity == "ask")


def as_waivers(answer: object, findings: Sequence[Finding]) -> dict[Finding, Waiver]:
    """Return what one plugin waives of these findings.

    Raises:
        TypeError: the answer is something else than waivers.
    """
    waivers = (answer,) if isinstance(answer, Waiver) else answer
    if not isinstance(waivers, Iterable) or isinstance(waivers, str | bytes | Mapping):
        raise TypeError(f"it returned a {type(answer).__name__}, not waivers or None")
    found: dict[Finding, Waiver] = {}
    for waiver in waivers:
        if not isinstance(waiver, Waiver):
            raise TypeError(f"it returned a {type(waiver).__name__} among its waivers")
        if waiver.finding in findings:
            found.setdefault(waiver.finding, waiver)
    return found


def combine(
    findings: Sequence[Finding], opinions: Sequence[Opinion], answers: Callable[[int, Finding], bool]
) -> dict[Finding, tuple[Waiver, ...]]:
    """Return the findings that are waived, and by what at each host.

    A finding is waived when the outermost host waives it, and every host below waives it or has no opinion. What an
    approver of a host has said yes to for longer is waived for that host and all below.

    Args:
        findings: The findings that need an approval.
        opinions: What each host waives, the outermost first.
        answers: Whether the approver of a host, by its position, has really answered a finding.
    """
    waived: dict[Finding, tuple[Waiver, ...]] = {}
    for finding in findings:
        used: list[Waiver] = []
        is_waived = opinions[0] is not None and finding in opinions[0]
        for opinion in opinions:
            if opinion is not None and finding in opinion:
                used.append(opinion[finding])
            elif opinion is not None:
                is_waived = False
        if is_waived:
            waived[finding] = tuple(used)
            continue
        for position, opinion in enumerate(opinions):
            waiver = opinion.get(finding) if opinion is not None else None
            if waiver is not None and waiver.answered and answers(position, finding):
                waived[finding] = (waiver,)
                break
    return waived


class Answers:
    """The calls to which approvers of one host have said yes for longer, with the session where that matters."""

    def __init__(self) -> None:
        self._calls: OrderedDict[tuple[str, str, str, Finding], None] = OrderedDict()
        self._lock = Lock()

    def record(self, request: ApprovalRequest, decision: Decision) -> None:
        """Remember a yes for longer."""
        always = decision.lasts == "always" or any(getattr(each, "scope", "") == "always" for each in decision.grants)
        with self._lock:
            for finding in asked(request.findings):
                self._calls[self._key(request, finding, "" if always else request.session_id)] = None
            while len(self._calls) > _MAX_ANSWERS:
                self._calls.popitem(last=False)

    def holds(self, request: ApprovalRequest, finding: Finding) -> bool:
        """Whether an approver of this host has said yes to this finding of this very call."""
        return any(self._key(request, finding, session) in self._calls for session in ("", request.session_id))

    @staticmethod
    def _key(request: ApprovalRequest, finding: Finding, session: str) -> tuple[str, str, str, Finding]:
        return request.tool, json.dumps(request.args, sort_keys=True, default=repr), session, finding
