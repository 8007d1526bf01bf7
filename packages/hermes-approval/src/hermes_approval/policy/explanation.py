"""Says rule by rule why a call may run or may not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from hermes_approval.policy.call_facts import Subject
from hermes_approval.policy.rule import Rule
from hermes_approval.policy.ruleset import RuleSet, Verdict, Verdicts
from hermes_core import Finding

Kind = Literal["rule", "finding"]
Outcome = Literal["refused", "denied", "ask", "allowed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One thing that was looked at.

    Attributes:
        kind: `rule` or `finding`.
        id: The rule's name, or the id of the finding.
        says: The rule's action, or the severity of the finding.
        counts: Whether it has a part in the verdict.
        why: The reason; for what does not count, why it does not.
        place: Where the rule stands.
    """

    kind: Kind
    id: str
    says: str
    counts: bool
    why: str
    place: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The step as JSON."""
        return {name: getattr(self, name) for name in ("kind", "id", "says", "counts", "why", "place")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why a call may run or may not.

    Attributes:
        tool: The tool's name.
        steps: Every rule in the order of the file, then every finding.
        outcome: `refused`, `denied`, `ask` or `allowed`.
        reason: What decided it, in a sentence.
    """

    tool: str
    steps: tuple[Step, ...]
    outcome: Outcome
    reason: str

    def lines(self) -> list[str]:
        """The explanation for people, one step in each line, the verdict last."""
        names = max((len(step.id) for step in self.steps), default=0)
        says = max((len(step.says) for step in self.steps), default=0)
        lines = []
        for step in self.steps:
            sign = "✓" if step.counts else "·"
            place = f" ({step.place})" if step.place else ""
            lines.append(f"{sign} {step.id:<{names}}  {step.says:<{says}}  {step.why}{place}")
        return [*lines, f"{self.tool}: {self.outcome}. {self.reason}"]

    def as_dict(self) -> dict[str, Any]:
        """The explanation as JSON."""
        steps = [step.as_dict() for step in self.steps]
        return {"tool": self.tool, "outcome": self.outcome, "reason": self.reason, "steps": steps}


def explain(
    book: RuleSet, subject: Subject, *, findings: Iterable[Finding] = (), grants: Iterable[str] = ()
) -> Explanation:
    """Judge a call, and say why.

    Args:
        book: The rules.
        subject: The call.
        findings: What the tool and the assessors found about it.
        grants: Ids of asks that somebody has approved before for this very call.
    """
    verdicts = book.judge(subject)
    granted = frozenset(grants)
    others = tuple(findings)
    matched = {verdict.rule.name: verdict for verdict in verdicts}
    steps = [
        _matched(matched[rule.name], verdicts, granted) if rule.name in matched else _passed_by(rule, subject)
        for rule in book.rules
    ]
    steps += [_found(finding, verdicts, granted) for finding in others]
    outcome, reason = _decided(steps)
    return Explanation(tool=subject.tool.name, steps=tuple(steps), outcome=outcome, reason=reason)


def _passed_by(rule: Rule, subject: Subject) -> Step:
    why = rule.why_not(subject)
    return Step(kind="rule", id=rule.name, says=rule.action, counts=False, why=why, place=rule.place)


def _matched(verdict: Verdict, verdicts: Verdicts, granted: frozenset[str]) -> Step:
    rule = verdict.rule
    counts, why = True, rule.reason
    if verdict.shadowed:
        counts, why = False, f"matches, but only in shadow: {rule.reason}"
    elif rule.action == "ask":
        why = _answered(Finding(rule=rule.id, severity="ask", reason=rule.reason), verdicts, granted)
        counts, why = not why, why or rule.reason
    return Step(kind="rule", id=rule.name, says=rule.action, counts=counts, why=why, place=rule.place)


def _found(finding: Finding, verdicts: Verdicts, granted: frozenset[str]) -> Step:
    answered = _answered(finding, verdicts, granted)
    counts = not answered and finding.severity != "note"
    return Step(kind="finding", id=finding.rule, says=finding.severity, counts=counts, why=answered or finding.reason)


def _answered(finding: Finding, verdicts: Verdicts, granted: frozenset[str]) -> str:
    """Why nobody has to be asked about a finding; empty when somebody has."""
    lifting = verdicts.lifted_by(finding)
    if lifting is not None:
        return f"lifted by the rule {lifting.name!r} ({lifting.place}): {finding.reason}"
    if finding.severity == "ask" and finding.rule in granted:
        return f"approved before: {finding.reason}"
    return ""


def _decided(steps: list[Step]) -> tuple[Outcome, str]:
    levels: tuple[tuple[str, Outcome], ...] = (("refuse", "refused"), ("deny", "denied"), ("ask", "ask"))
    for says, outcome in levels:
        deciding = [step for step in steps if step.counts and step.says == says]
        if deciding:
            return outcome, "; ".join(f"{_title(step)}: {step.why}" for step in deciding)
    allowing = [step for step in steps if step.counts and step.says == "allow"]
    if allowing:
        return "allowed", "; ".join(f"{_title(step)}: {step.why}" for step in allowing)
    return "allowed", "Nothing is against it."


def _title(step: Step) -> str:
    place = f" ({step.place})" if step.place else ""
    return f"{step.kind} {step.id}{place}"
