"""Records of repairs, for people and for traces."""

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


class PlainText(str):
    """Text that is shown without quotes; other values are previewed."""

    __slots__ = ()


# Path, kind, before, after: a repair whose description has not been read yet. It stores only immutable values.
Note = tuple[str, str, object, object]
_PREVIEW = 80
# Classes whose values are immutable, and run no foreign code when they are shown later.
LASTING = frozenset({str, int, float, bool, NoneType, PlainText})

# Instead of `after`: the value that the text before holds, or an array of the value before; formatted when it is read.
AS_READ: Final = PlainText("as read")
IN_ARRAY: Final = PlainText("in an array")


def _describe(value: object) -> str:
    return str(value) if type(value) is PlainText else preview(value, _PREVIEW)


def _describe_after(before: object, after: object) -> str:
    if after is AS_READ and isinstance(before, str):
        return preview(read_container(before), _PREVIEW)
    return preview([before], _PREVIEW) if after is IN_ARRAY else _describe(after)


@dataclass(frozen=True, slots=True)
class Repaired:
    """Repaired arguments, and the changes."""

    args: Any
    notes: tuple[Note, ...] = field(default=(), repr=False)

    @property
    def repairs(self) -> tuple[Repair, ...]:
        """The changes in order. They are formatted here, because most calls never show them."""
        return tuple(
            Repair(path=path, kind=kind, before=_describe(before), after=_describe_after(before, after))
            for path, kind, before, after in self.notes
        )


# Every call makes one, and the __init__ that a frozen dataclass generates takes twice the time of these setters.
_new = object.__new__
_set_args, _set_notes = vars(Repaired)["args"].__set__, vars(Repaired)["notes"].__set__


def make_repaired(args: Any, notes: tuple[Note, ...] = ()) -> Repaired:
    """Return `Repaired(args, notes)`, faster."""
    made = _new(Repaired)
    _set_args(made, args)
    _set_notes(made, notes)
    return made


class Tries:
    """The attempts at schemas that combine others, so that no combination is tried twice."""

    __slots__ = ("active", "left", "memo")

    def __init__(self) -> None:
        self.active: set[tuple[int, str]] = set()
        # Values are stored with their results, so that no id is reused.
        self.memo: dict[tuple[int, int, str], tuple[object, object, tuple[Note, ...]]] = {}
        # Some schemas allow so many combinations that trying all would take forever: afterwards, values are unchanged.
        self.left = 20_000


@dataclass(slots=True, kw_only=True)
class Job:
    """The state of one repair.

    Attributes:
        settled: True when a second pass could not add anything.
        held: Names that schemas beside the current one require.
        in_array: True when the current value is an item.
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
        """Note one value that replaces another. Mutable values are previewed now."""
        if type(before) not in LASTING:
            before = PlainText(preview(before, _PREVIEW))
        if type(after) not in LASTING:
            after = PlainText(preview(after, _PREVIEW))
        self.notes.append((path, kind, before, after))
