"""What a call would do, what hooks answer about it, and what was decided."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

from hermes_core.errors import ToolDefinitionError

Severity = Literal["refuse", "ask", "note"]
Lasts = Literal["once", "session", "always"]
Outcome = Literal["allowed", "denied-by-human", "denied-by-policy", "refused", "timed-out", "no-approver", "cancelled"]
ASSESS_FAILED = "assess.failed"
"""How the rules of findings begin that stand for an assessor which failed."""

UNATTENDED = "cron"
"""The kind of session in which there is nobody to ask."""

Facts = tuple[tuple[str, str], ...]
"""Labels and values, such as `("in this directory", "/srv/app")`."""

_WILD = frozenset("*?[]")
_SEVERITIES = ("refuse", "ask", "note")
OUTCOMES = get_args(Outcome)
_LASTS = get_args(Lasts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that a call would do and somebody might mind.

    Attributes:
        rule: A stable id, such as `delete.recursive`.
        severity: `refuse` never runs, `ask` needs an approval, `note` is for the record.
        reason: One sentence for a human.
        effects: What it would do, in the words of tool effects.
        span: The exact part of the arguments that is meant.
        bound: What the call depends on beside its arguments. A grant for it holds only while all of these are the same.
        once: Why only this one call can be approved; empty when a grant can be given.
    """

    rule: str
    severity: Severity
    reason: str
    effects: frozenset[str] = frozenset()
    span: str = ""
    bound: Facts = ()
    once: str = ""

    def __post_init__(self) -> None:
        if self.severity not in _SEVERITIES:
            raise ToolDefinitionError(
                str(self.rule), f"{self.severity!r} is not a severity.", remedy="Use 'refuse', 'ask' or 'note'."
            )
        _require_rule(self.rule)
        for name in ("reason", "span", "once"):
            value = getattr(self, name)
            if not isinstance(value, str):
                raise ToolDefinitionError(
                    self.rule, f"the {name} of a finding is {value!r}, not a text.", remedy="Say it in a sentence."
                )
        if not isinstance(self.effects, frozenset):
            object.__setattr__(self, "effects", frozenset(self.effects))
        if self.bound != ():
            object.__setattr__(self, "bound", _facts(self.rule, self.bound))

    @property
    def unknown(self) -> bool:
        """Whether nobody could say what the call would do: it may well be something that is never allowed."""
        return self.rule.startswith(ASSESS_FAILED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """What a tool says an approval of one call depends on beside the arguments.

    Attributes:
        facts: Labels and values. The labels are shown to people, so they are phrases such as `in this directory`.
        once: Why only this one call can be approved; empty when a grant can be given.
    """

    facts: Facts = ()
    once: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "facts", _facts("binding", self.facts))
        if not isinstance(self.once, str):
            raise ToolDefinitionError("binding", f"{self.once!r} is not a text.", remedy="Give the reason, or nothing.")

    def applied(self, finding: Finding) -> Finding:
        """The finding, bound to these facts as well. Only what has to be approved is bound."""
        if finding.severity != "ask":
            return finding
        facts = tuple(dict.fromkeys((*finding.bound, *self.facts)))
        return replace(finding, bound=facts, once=finding.once or self.once)


def _facts(name: str, facts: object) -> Facts:
    """Labels and values as a tuple of pairs; raises `ToolDefinitionError` for anything else."""
    pairs = tuple(facts) if isinstance(facts, Iterable) and not isinstance(facts, str) else (facts,)
    if not all(
        isinstance(pair, tuple | list) and len(pair) == 2 and all(isinstance(each, str) for each in pair)
        for pair in pairs
    ):
        raise ToolDefinitionError(
            name, f"{facts!r} are not labels and values.", remedy='Use pairs such as ("in this directory", path).'
        )
    return tuple((label, value) for label, value in pairs)


def _require_rule(rule: object) -> None:
    """A rule is one id: what was allowed for it is allowed for nothing else."""
    if not isinstance(rule, str) or not rule or not _WILD.isdisjoint(rule):
        raise ToolDefinitionError(
            str(rule), f"{rule!r} cannot be the rule of a finding.", remedy="Use an id such as 'delete.recursive'."
        )


@dataclass(frozen=True, slots=True)
class Allow:
    """A hook's answer: nothing against it. The same as None."""


@dataclass(frozen=True, slots=True)
class Deny:
    """A hook's answer: this call must not run.

    Attributes:
        reason: One sentence for a human.
        rule: A stable id of the rule that denies it, for the record; the plugin's name when it is not given.
    """

    reason: str
    rule: str = ""


