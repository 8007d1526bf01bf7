"""What a rule asks of a call: the keys under `match` and `unless`, compiled."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from hermes_approval.matchers.globs import compile_glob
from hermes_approval.matchers.problem import Mistake, shown
from hermes_approval.policy.argument_conditions import MISSING, Holds, compile_matcher
from hermes_approval.policy.call_facts import Subject
from hermes_approval.policy.time_windows import compile_time
from hermes_core.inspection import EFFECTS
from hermes_schemas import nearest

KEYS = ("tool", "toolset", "source", "effect", "session", "origin", "args", "time")
"""Every key, the cheapest to judge first."""

OF_THE_TOOL = frozenset({"tool", "toolset", "source", "effect"})
"""The keys whose answer is the same for every call of a tool."""

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
    """One key of a condition.

    Attributes:
        key: The key, or `args.NAME` for one argument.
        wanted: What stands behind it, in words.
        holds: Whether a call fits.
    """

    key: str
    wanted: str
    holds: Callable[[Subject], bool]

    @property
    def of_the_tool(self) -> bool:
        """Whether the answer is the same for every call of a tool."""
        return self.key in OF_THE_TOOL


@dataclass(frozen=True, slots=True, eq=False)
class Condition:
    """Everything that must hold together."""

    tests: tuple[Check, ...]
    _of_the_tool: tuple[Callable[[Subject], bool], ...] = field(init=False)
    _of_the_call: tuple[Callable[[Subject], bool], ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_of_the_tool", tuple(test.holds for test in self.tests if test.of_the_tool))
        object.__setattr__(self, "_of_the_call", tuple(test.holds for test in self.tests if not test.of_the_tool))

    def fits_tool(self, subject: Subject) -> bool:
        """Whether the keys hold that ask about the tool."""
        return all(holds(subject) for holds in self._of_the_tool)

    def fits_call(self, subject: Subject) -> bool:
        """Whether the keys hold that ask about anything but the tool."""
        for holds in self._of_the_call:  # noqa: SIM110 - a generator costs more than the loop
            if not holds(subject):
                return False
        return True

    def holds(self, subject: Subject) -> bool:
        """Whether all keys hold."""
        return self.fits_tool(subject) and self.fits_call(subject)

    def failing(self, subject: Subject, ignoring: Collection[str] = ()) -> Check | None:
        """The first key that does not hold, leaving out those about which nothing is known."""
        for test in self.tests:
            if test.key.partition(".")[0] not in ignoring and not test.holds(subject):
                return test
        return None

    def asks(self, keys: Collection[str]) -> bool:
        """Whether any of these keys is part of it."""
        return any(test.key.partition(".")[0] in keys for test in self.tests)


def compile_condition(data: object, *, strict: bool) -> tuple[Condition, list[Mistake]]:
    """The condition in a part of a rule, and every mistake in it.

    Args:
        data: What stands under `match` or `unless`.
        strict: Which side a doubt falls on: True where holding makes the rule bite.
    """
    if not isinstance(data, Mapping) or not data:
        said = "is required." if data is None else f"is {shown(data)}, not keys to compare."
        advice = "" if data else " To match every call write tool: '*'."
        return Condition(()), [Mistake(said + advice, example=_EXAMPLE)]
    mistakes = []
    for key in data:
        if key not in KEYS:
            near = nearest(str(key), KEYS)
            more = "" if near else f" The keys are {', '.join(KEYS)}."
            mistakes.append(Mistake(f"there is no such key.{more}", steps=(key,), nearest=near, example=_EXAMPLE))
    tests: list[Check] = []
    for key in KEYS:
        if key not in data:
            continue
        try:
            if key == "args":
                _add_arguments(data[key], strict, tests, mistakes)
            else:
                tests.append(_test(key, data[key]))
        except Mistake as mistake:
            mistakes.append(mistake.below(key))
    return Condition(tuple(tests)), mistakes


def _test(key: str, data: object) -> Check:
    wanted = data if isinstance(data, list | tuple) else [data]
    if not wanted:
        raise Mistake("is an empty list, which nothing fits.", example=_EXAMPLES.get(key))
    if key == "time":
        windows = [compile_time(item) for item in wanted]
        return Check(key=key, wanted=_words(data), holds=lambda subject: any(fits(subject.when) for fits in windows))
    for word in wanted:
        if not isinstance(word, str) or not word:
            raise Mistake(f"is {shown(word)}, not a name.", example=_EXAMPLES[key])
        if key == "effect" and word not in EFFECTS:
            known = f"{word!r} is not an effect; the effects are {', '.join(sorted(EFFECTS))}."
            raise Mistake(known, nearest=nearest(word, EFFECTS), example=_EXAMPLES[key])
    return Check(key=key, wanted=_words(data), holds=_about(key, [str(word) for word in wanted]))


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
"""What a call says about each key."""


def _add_arguments(data: object, strict: bool, tests: list[Check], mistakes: list[Mistake]) -> None:
    if not isinstance(data, Mapping) or not data:
        raise Mistake(f"is {shown(data)}, not arguments with matchers.", example=_EXAMPLES["args"])
    for name, wanted in data.items():
        try:
            if not isinstance(name, str):
                raise Mistake("is not the name of an argument; put it in quotes.", example=_EXAMPLES["args"])
            anywhere = name == "*"
            matcher = compile_matcher(wanted, strict=strict, anywhere=anywhere)
            holds = partial(_any_argument, matcher) if anywhere else partial(_argument, name, matcher)
            tests.append(Check(key=f"args.{name}", wanted=_words(wanted), holds=holds))
        except Mistake as mistake:
            mistakes.append(mistake.below("args", name))


def _argument(name: str, matcher: Holds, subject: Subject) -> bool:
    return matcher(subject.args.get(name, MISSING))


def _any_argument(matcher: Holds, subject: Subject) -> bool:
    # The names of arguments are the tool's own words, so only the values count.
    return matcher(tuple(subject.args.values()))


def _words(data: Any) -> str:
    """A part of a rule as people write it in one line."""
    if isinstance(data, Mapping):
        return ", ".join(f"{key} {_words(value)}" for key, value in data.items())
    if isinstance(data, list | tuple):
        return " or ".join(_words(item) for item in data)
    return repr(data)
