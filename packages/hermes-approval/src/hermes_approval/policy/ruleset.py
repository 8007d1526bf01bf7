"""All rules together: which of them match a call, and what follows from that."""

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
"""So many tools are remembered with the rules that may be about them; there are never so many, except in an attack."""

_WOULD = {"ask": "would have asked", "deny": "would have denied this call"}


@dataclass(frozen=True, slots=True)
class Verdict:
    """A rule that matched.

    Attributes:
        rule: The rule.
        shadowed: It only says what it would have done, because it or the whole ruleset is in shadow.
    """

    rule: Rule
    shadowed: bool = False

    @property
    def action(self) -> Action:
        """What the rule says."""
        return self.rule.action

    @property
    def reason(self) -> str:
        """Why, in the rule's words."""
        return self.rule.reason

    @property
    def place(self) -> str:
        """Where the rule stands, as `config.yaml:12`."""
        return self.rule.place


class Verdicts:
    """Every rule that matched a call, in the order of the file. The order decides nothing: the strictest word wins.

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
        """What denies the call."""
        return tuple(Deny(each.reason, rule=each.rule.id) for each in self._in_force("deny"))

    def findings(self) -> tuple[Finding, ...]:
        """What somebody has to be asked about: one finding `policy.NAME` for each rule that asks and is not lifted."""
        found = (self._finding(each, "ask", each.reason) for each in self._in_force("ask"))
        return tuple(finding for finding in found if not self.lifts(finding))

    def notes(self) -> tuple[Finding, ...]:
        """What rules in shadow would have done, for the record."""
        return tuple(
            self._finding(each, "note", f"The rule {each.rule.name!r} {_WOULD[each.action]}: {each.reason}")
            for each in self._matched
            if each.shadowed and each.action in _WOULD
        )

    def lifts(self, finding: Finding) -> bool:
        """Whether a rule answers this finding, so that nobody has to be asked about it.

        Only findings of severity `ask` can be lifted, and only by an `allow` in force that names them under `lifts`.
        """
        return self.lifted_by(finding) is not None

    def lifted_by(self, finding: Finding) -> Rule | None:
        """The rule that answers a finding; None when it stands."""
        if finding.severity != "ask":
            return None
        for each in self._matched:
            rule = each.rule
            if each.shadowed or rule.action != "allow" or not rule.lifts_id(finding.rule):
                continue
            # It may be what is never allowed: only a rule that means just this answers it.
            if not finding.unknown or any(pattern.startswith("assess.") for pattern in rule.lifts):
                return rule
        return None

    def _in_force(self, action: Action) -> Iterator[Verdict]:
        return (each for each in self._matched if each.action == action and not each.shadowed)

    def _finding(self, verdict: Verdict, severity: Literal["ask", "note"], reason: str) -> Finding:
        return Finding(rule=verdict.rule.id, severity=severity, reason=reason, effects=self._effects)


def _strictest(rules: list[Rule]) -> Action | None:
    allowing = [rule for rule in rules if rule.lifts]
    standing = [
        rule.action for rule in rules if rule.action != "ask" or not any(each.lifts_id(rule.id) for each in allowing)
    ]
    return max(standing, key=ACTIONS.index, default=None)


class RuleSet:
    """Rules in the order of the file, ready to judge.

    Attributes:
        rules: The rules.
        shadow: Whether all of them only say what they would have done.
        denies: Whether a rule denies calls.
        asks: Whether a rule asks, or notes what it would have done.
        lifts: Whether a rule waives findings.
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
        """The rules of both. A ruleset in shadow keeps its rules in shadow."""
        rules = [
            replace(rule, shadow=True) if ruleset.shadow and not rule.shadow else rule
            for ruleset in (self, other)
            for rule in ruleset.rules
        ]
        return RuleSet(rules)

    def judge(self, about: Subject | ToolCall | ApprovalRequest) -> Verdicts:
        """Every rule that matches a call. Raises nothing, whatever the arguments are."""
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
        return Verdicts(
            tuple(
                [each for each in known if each.rule.match.fits_call(subject) and not each.rule.is_excepted(subject)]
            ),
            tool.effects,
        )

    def _about_tool(self, subject: Subject) -> Verdicts:
        """The rules that may match calls of this tool: most are about other tools, and are never looked at again."""
        may_match = [rule for rule in self.rules if rule.match.fits_tool(subject)]
        verdicts = tuple(Verdict(rule, self.shadow or rule.shadow) for rule in may_match)
        depends = any(rule.unless is not None or rule.match.asks(OF_THE_CALL) for rule in may_match)
        return Verdicts(verdicts, subject.tool.effects, depends_on_call=depends)
