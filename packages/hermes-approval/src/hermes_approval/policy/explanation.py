"""Explains rule by rule why a call may or may not run."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from hermes_approval.policy.call_facts import Subject
from hermes_approval.policy.rule import Rule
from hermes_approval.policy.ruleset import RuleSet, Verdict, Verdicts
from hermes_core import Finding

Outcome = Literal["denied", "ask", "allowed"]


@dataclass(frozen=True, slots=True)
class Step:
    """One rule: whether it contributes to the outcome, and why, or why not."""

    rule: Rule
    counts: bool
    why: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """Every rule in the order of the file, the outcome, and the rules that decided in a sentence."""

    steps: tuple[Step, ...]
    outcome: Outcome
    reason: str


def explain(ruleset: RuleSet, subject: Subject, *, grants: Collection[str] = ()) -> Explanation:
    """Judge a call, and explain the outcome.

    Args:
        ruleset: The rules.
        subject: The call.
        grants: The ids of findings that were approved before for this call.
    """
    verdicts = ruleset.judge(subject)
    matched = {verdict.rule.name: verdict for verdict in verdicts}
    steps = tuple(
        _explain_match(matched[rule.name], verdicts, grants)
        if rule.name in matched
        else Step(rule, counts=False, why=rule.why_not(subject))
        for rule in ruleset.rules
    )
    outcome, reason = _decide(steps)
    return Explanation(steps, outcome, reason)


def _explain_match(verdict: Verdict, verdicts: Verdicts, grants: Collection[str]) -> Step:
    rule = verdict.rule
    if verdict.shadowed:
        return Step(rule, counts=False, why=f"matches, but only in shadow: {rule.reason}")
    if rule.action == "ask":
        lifting = verdicts.lifted_by(Finding(rule=rule.id, severity="ask", reason=rule.reason))
        if lifting is not None:
            why = f"lifted by the rule {lifting.name!r} ({lifting.place}): {rule.reason}"
            return Step(rule, counts=False, why=why)
        if rule.id in grants:
            return Step(rule, counts=False, why=f"approved before: {rule.reason}")
    return Step(rule, counts=True, why=rule.reason)


def _decide(steps: tuple[Step, ...]) -> tuple[Outcome, str]:
    outcomes: tuple[tuple[str, Outcome], ...] = (("deny", "denied"), ("ask", "ask"), ("allow", "allowed"))
    for action, outcome in outcomes:
        deciding = [step for step in steps if step.counts and step.rule.action == action]
        if deciding:
            return outcome, "; ".join(f"rule {step.rule.name} ({step.rule.place}): {step.why}" for step in deciding)
    return "allowed", "Nothing prevents it."
