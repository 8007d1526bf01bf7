"""Tries new rules on the calls of the past, and lists what would have become of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from hermes_core.approval.policy.book import RuleBook, Verdicts
from hermes_core.approval.policy.rule import Action
from hermes_core.approval.policy.subject import APPLICATION, Subject, ToolFacts

Entry = Mapping[str, Any]
_TEXTS = (("toolset", ""), ("source", APPLICATION), ("session_kind", "interactive"), ("origin", "direct"))


@dataclass(slots=True, kw_only=True)
class Flip:
    """Calls about which the two books say different things, for the same reason.

    Attributes:
        before: What the old book says; None means nothing.
        after: What the new one says.
        by: The rules that decide it: of the new book, or of the old one where the new one says nothing.
        count: How many calls.
        first: The first such entry.
        last: The last one.
    """

    before: Action | None
    after: Action | None
    by: tuple[str, ...]
    count: int = 0
    first: Entry = field(default_factory=dict)
    last: Entry = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """The flip as JSON."""
        return {
            "before": self.before,
            "after": self.after,
            "by": list(self.by),
            "count": self.count,
            "first": dict(self.first),
            "last": dict(self.last),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Backtest:
    """What two books say about the same calls.

    Attributes:
        judged: How many calls both have judged.
        flips: Where they differ, most frequent first.
        skipped: How many entries could not be judged, by reason.
    """

    judged: int
    flips: tuple[Flip, ...]
    skipped: Mapping[str, int]

    def lines(self) -> list[str]:
        """The comparison for people."""
        lines = [f"{self.judged} calls judged, {sum(flip.count for flip in self.flips)} would change."]
        for flip in self.flips:
            change = f"{flip.before or 'no rule'} -> {flip.after or 'no rule'}"
            example = f"{flip.first.get('at')} {flip.first.get('tool')}"
            lines.append(f"{flip.count} x {change} by {', '.join(flip.by)}; first: {example}")
        lines += [f"{count} entries skipped: {reason}." for reason, count in self.skipped.items()]
        return lines

    def as_dict(self) -> dict[str, Any]:
        """The comparison as JSON."""
        flips = [flip.as_dict() for flip in self.flips]
        return {"judged": self.judged, "flips": flips, "skipped": dict(self.skipped)}


class _Unusable(Exception):  # noqa: N818 - it never leaves this module
    """Raised for an entry that says too little."""


def backtest(before: RuleBook, after: RuleBook, entries: Iterable[Entry], *, as_if_in_force: bool = False) -> Backtest:
    """Judge the calls of an audit log by two books, and list each difference.

    Args:
        before: The old rules.
        after: The new rules.
        entries: Records with `tool`, `args` and `at`, and where known `toolset`, `effects`, `source`, `session_kind`
            and `origin`. Those that cannot be judged are counted and left out.
        as_if_in_force: Whether rules in shadow count as if they were not.
    """
    flips: dict[tuple[Any, ...], Flip] = {}
    skipped: Counter[str] = Counter()
    judged = 0
    for entry in entries:
        try:
            subject = _subject(entry)
        except _Unusable as reason:
            skipped[str(reason)] += 1
            continue
        judged += 1
        old, new = before.judge(subject), after.judge(subject)
        was, now = (old.would, new.would) if as_if_in_force else (old.action, new.action)
        if was == now or {was, now} == {None, "allow"}:  # a plain allow is no opinion: nothing runs that did not
            continue
        by = _deciding(new, now, as_if_in_force) or _deciding(old, was, as_if_in_force)
        flip = flips.get((was, now, by))
        if flip is None:
            flip = flips[was, now, by] = Flip(before=was, after=now, by=by, first=entry)
        flip.count += 1
        flip.last = entry
    found = tuple(sorted(flips.values(), key=lambda flip: -flip.count))
    return Backtest(judged=judged, flips=found, skipped=dict(skipped))


def _deciding(verdicts: Verdicts, action: Action | None, shadowed_too: bool) -> tuple[str, ...]:
    return tuple(each.rule.name for each in verdicts if each.action == action and (shadowed_too or not each.shadowed))


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
