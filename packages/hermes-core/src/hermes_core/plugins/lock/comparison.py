"""Walks through two schemas side by side and notes in which direction each part has moved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import Any

from hermes_core.plugins.lock.alternatives import ANYTHING, TYPES, ExhaustedError, Form, Side
from hermes_core.plugins.lock.digest import compact
from hermes_core.plugins.lock.general_rules import compare_general
from hermes_core.plugins.lock.keywords import ASIDES
from hermes_core.plugins.lock.type_rules import compare_type
from hermes_core.plugins.lock.wording import INCOMPARABLE, NARROWED, WIDENED, Path

_MAX_DEPTH = 64
"""Schemas inside schemas: deeper than any model can follow."""

Branch = tuple[Mapping[str, Any], Mapping[str, Any]]
"""What an alternative asks of one type, and what it asks of all."""


class Comparison:
    """Collects what differs. Every position it descends to is one where accepting more means accepting more above."""

    def __init__(self, before: Side, after: Side, known: set[tuple[object, object]] | None = None) -> None:
        self._before = before
        self._after = after
        self._seen: set[tuple[object, object]] = set() if known is None else known
        self._known_same: set[tuple[object, object]] = set()
        self._alive: list[object] = []  # what identities were taken of
        self._depth = 0
        self._is_about_sameness = known is not None
        self.findings: dict[tuple[Path, str], str] = {}

    def note(self, path: Path, sentence: str, label: str) -> None:
        """Remember what changed; once, however many ways lead there."""
        self.findings.setdefault((path, sentence), label)

    def run(self, before: object, after: object) -> None:
        """Compare two schemas as far as that is possible."""
        try:
            self.compare(before, after, ())
        except ExhaustedError:
            self.note((), "they are too large or too deeply nested to compare", INCOMPARABLE)

    def compare(self, before: object, after: object, path: Path) -> None:
        """Note what an argument at this place may be now and could not before, and the other way round.

        Raises:
            ExhaustedError: there is no end to it.
        """
        if (_is_open(before) and _is_open(after)) or self._was_seen(before, after):
            return
        if self._depth > _MAX_DEPTH:
            raise ExhaustedError
        self._depth += 1
        self._compare_forms(self._before.forms(before), self._after.forms(after), path)
        self._depth -= 1

    def is_same(self, before: object, after: object) -> bool:
        """Whether nothing at all can be told apart in two schemas."""
        known = self._seen if self._is_about_sameness else set(self._known_same)
        inner = Comparison(self._before, self._after, known)
        inner._alive = self._alive
        inner._depth = self._depth
        inner.compare(before, after, ("not",))
        if inner.findings:
            return False
        if not self._is_about_sameness:
            self._known_same = known
        return True

    def pairs(
        self, before: list[Any], after: list[Any], path: Path, *, gained: tuple[str, str], lost: tuple[str, str]
    ) -> None:
        """Compare two lists of schemas of which the order does not matter."""
        for one, other in matched(before, after):
            if one is None:
                self.note(path, *gained)
            elif other is None:
                self.note(path, *lost)
            else:
                self.compare(one[0], other[0], path)

    def _was_seen(self, before: object, after: object) -> bool:
        """Whether the pair was met already: references lead to one place often, and in circles."""
        if not any(isinstance(schema, dict) and schema is not ANYTHING for schema in (before, after)):
            return False  # one and the same object stands in many places, and each is worth a word
        pair = (self._mark(before), self._mark(after))
        if pair in self._seen:
            return True
        self._seen.add(pair)
        return False

    def _mark(self, schema: object) -> object:
        if (reference := _reference(schema)) is not None:
            return reference
        self._alive.append(schema)
        return id(schema)

    def _compare_forms(self, before: list[Form], after: list[Form], path: Path) -> None:
        if len(before) == 1 and len(after) == 1:
            compare_general(self, before[0].general, after[0].general, path)
            self._compare_types(
                {kind: [(asked, ANYTHING)] for kind, asked in before[0].by_type.items()},
                {kind: [(asked, ANYTHING)] for kind, asked in after[0].by_type.items()},
                path,
            )
        elif all(len(form.by_type) <= 1 or not form.general for form in (*before, *after)):
            self._compare_types(_by_type(before), _by_type(after), path)
        else:  # what is asked of several types at once cannot be shared out among them
            self.pairs(
                [form.keywords for form in before],
                [form.keywords for form in after],
                path,
                gained=("another form is accepted", WIDENED),
                lost=("one form is no longer accepted", NARROWED),
            )

    def _compare_types(self, before: dict[str, list[Branch]], after: dict[str, list[Branch]], path: Path) -> None:
        was, now = _names(before), _names(after)
        sentence = f"type was {was}, is {now}"
        if before.keys() - after.keys():
            self.note(path, sentence if before.keys() > after.keys() else f"{sentence}: refuses more", NARROWED)
        if after.keys() - before.keys():
            self.note(path, sentence if after.keys() > before.keys() else f"{sentence}: accepts more", WIDENED)
        for kind, branches in before.items():
            if kind in after:
                self._compare_branches(kind, branches, after[kind], path)

    def _compare_branches(self, kind: str, before: list[Branch], after: list[Branch], path: Path) -> None:
        for one, other in matched(before, after):
            if one is None:
                self.note(path, f"another form of {kind} is accepted", WIDENED)
            elif other is None:
                self.note(path, f"one form of {kind} is no longer accepted", NARROWED)
            else:
                compare_general(self, one[0][1], other[0][1], path)
                compare_type(self, kind, one[0][0], other[0][0], path)


def matched(before: list[Any], after: list[Any]) -> Iterator[tuple[tuple[Any] | None, tuple[Any] | None]]:
    """Pairs of two lists, like with like first, the rest in order; None where one list has no more.

    Any pairing is right for unions and intersections; this one says least about what did not change.
    """
    if len(before) == 1 and len(after) == 1:
        yield (before[0],), (after[0],)
        return
    waiting: dict[str, list[Any]] = {}
    for entry in after:
        waiting.setdefault(compact(entry), []).append(entry)
    rest: list[Any] = []
    for entry in before:
        alike = waiting.get(compact(entry))
        if alike:
            yield (entry,), (alike.pop(0),)
        else:
            rest.append(entry)
    left = [entry for entries in waiting.values() for entry in entries]
    yield from zip_longest(((entry,) for entry in rest), ((entry,) for entry in left))


def _is_open(schema: object) -> bool:
    return schema is True or (isinstance(schema, dict) and ASIDES.issuperset(schema))


def _reference(schema: object) -> str | None:
    """Where a schema leads that says nothing else."""
    while isinstance(schema, dict):
        own = [key for key in schema if key not in ASIDES]
        if own == ["$ref"]:
            return schema["$ref"] if isinstance(schema["$ref"], str) else None
        if own != ["allOf"] or not isinstance(schema["allOf"], list) or len(schema["allOf"]) != 1:
            return None
        schema = schema["allOf"][0]
    return None


def _by_type(forms: list[Form]) -> dict[str, list[Branch]]:
    """Alternatives sorted by type; those said twice, or within one that accepts all of the type, left out."""
    branches: dict[str, dict[str, Branch]] = {}
    for form in forms:
        for kind, asked in form.by_type.items():
            branches.setdefault(kind, {}).setdefault(compact((asked, form.general)), (asked, form.general))
    free = compact((ANYTHING, ANYTHING))
    return {kind: [own[free]] if free in own else list(own.values()) for kind in TYPES if (own := branches.get(kind))}


def _names(types: dict[str, list[Branch]]) -> str:
    if not types:
        return "nothing"
    if len(types) == len(TYPES):
        return "anything"
    names = [
        "integer" if kind == "number" and all(asked.get("integer") for asked, _ in types[kind]) else kind
        for kind in types
    ]
    return " or ".join(names)