@dataclass(frozen=True, slots=True)
class Ask:
    """A hook's answer: let somebody decide.

    Attributes:
        reason: One sentence for a human.
        rule: A stable id of what is asked about, to which a grant is bound; `PLUGIN.ask` when it is not given.
    """

    reason: str
    rule: str = ""


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A hook's answer: run it with these arguments instead. They are validated again."""

    args: Mapping[str, Any]
    reason: str = ""


HookAnswer = Allow | Deny | Ask | Rewrite | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRequest:
    """What an approver is asked: may this one call run?

    Attributes:
        id: The request's own id, made up for it: what was said to one request is never the answer to another.
        tool: The tool's name.
        toolset: The group it belongs to.
        effects: What the tool may do to the world.
        args: The arguments, with the defaults of those that were not given.
        findings: Why somebody is asked, and what else is known.
        session_id: The session that the call belongs to.
        session_kind: What kind of session that is.
        call_id: The call's id, as its caller knows it.
        origin: The path that the call came by: `direct`, `batch`, `nested`.
        source: The plugin that the tool came from, or `application`.
    """

    id: str
    tool: str
    toolset: str
    args: Mapping[str, Any]
    findings: tuple[Finding, ...]
    session_id: str
    session_kind: str
    call_id: str = ""
    origin: str = "direct"
    source: str = ""
    effects: frozenset[str] = frozenset()

    @property
    def reason(self) -> str:
        """Every reason for asking, in one line."""
        return "; ".join(finding.reason for finding in self.findings if finding.severity != "note")

    @property
    def bound(self) -> Facts:
        """What a grant for this call is bound to beside its arguments: labels and values."""
        return tuple(dict.fromkeys(fact for finding in self.findings for fact in finding.bound))

    @property
    def once(self) -> str:
        """Why only this one call can be approved; empty when a grant can be given."""
        return next((finding.once for finding in self.findings if finding.once), "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What was decided about one call, by whom and why.

    Attributes:
        outcome: What may happen.
        reason: Why.
        by: The rule, plugin, grant or person that decided.
        findings: What was known about the call.
        lasts: How long a yes holds: for this call, or for the same call in the session or always. A plugin that
            stores such answers, as hermes-approval does, keeps it; without one the next call is asked about again.
        grants: What the answer allows beyond this one call, in the form of the plugin that stores it.
    """

    outcome: Outcome
    reason: str = ""
    by: str = ""
    findings: tuple[Finding, ...] = field(default=())
    lasts: Lasts = "once"
    grants: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        if self.outcome not in OUTCOMES:
            raise ToolDefinitionError(
                str(self.by), f"{self.outcome!r} is not a decision.", remedy=f"Use one of {', '.join(OUTCOMES)}."
            )
        if self.lasts not in _LASTS:
            raise ToolDefinitionError(
                str(self.by), f"no decision lasts {self.lasts!r}.", remedy=f"Use one of {', '.join(_LASTS)}."
            )
        for name in ("reason", "by"):
            if not isinstance(getattr(self, name), str):
                raise ToolDefinitionError(
                    str(self.by), f"the {name} of a decision is {getattr(self, name)!r}.", remedy="Give a text."
                )

    @property
    def allowed(self) -> bool:
        """Whether the call may run."""
        return self.outcome == "allowed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiver:
    """One plugin's word that a finding needs no approval.

    Attributes:
        finding: The finding, as the request has it.
        by: The rule, setting or grant that waives it: it stands in the record of the call.
        reason: Why.
        answered: Whether an approver of the plugin's host has already said yes to this for longer. Then no host above
            has to waive it, too. Where a host above has an approver, it counts only for the very call that was asked
            about.
        confirm: Called, sync or async, when nothing else is left to decide: takes one use of a grant whose uses are
            counted, or asks a model. False when that does not waive the finding.
    """

    finding: Finding
    by: str
    reason: str = ""
    answered: bool = False
    confirm: Callable[[], bool | Awaitable[bool]] | None = None


def as_findings(answer: object) -> tuple[Finding, ...]:
    """What an assessor returned, as findings; raises `TypeError` for anything else."""
    if answer is None:
        return ()
    if isinstance(answer, Finding):
        return (answer,)
    if isinstance(answer, Iterable) and not isinstance(answer, str | bytes | Mapping):
        findings = tuple(answer)
        if all(isinstance(finding, Finding) for finding in findings):
            return findings
    raise TypeError(f"an assessor returns findings or None, not {type(answer).__name__}")
