"""PUBLIC: what a call would do, what hooks answer about it, and what was decided."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from hermes_core.errors import ToolDefinitionError

Severity = Literal["refuse", "ask", "note"]
Lasts = Literal["once", "session", "always"]
Outcome = Literal["allowed", "denied-by-human", "denied-by-policy", "refused", "timed-out", "no-approver", "cancelled"]
ASSESS_FAILED = "assess.failed"
"""How the rules of findings begin that stand for an assessor which failed."""

UNATTENDED = "cron"
"""The kind of session that has no user to ask."""

Facts = tuple[tuple[str, str], ...]
"""Labels and values, such as `("in this directory", "/srv/app")`."""

_WILD = frozenset("*?[]")
_SEVERITIES, OUTCOMES, _LASTS = get_args(Severity), get_args(Outcome), get_args(Lasts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One effect of a call that may need an approval.

    Attributes:
        rule: A stable id, such as `delete.recursive`.
        severity: `refuse` never runs, `ask` needs an approval, `note` is for the record.
        reason: One sentence for a human.
        effects: What it would do, in the words of tool effects.
        span: The exact part of the arguments that is meant.
        bound: What the call depends on beside its arguments. A grant holds only while all of these stay the same.
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
            raise _choice_error(self.rule, "severity of a finding", self.severity, _SEVERITIES)
        # What is allowed for one rule is allowed for nothing else, so a rule is one id.
        if not isinstance(self.rule, str) or not self.rule or not _WILD.isdisjoint(self.rule):
            raise _error(self.rule, f"{self.rule!r} cannot be the rule of a finding.", "Use an id: 'delete.recursive'.")
        if not (type(self.reason) is type(self.span) is type(self.once) is str):
            _require_texts(self, "reason", "span", "once")
        if type(self.effects) is not frozenset:
            object.__setattr__(self, "effects", frozenset(self.effects))
        if self.bound != ():
            object.__setattr__(self, "bound", _facts(self.rule, self.bound))

    @property
    def unknown(self) -> bool:
        """True when an assessor failed: the call may be one that is never allowed."""
        return self.rule.startswith(ASSESS_FAILED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """What an approval of one call depends on beside the arguments, according to the tool.

    Attributes:
        facts: Labels and values. The labels are shown to people, so they are phrases such as `in this directory`.
        once: Why only this one call can be approved; empty when a grant can be given.
    """

    facts: Facts = ()
    once: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "facts", _facts("binding", self.facts))
        _require_texts(self, "once")

    def applied(self, finding: Finding) -> Finding:
        """Return a finding that is bound to these facts as well if it needs an approval."""
        if finding.severity != "ask":
            return finding
        facts = tuple(dict.fromkeys((*finding.bound, *self.facts)))
        return replace(finding, bound=facts, once=finding.once or self.once)


@dataclass(frozen=True, slots=True)
class Allow:
    """A hook's answer: nothing against the call. The same as None."""


@dataclass(frozen=True, slots=True)
class Deny:
    """A hook's answer: this call must not run. The record names the rule, or else the plugin."""

    reason: str
    rule: str = ""


@dataclass(frozen=True, slots=True)
class Ask:
    """A hook's answer: this call needs an approval. Grants are bound to the rule; without one it is `PLUGIN.ask`."""

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
        id: The request's own id: what was said to one request is never the answer to another.
        tool: The tool's name.
        toolset: The group it belongs to.
        effects: What the tool may do to the world.
        args: The arguments, with the defaults of those that were not given.
        findings: Why an approval is needed, and what else is known.
        session_id: The session that the call belongs to.
        session_kind: What kind of session that is.
        call_id: The call's id, as its caller knows it.
        origin: The path that the call came by: `direct`, `batch`, `nested`.
        source: The plugin that the tool came from, or `application`.
        defaults: The names of the arguments whose value is the default in the tool's schema.
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
    defaults: frozenset[str] = frozenset()

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
        lasts: How long a yes holds, where a plugin stores answers, as hermes-approval does.
        grants: What the answer allows beyond this one call, in the form of the plugin that stores it.
    """

    outcome: Outcome
    reason: str = ""
    by: str = ""
    findings: tuple[Finding, ...] = ()
    lasts: Lasts = "once"
    grants: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        if self.outcome not in OUTCOMES:
            raise _choice_error(self.by, "outcome of a decision", self.outcome, OUTCOMES)
        if self.lasts not in _LASTS:
            raise _choice_error(self.by, "duration of a decision", self.lasts, _LASTS)
        if not (type(self.reason) is type(self.by) is str):
            _require_texts(self, "reason", "by")

    @property
    def allowed(self) -> bool:
        """Whether the call may run."""
        return self.outcome == "allowed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiver:
    """One plugin's answer that a finding needs no approval.

    Attributes:
        finding: The finding, as the request has it.
        by: The rule, setting or grant that waives it, for the record of the call.
        reason: Why.
        answered: Whether an approver of the plugin's host has already said yes to this for longer, so no host above has
            to waive it. Where a host above has an approver, it counts only for the very call that was asked about.
        confirm: Called, sync or async, when nothing else is left to decide: takes one use of a grant, or asks a model.
            False when that does not waive the finding.
    """

    finding: Finding
    by: str
    reason: str = ""
    answered: bool = False
    confirm: Callable[[], bool | Awaitable[bool]] | None = None


def _facts(name: str, facts: object) -> Facts:
    if facts == ():
        return ()
    pairs = tuple(facts) if isinstance(facts, Iterable) and not isinstance(facts, str) else (facts,)
    if not all(
        isinstance(pair, tuple | list) and len(pair) == 2 and all(isinstance(each, str) for each in pair)
        for pair in pairs
    ):
        raise _error(name, f"{facts!r} are not labels and values.", 'Use pairs such as ("in this directory", path).')
    return tuple((label, value) for label, value in pairs)


def _choice_error(name: object, what: str, value: object, choices: tuple[str, ...]) -> ToolDefinitionError:
    return _error(name, f"{value!r} is not the {what}.", f"Use one of {', '.join(choices)}.")


def _require_texts(given: object, *fields: str) -> None:
    for field in fields:
        if not isinstance(value := getattr(given, field), str):
            kind = type(given).__name__.lower()
            name = getattr(given, "rule", kind)
            raise _error(name, f"the {field} of a {kind} is {value!r}, not text.", "Give a sentence.")


def _error(name: object, problem: str, remedy: str) -> ToolDefinitionError:
    return ToolDefinitionError(str(name), problem, remedy=remedy)
