"""The conditions under `match` and `unless`, compiled."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from hermes_approval.matchers.globs import compile_glob
from hermes_approval.matchers.rule_error import RuleError, quote
from hermes_approval.policy.argument_conditions import MISSING, Holds, compile_matcher
from hermes_approval.policy.call_facts import Subject
from hermes_approval.policy.time_windows import compile_time
from hermes_core.inspection import EFFECTS
from hermes_schemas import nearest

KEYS = ("tool", "toolset", "source", "effect", "session", "origin", "args", "time")
"""Every key, the cheapest to judge first."""

OF_THE_TOOL = frozenset({"tool", "toolset", "source", "effect"})
"""The keys with the same result for every call of a tool."""

OF_THE_CALL = frozenset(KEYS) - OF_THE_TOOL

_EXAMPLES = {
    "tool": "tool: [terminal, 'file_*']",
    "toolset": "toolset: web",
    "source": "source: application",
    "effect": "effect: [write, delete]",
    "session": "session: cron",
    "origin": "origin: nested",
    "args": 'args: {command: {glob: "git push*"}}',
}
_EXAMPLE = 'match: {tool: terminal, args: {command: {glob: "git push*"}}}'


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One key of a condition, or `args.NAME` for one argument, with its value as text."""

    key: str
    expected: str
    holds: Callable[[Subject], bool]

    @property
    def of_the_tool(self) -> bool:
        """True if the result is the same for every call of a tool."""
        return self.key in OF_THE_TOOL


@dataclass(frozen=True, slots=True, eq=False)
class Condition:
    """Conditions that must all hold."""

    checks: tuple[Check, ...]
    _of_the_tool: tuple[Callable[[Subject], bool], ...] = field(init=False)
    _of_the_call: tuple[Callable[[Subject], bool], ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_of_the_tool", tuple(test.holds for test in self.checks if test.of_the_tool))
        object.__setattr__(self, "_of_the_call", tuple(test.holds for test in self.checks if not test.of_the_tool))

    def fits_tool(self, subject: Subject) -> bool:
        """Return True if the keys about the tool hold."""
        return all(holds(subject) for holds in self._of_the_tool)

    def fits_call(self, subject: Subject) -> bool:
        """Return True if the keys about anything but the tool hold."""
        for holds in self._of_the_call:  # noqa: SIM110 - a generator costs more than the loop
            if not holds(subject):
                return False
        return True

    def holds(self, subject: Subject) -> bool:
        return self.fits_tool(subject) and self.fits_call(subject)

    def failing(self, subject: Subject, ignoring: Collection[str] = ()) -> Check | None:
        """Return the first key that does not hold, except for the ignored ones."""
        for test in self.checks:
            if test.key.partition(".")[0] not in ignoring and not test.holds(subject):
                return test
        return None

    def asks(self, keys: Collection[str]) -> bool:
        """Return True if it has any of these keys."""
        return any(test.key.partition(".")[0] in keys for test in self.checks)


def compile_condition(data: object, *, strict: bool) -> tuple[Condition, list[RuleError]]:
    """Compile `match` or `unless`, and return every error in it.

    Args:
        data: The value of `match` or `unless`.
        strict: Whether a doubtful call matches: True where a match makes the rule stricter.
    """
    if not isinstance(data, Mapping) or not data:
        reason = "is required." if data is None else f"is {quote(data)}, not keys to compare."
        advice = "" if data else " To match every call write tool: '*'."
        return Condition(()), [RuleError(reason + advice, example=_EXAMPLE)]
    errors = []
    for key in data:
        if key not in KEYS:
            near = nearest(str(key), KEYS)
            more = "" if near else f" The keys are {', '.join(KEYS)}."
            errors.append(RuleError(f"there is no such key.{more}", steps=(key,), nearest=near, example=_EXAMPLE))
    checks: list[Check] = []
    for key in KEYS:
        if key not in data:
            continue
        try:
            if key == "args":
                _add_arguments(data[key], strict, checks, errors)
            else:
                checks.append(_test(key, data[key]))
        except RuleError as error:
            errors.append(error.below(key))
    return Condition(tuple(checks)), errors


def _test(key: str, data: object) -> Check:
    expected = data if isinstance(data, list | tuple) else [data]
    if not expected:
        raise RuleError("is an empty list, which nothing matches.", example=_EXAMPLES.get(key))
    if key == "time":
        windows = [compile_time(item) for item in expected]
        return Check(key=key, expected=_words(data), holds=lambda subject: any(fits(subject.when) for fits in windows))
    for word in expected:
        if not isinstance(word, str) or not word:
            raise RuleError(f"is {quote(word)}, not a name.", example=_EXAMPLES[key])
        if key == "effect" and word not in EFFECTS:
            known = f"{word!r} is not an effect; the effects are {', '.join(sorted(EFFECTS))}."
            raise RuleError(known, nearest=nearest(word, EFFECTS), example=_EXAMPLES[key])
    return Check(key=key, expected=_words(data), holds=_about(key, [str(word) for word in expected]))


def _about(key: str, words: list[str]) -> Callable[[Subject], bool]:
    if key == "effect":
        effects = frozenset(words)
        return lambda subject: not effects.isdisjoint(subject.tool.effects)
    globs = [compile_glob(word) for word in words]
    fact = FACTS[key]
    if len(globs) == 1:
        only = globs[0]
        return lambda subject: only(fact(subject))
    return lambda subject: any(fits(fact(subject)) for fits in globs)


FACTS: Mapping[str, Callable[[Subject], str]] = {
    "tool": lambda subject: subject.tool.name,
    "toolset": lambda subject: subject.tool.toolset,
    "source": lambda subject: subject.source,
    "effect": lambda subject: ", ".join(sorted(subject.tool.effects)),
    "session": lambda subject: subject.session_kind,
    "origin": lambda subject: subject.origin,
    "time": lambda subject: format(subject.when, "%a %H:%M"),
}
"""The fact of a call for each key."""


def _add_arguments(data: object, strict: bool, checks: list[Check], errors: list[RuleError]) -> None:
    if not isinstance(data, Mapping) or not data:
        raise RuleError(f"is {quote(data)}, not arguments with matchers.", example=_EXAMPLES["args"])
    for name, expected in data.items():
        try:
            if not isinstance(name, str):
                raise RuleError("is not the name of an argument; put it in quotes.", example=_EXAMPLES["args"])
            anywhere = name == "*"
            matcher = compile_matcher(expected, strict=strict, anywhere=anywhere)
            holds = partial(_any_argument, matcher) if anywhere else partial(_argument, name, matcher)
            checks.append(Check(key=f"args.{name}", expected=_words(expected), holds=holds))
        except RuleError as error:
            errors.append(error.below("args", name))


def _argument(name: str, matcher: Holds, subject: Subject) -> bool:
    return matcher(subject.args.get(name, MISSING))


def _any_argument(matcher: Holds, subject: Subject) -> bool:
    # The tool chose the names of its arguments, so only the values count.
    return matcher(tuple(subject.args.values()))


def _words(data: Any) -> str:
    if isinstance(data, Mapping):
        return ", ".join(f"{key} {_words(value)}" for key, value in data.items())
    if isinstance(data, list | tuple):
        return " or ".join(_words(item) for item in data)
    return repr(data)
