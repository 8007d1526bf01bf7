"""All rules together: which of them match a call, and what follows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from hermes_approval.policy.call_facts import Subject
from hermes_approval.policy.condition import OF_THE_CALL
from hermes_approval.policy.rule import ACTIONS, Action, Rule
from hermes_core import Deny, Finding

if TYPE_CHECKING:
    from hermes_core import ApprovalRequest, ToolCall

_MAX_REMEMBERED = 2000
"""How many tools are cached with the rules that may match them; only an attack has more."""

_WOULD = {"ask": "would have asked", "deny": "would have denied this call"}


@dataclass(frozen=True, slots=True)
class Verdict:
    """A rule that matched; `shadowed` if it only notes what it would have done."""

    rule: Rule
    shadowed: bool = False


class Verdicts:
    """Every rule that matched a call, in the order of the file. The strictest action wins, whatever the order.

    Attributes:
        depends_on_call: Whether other calls of the same tool may match other rules.
    """

    __slots__ = ("_effects", "_matched", "depends_on_call")

    def __init__(
        self, matched: tuple[Verdict, ...] = (), effects: frozenset[str] = frozenset(), *, depends_on_call: bool = True
    ) -> None:
        self._matched = matched
        self._effects = effects
        self.depends_on_call = depends_on_call

    def __iter__(self) -> Iterator[Verdict]:
        return iter(self._matched)

    def __len__(self) -> int:
        return len(self._matched)

    @property
    def action(self) -> Action | None:
        """The strictest action of all rules that are in force and not lifted; None without any."""
        return _strictest([verdict.rule for verdict in self._matched if not verdict.shadowed])

    @property
    def denials(self) -> tuple[Deny, ...]:
        """The denials of the call."""
        return tuple(Deny(each.rule.reason, rule=each.rule.id) for each in self._in_force("deny"))

    def findings(self) -> tuple[Finding, ...]:
        """Return one finding `policy.NAME` for each rule that asks and is not lifted."""
        found = (self._finding(each, "ask", each.rule.reason) for each in self._in_force("ask"))
        return tuple(finding for finding in found if not self.lifts(finding))

    def notes(self) -> tuple[Finding, ...]:
        """Return what rules in shadow would have done."""
        return tuple(
            self._finding(each, "note", f"The rule {each.rule.name!r} {_WOULD[each.rule.action]}: {each.rule.reason}")
            for each in self._matched
            if each.shadowed and each.rule.action in _WOULD
        )

    def lifts(self, finding: Finding) -> bool:
        """Return True if a rule lifts a finding, so that it needs no approval.

        Only findings of severity `ask` can be lifted, and only by an `allow` in force with their id under `lifts`.
        """
        return self.lifted_by(finding) is not None

    def lifted_by(self, finding: Finding) -> Rule | None:
        """Return the rule that lifts a finding, if any."""
        if finding.severity != "ask":
            return None
        for each in self._matched:
            rule = each.rule
            if each.shadowed or rule.action != "allow" or not rule.lifts_id(finding.rule):
                continue
            # An unknown finding may hide a refusal, so only a rule for exactly this lifts it.
            if not finding.unknown or any(pattern.startswith("assess.") for pattern in rule.lifts):
                return rule
        return None

    def _in_force(self, action: Action) -> Iterator[Verdict]:
        return (each for each in self._matched if each.rule.action == action and not each.shadowed)

    def _finding(self, verdict: Verdict, severity: Literal["ask", "note"], reason: str) -> Finding:
        return Finding(rule=verdict.rule.id, severity=severity, reason=reason, effects=self._effects)


def _strictest(rules: list[Rule]) -> Action | None:
    allowing = [rule for rule in rules if rule.lifts]
    standing = [
        rule.action for rule in rules if rule.action != "ask" or not any(each.lifts_id(rule.id) for each in allowing)
    ]
    return max(standing, key=ACTIONS.index, default=None)


class RuleSet:
    """Rules in the order of the file.

    Attributes:
        rules: The rules.
        shadow: Whether all of them only note what they would have done.
        denies: Whether a rule denies calls.
        asks: Whether a rule asks, or notes what it would have done.
        lifts: Whether a rule lifts findings.
    """

    def __init__(self, rules: Iterable[Rule] = (), *, shadow: bool = False) -> None:
        self.rules = tuple(rules)
        self.shadow = shadow
        in_force = [rule for rule in self.rules if not shadow and not rule.shadow]
        self.denies = any(rule.action == "deny" for rule in in_force)
        self.asks = len(in_force) < len(self.rules) or any(rule.action == "ask" for rule in in_force)
        self.lifts = any(rule.lifts for rule in in_force)
        self._about: dict[tuple[str, str, str, frozenset[str]], Verdicts] = {}

    def joined(self, other: RuleSet) -> RuleSet:
        """Return the rules of both. Rules of a ruleset in shadow stay in shadow."""
        rules = [
            replace(rule, shadow=True) if ruleset.shadow and not rule.shadow else rule
            for ruleset in (self, other)
            for rule in ruleset.rules
        ]
        return RuleSet(rules)

    def judge(self, about: Subject | ToolCall | ApprovalRequest) -> Verdicts:
        """Return every rule that matches a call. Raises nothing, whatever the arguments are."""
        subject = about if isinstance(about, Subject) else Subject.of(about)
        tool = subject.tool
        key = (tool.name, tool.toolset, subject.source, tool.effects)
        known = self._about.get(key)
        if known is None:
            known = self._about_tool(subject)
            if len(self._about) >= _MAX_REMEMBERED:
                self._about.clear()
            self._about[key] = known
        if not known.depends_on_call:
            return known
        matched = [each for each in known if each.rule.match.fits_call(subject) and not each.rule.is_excepted(subject)]
        return Verdicts(tuple(matched), tool.effects)

    def _about_tool(self, subject: Subject) -> Verdicts:
        may_match = [rule for rule in self.rules if rule.match.fits_tool(subject)]
        verdicts = tuple(Verdict(rule, self.shadow or rule.shadow) for rule in may_match)
        depends = any(rule.unless is not None or rule.match.asks(OF_THE_CALL) for rule in may_match)
        return Verdicts(verdicts, subject.tool.effects, depends_on_call=depends)
