"""What a repair leaves behind: a record of what was changed, for people and for traces."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import NoneType
from typing import Any, Final

from hermes_schemas.repair_strings import read_container
from hermes_schemas.validation.messages import preview


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """One change to the arguments. `kind` is a stable name; `before` and `after` are short previews."""

    path: str
    kind: str
    before: str
    after: str

    def __str__(self) -> str:
        place = self.path or "the arguments"
        return f"{place}: {self.before} became {self.after} ({self.kind.replace('_', ' ')})."


class Words(str):
    """Text that is shown as it stands, where any other value is previewed."""

    __slots__ = ()


# Path, kind, before, after: a repair before anybody has asked to read it. Only values that cannot change are kept.
Note = tuple[str, str, object, object]
_PREVIEW = 80
# Classes whose values cannot change, and run nobody's code when they are shown later.
LASTING = frozenset({str, int, float, bool, NoneType, Words})


# In place of `after`: what the text before says, or an array of what was before; told only when somebody asks.
AS_READ: Final = Words("as read")
IN_ARRAY: Final = Words("in an array")


def _shown(value: object) -> str:
    return str(value) if type(value) is Words else preview(value, _PREVIEW)


def _shown_after(before: object, after: object) -> str:
    if after is AS_READ and isinstance(before, str):
        return preview(read_container(before), _PREVIEW)
    return preview([before], _PREVIEW) if after is IN_ARRAY else _shown(after)


@dataclass(frozen=True, slots=True)
class Repaired:
    """Arguments after repair, and every change that was made to them."""

    args: Any
    notes: tuple[Note, ...] = field(default=(), repr=False)

    @property
    def repairs(self) -> tuple[Repair, ...]:
        """Every change, in order. They are put into words here, because most calls never show them."""
        return tuple(
            Repair(path=path, kind=kind, before=_shown(before), after=_shown_after(before, after))
            for path, kind, before, after in self.notes
        )


# One is made for every call, and what a frozen dataclass generates takes twice the time of its slots' own setters.
_new = object.__new__
_set_args, _set_notes = vars(Repaired)["args"].__set__, vars(Repaired)["notes"].__set__


def repaired(args: Any, notes: tuple[Note, ...] = ()) -> Repaired:
    """`Repaired(args, notes)`, made fast."""
    made = _new(Repaired)
    _set_args(made, args)
    _set_notes(made, notes)
    return made


class Tries:
    """What is remembered about schemas that combine others, so that no combination is tried twice."""

    __slots__ = ("active", "left", "memo")

    def __init__(self) -> None:
        self.active: set[tuple[int, str]] = set()
        # Values whose results are remembered are kept beside them, so that no id is used twice.
        self.memo: dict[tuple[int, int, str], tuple[object, object, tuple[Note, ...]]] = {}
        # Some schemas allow so many combinations that trying all would take for ever: after these, values stay.
        self.left = 20_000


@dataclass(slots=True, kw_only=True)
class Job:
    """What one repair remembers while it works.

    Attributes:
        settled: Nothing was done that another look could add to.
        held: Names that schemas beside the present one require.
        in_array: The present value is an item.
        contested: Arguments for which several different values were sent under other names.
    """

    keep_nulls: bool = False
    notes: list[Note] = field(default_factory=list)
    level: int = 0
    settled: bool = True
    held: frozenset[str] = frozenset()
    in_array: bool = False
    contested: frozenset[str] = frozenset()
    _tries: Tries | None = None

    @property
    def tries(self) -> Tries:
        if self._tries is None:
            self._tries = Tries()
        return self._tries

    def note(self, path: str, kind: str, before: object, after: object) -> None:
        """Note one value in place of another. What may change later, as containers do, is previewed now."""
        if type(before) not in LASTING:
            before = Words(preview(before, _PREVIEW))
        if type(after) not in LASTING:
            after = Words(preview(after, _PREVIEW))
        self.notes.append((path, kind, before, after))
