"""One rule: the calls it matches, and what to do with them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from hermes_approval.matchers.globs import compile_glob
from hermes_approval.policy.call_facts import Subject
from hermes_approval.policy.condition import FACTS, Check, Condition
from hermes_approval.settings_schema import ACTIONS, Action

__all__ = ["ACTIONS", "Action", "Examples", "Rule", "explain_exception", "explain_mismatch"]

_VERBS = {"allow": "allows", "ask": "requires an approval for", "deny": "denies"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Examples:
    """Calls that prove a rule, written as `terminal {"command": "git status"}`."""

    match: tuple[str, ...] = ()
    not_match: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rule:
    """One rule of the policy.

    A rule matches when everything under `match` holds, and `unless`, if there is one, does not hold as a whole.

    - `deny`: the call does not run. Nothing lifts a deny.
    - `ask`: the call needs an approval, through a finding with the id `policy.NAME`.
    - `allow`: for the record, unless it has `lifts`: then it drops each `ask` with one of these ids, from a rule or a
      finding. It never lifts a deny or a refusal.

    Attributes:
        name: Unique; the rule's id is `policy.NAME`.
        action: `allow`, `ask` or `deny`.
        match: The condition.
        unless: The exceptions.
        reason: The explanation for the model and the user.
        lifts: Ids of findings, or globs, that an `allow` lifts.
        shadow: Only note what the rule would have done.
        examples: Calls that it must and must not match.
        file: The file it is in.
        line: The line in that file.
    """

    name: str
    action: Action
    match: Condition
    unless: Condition | None = None
    reason: str = ""
    lifts: tuple[str, ...] = ()
    shadow: bool = False
    examples: Examples = Examples()
    file: str = ""
    line: int | None = None
    _lifting: tuple[Callable[[str], bool], ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_lifting", tuple(compile_glob(pattern) for pattern in self.lifts))
        if not self.reason:
            object.__setattr__(self, "reason", f"The rule {self.name!r} {_VERBS[self.action]} this call.")

    @property
    def id(self) -> str:
        """Its id in findings, decisions and `lifts`."""
        return f"policy.{self.name}"

    @property
    def place(self) -> str:
        """File and line, as `config.yaml:12`."""
        return ":".join(str(part) for part in (self.file, self.line) if part)

    def matches(self, subject: Subject) -> bool:
        """Return True if it matches a call."""
        return self.match.holds(subject) and not self.is_excepted(subject)

    def is_excepted(self, subject: Subject) -> bool:
        """Return True if `unless` holds."""
        return self.unless is not None and self.unless.holds(subject)

    def lifts_id(self, id: str) -> bool:
        """Return True if it lifts an ask of this id."""
        for fits in self._lifting:  # noqa: SIM110 - a generator costs more than the loop
            if fits(id):
                return True
        return False

    def why_not(self, subject: Subject) -> str:
        """Explain why it does not match; empty if it matches."""
        failing = self.match.failing(subject)
        if failing is not None:
            return explain_mismatch(failing, subject)
        if self.is_excepted(subject):
            return explain_exception(self)
        return ""


def explain_mismatch(test: Check, subject: Subject) -> str:
    """Explain why a key does not hold, without values of arguments, which may be long or secret."""
    fact = FACTS.get(test.key)
    if fact is not None:
        return f"{test.key} is {fact(subject)!r}, the rule requires {test.expected}"
    name = test.key.partition(".")[2]
    if name != "*" and name not in subject.args:
        return f"{test.key} is not given, the rule requires {test.expected}"
    return f"{test.key} does not match {test.expected}"


def explain_exception(rule: Rule) -> str:
    """Explain why `unless` applies."""
    tests = rule.unless.checks if rule.unless else ()
    return "unless holds: " + "; ".join(f"{test.key} {test.expected}" for test in tests)
