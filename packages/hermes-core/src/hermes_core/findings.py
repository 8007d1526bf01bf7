"""PUBLIC: the effects of calls, the answers of policy hooks, and decisions."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from hermes_core.errors import ToolDefinitionError

Severity = Literal["refuse", "ask", "note"]
Lasts = Literal["once", "session", "always"]
Outcome = Literal["allowed", "denied-by-human", "denied-by-policy", "refused", "timed-out", "no-approver", "cancelled"]
ASSESS_FAILED = "assess.failed"
"""The beginning of the rules of findings about failed assessors."""

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
        severity: `refuse` never runs, `ask` needs an approval, `note` is only recorded.
        reason: One sentence for a person.
        effects: The effects, named like tool effects.
        span: The exact part of the arguments that the finding is about.
        bound: What the call depends on besides its arguments. A grant is valid only while all of these stay the same.
        once: Why only this one call can be approved; empty if a grant can be given.
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
        # A grant is for exactly one rule, so a rule is one id without wildcards.
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
        """True if an assessor failed: the call may be one that is never allowed."""
        return self.rule.startswith(ASSESS_FAILED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """What an approval of a call depends on besides the arguments, according to the tool.

    Attributes:
        facts: Labels and values. People read the labels, so use phrases such as `in this directory`.
        once: Why only this one call can be approved; empty if a grant can be given.
    """

    facts: Facts = ()
    once: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "facts", _facts("binding", self.facts))
        _require_texts(self, "once")

    def applied(self, finding: Finding) -> Finding:
        """Return a copy of a finding bound to these facts, if it needs an approval."""
        if finding.severity != "ask":
            return finding
        facts = tuple(dict.fromkeys((*finding.bound, *self.facts)))
        return replace(finding, bound=facts, once=finding.once or self.once)


@dataclass(frozen=True, slots=True)
class Allow:
    """A policy hook's answer: no objection, like None."""


@dataclass(frozen=True, slots=True)
class Deny:
    """A policy hook's answer: this call must not run. The record names the rule, or the plugin if there is none."""

    reason: str
    rule: str = ""


@dataclass(frozen=True, slots=True)
class Ask:
    """A policy hook's answer: this call needs an approval. Grants are bound to the rule, by default `PLUGIN.ask`."""

    reason: str
    rule: str = ""


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A policy hook's answer: run the call with these arguments instead. They are validated again."""

    args: Mapping[str, Any]
    reason: str = ""


HookAnswer = Allow | Deny | Ask | Rewrite | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRequest:
    """Asks an approver whether one call may run.

    Attributes:
        id: The id of this request. An answer is valid only for the request with this id.
        tool: The tool's name.
        toolset: The tool's toolset.
        effects: The effects of the tool.
        args: The arguments, including default values.
        findings: Why the call needs an approval, and other findings.
        session_id: The id of the session.
        session_kind: The kind of the session.
        call_id: The id of the call, as its caller knows it.
        origin: How the call was made: `direct`, `batch`, `nested`.
        source: The plugin that provides the tool, or `application`.
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
        """All reasons to ask, in one line."""
        return "; ".join(finding.reason for finding in self.findings if finding.severity != "note")

    @property
    def bound(self) -> Facts:
        """What a grant for this call is bound to besides its arguments: labels and values."""
        return tuple(dict.fromkeys(fact for finding in self.findings for fact in finding.bound))

    @property
    def once(self) -> str:
        """Why only this one call can be approved; empty if a grant can be given."""
        return next((finding.once for finding in self.findings if finding.once), "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A decision about one call.

    Attributes:
        outcome: The decision.
        reason: The reason.
        by: The rule, plugin, grant or person that decided.
        findings: The findings about the call.
        lasts: How long an approval is valid, if a plugin such as hermes-approval stores it.
        grants: What the answer allows beyond this one call, in the format of the plugin that stores it.
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
    """A plugin's statement that a finding needs no approval.

    Attributes:
        finding: The finding from the request.
        by: The rule, setting or grant that waives it, for the record of the call.
        reason: The reason.
        answered: Whether an approver of the plugin's host has already allowed this for longer, so that parent hosts
            need not waive it. If a parent host has an approver, this counts only for exactly the call that was
            approved.
        confirm: A function, sync or async, that is called last: it uses a grant once, or asks a model. If it returns
            False, the finding is not waived.
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
