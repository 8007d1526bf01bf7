"""One rule: which calls it is about, and what becomes of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from hermes_approval.matchers.globs import compile_glob
from hermes_approval.policy.call_facts import Subject
from hermes_approval.policy.condition import FACTS, Check, Condition
from hermes_approval.settings_schema import ACTIONS, Action

__all__ = ["ACTIONS", "Action", "Examples", "Rule", "excepted", "said_of"]

_VERBS = {"allow": "allows", "ask": "wants somebody to be asked about", "deny": "denies"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Examples:
    """Calls that prove a rule, as users write them: `terminal {"command": "git status"}`."""

    match: tuple[str, ...] = ()
    not_match: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rule:
    """One rule of the policy.

    A rule matches when everything under `match` holds, and `unless`, where there is one, does not hold as a whole.

    - `deny`: the call does not run. Nothing lifts it.
    - `ask`: somebody is asked first, through a finding with the id `policy.NAME`.
    - `allow`: for the record. It changes nothing, unless it says `lifts`: then each `ask` whose id is among these (or
      fits one of the globs) is dropped, whether it came from a rule or from a finding. Nothing ever lifts a deny, or a
      finding that refuses.

    Attributes:
        name: Unique; the rule's id is `policy.NAME`.
        action: `allow`, `ask` or `deny`.
        match: What must hold.
        unless: What must not hold.
        reason: What the model and the user are told.
        lifts: Ids of findings, or globs, that an `allow` answers.
        shadow: The rule only says what it would have done.
        examples: Calls that it must and must not match.
        file: Where it stands.
        line: The line there.
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
        """What findings, decisions and `lifts` call it."""
        return f"policy.{self.name}"

    @property
    def place(self) -> str:
        """Where it stands, as `config.yaml:12`."""
        return ":".join(str(part) for part in (self.file, self.line) if part)

    def matches(self, subject: Subject) -> bool:
        """Whether it is about this call."""
        return self.match.holds(subject) and not self.is_excepted(subject)

    def is_excepted(self, subject: Subject) -> bool:
        """Whether `unless` holds."""
        return self.unless is not None and self.unless.holds(subject)

    def lifts_id(self, id: str) -> bool:
        """Whether it answers an ask of this id."""
        for fits in self._lifting:  # noqa: SIM110 - a generator costs more than the loop
            if fits(id):
                return True
        return False

    def why_not(self, subject: Subject) -> str:
        """The first key that keeps it from matching, in words; empty when it matches."""
        failing = self.match.failing(subject)
        if failing is not None:
            return said_of(failing, subject)
        if self.is_excepted(subject):
            return excepted(self)
        return ""


def said_of(test: Check, subject: Subject) -> str:
    """Why a key does not hold. The values of arguments are not repeated: they may be long or secret."""
    fact = FACTS.get(test.key)
    if fact is not None:
        return f"{test.key} is {fact(subject)!r}, the rule wants {test.wanted}"
    name = test.key.partition(".")[2]
    if name != "*" and name not in subject.args:
        return f"{test.key} is not given, the rule wants {test.wanted}"
    return f"{test.key} does not fit {test.wanted}"


def excepted(rule: Rule) -> str:
    """What is said of a call to which `unless` applies."""
    tests = rule.unless.tests if rule.unless else ()
    return "unless holds: " + "; ".join(f"{test.key} {test.wanted}" for test in tests)
