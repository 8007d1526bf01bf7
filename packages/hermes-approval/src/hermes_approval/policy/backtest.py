"""Judges past calls by new rules, and lists the differences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from hermes_approval.audit.entry import cut_arguments
from hermes_approval.audit.redaction import ALL
from hermes_approval.policy.call_facts import APPLICATION, Subject, ToolFacts
from hermes_approval.policy.rule import Action, Rule
from hermes_approval.policy.ruleset import RuleSet, Verdicts

Entry = Mapping[str, Any]
_TEXTS = (("toolset", ""), ("source", APPLICATION), ("session_kind", "interactive"), ("origin", "direct"))


@dataclass(slots=True, kw_only=True)
class Flip:
    """Calls that two rulesets judge differently, because of the same rules.

    Attributes:
        before: The action of the old rules; None if no rule matches.
        after: The action of the new rules.
        by: The rules that decide: new ones, or old ones if no new one matches.
        calls: The entries of these calls, in the order of the log.
    """

    before: Action | None
    after: Action | None
    by: tuple[str, ...]
    calls: list[Entry] = field(default_factory=list)

    @property
    def count(self) -> int:
        """The number of calls."""
        return len(self.calls)

    def as_dict(self, limit: int | None = None) -> dict[str, Any]:
        """Return it as JSON, with the first `limit` calls."""
        return {
            "before": self.before,
            "after": self.after,
            "by": list(self.by),
            "count": self.count,
            "calls": [_call(entry) for entry in self.calls[:limit]],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Backtest:
    """What two rulesets say about the same calls.

    Attributes:
        judged: How many calls both have judged.
        flips: The differences, most frequent first.
        unsure: The entries of calls that cannot be judged again: a rule depends on an argument that was cut.
        skipped: How many entries could not be judged for another reason, by reason.
    """

    judged: int
    flips: tuple[Flip, ...]
    unsure: tuple[Entry, ...]
    skipped: Mapping[str, int]

    @property
    def changed(self) -> int:
        """The number of calls with a different result."""
        return sum(flip.count for flip in self.flips)

    def as_dict(self, limit: int | None = None) -> dict[str, Any]:
        """Return it as JSON, with the first `limit` calls of each flip."""
        return {
            "judged": self.judged,
            "flips": [flip.as_dict(limit) for flip in self.flips],
            "unsure": {"count": len(self.unsure), "calls": [_call(entry) for entry in self.unsure[:limit]]},
            "skipped": dict(self.skipped),
        }


class _Unusable(Exception):  # noqa: N818 - it never leaves this module
    """Raised for an incomplete entry."""


def backtest(before: RuleSet, after: RuleSet, entries: Iterable[Entry]) -> Backtest:
    """Evaluate the calls of an audit log with two rulesets, and list each difference.

    Args:
        before: The old rules.
        after: The new rules.
        entries: Records with `tool`, `args` and `at`, and if known `toolset`, `effects`, `source`, `session_kind`,
            `origin` and `args_cut`. Others are counted and skipped.
    """
    flips: dict[tuple[Any, ...], Flip] = {}
    skipped: Counter[str] = Counter()
    unsure: list[Entry] = []
    judged = 0
    for entry in entries:
        try:
            subject = _subject(entry)
        except _Unusable as reason:
            skipped[str(reason)] += 1
            continue
        cut = cut_arguments(entry)
        if cut and any(_looks_at(rule, cut, subject) for rule in (*before.rules, *after.rules)):
            unsure.append(entry)
            continue
        judged += 1
        old, new = before.judge(subject), after.judge(subject)
        was, now = old.action, new.action
        if was == now or {was, now} == {None, "allow"}:  # a plain allow changes nothing
            continue
        by = _deciding(new, now) or _deciding(old, was)
        flip = flips.get((was, now, by))
        if flip is None:
            flip = flips[was, now, by] = Flip(before=was, after=now, by=by)
        flip.calls.append(entry)
    found = tuple(sorted(flips.values(), key=lambda flip: -flip.count))
    return Backtest(judged=judged, flips=found, unsure=tuple(unsure), skipped=dict(skipped))


def _call(entry: Entry) -> dict[str, Any]:
    return {key: entry.get(key) for key in ("id", "at", "tool", "args")}


def _deciding(verdicts: Verdicts, action: Action | None) -> tuple[str, ...]:
    return tuple(each.rule.name for each in verdicts if each.rule.action == action and not each.shadowed)


def _looks_at(rule: Rule, cut: frozenset[str], subject: Subject) -> bool:
    """Return True if a rule for this tool depends on an argument that was cut."""
    if not rule.match.fits_tool(subject):
        return False
    return any(name == ALL or name in cut or ALL in cut for name in _arguments(rule))


def _arguments(rule: Rule) -> Iterator[str]:
    for condition in (rule.match, rule.unless):
        for test in condition.checks if condition is not None else ():
            key, _, name = test.key.partition(".")
            if key == "args":
                yield name


def _subject(entry: object) -> Subject:
    if not isinstance(entry, Mapping):
        raise _Unusable("it is not a record")
    name, args = entry.get("tool"), entry.get("args")
    if not isinstance(name, str) or not name:
        raise _Unusable("it names no tool")
    if not isinstance(args, Mapping):
        raise _Unusable("its arguments were not kept")
    toolset, source, kind, origin = (_text(entry, key, default) for key, default in _TEXTS)
    tool = ToolFacts(name, toolset, _effects(entry.get("effects")))
    return Subject(tool, args, source=source, session_kind=kind, origin=origin, when=_time(entry.get("at")))


def _text(entry: Entry, key: str, default: str) -> str:
    value = entry.get(key)
    if value is not None and not isinstance(value, str):
        raise _Unusable(f"its {key} is not a text")
    return value or default


def _effects(value: object) -> frozenset[str]:
    if value is None:
        return frozenset()
    if not isinstance(value, list | tuple | set | frozenset) or not all(isinstance(item, str) for item in value):
        raise _Unusable("its effects are not a list of words")
    return frozenset(value)


def _time(value: object) -> datetime:
    try:
        if isinstance(value, str):
            return datetime.fromisoformat(value)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value)
    except (ValueError, OverflowError, OSError):
        pass
    if isinstance(value, datetime):
        return value
    raise _Unusable("it does not say when")
