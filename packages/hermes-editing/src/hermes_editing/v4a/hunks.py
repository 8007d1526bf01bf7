"""Apply the hunks of one file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NoReturn

from hermes_editing.fuzzy.already_applied import covers
from hermes_editing.fuzzy.results import AlreadyAppliedError, NoMatchError, Suggestion
from hermes_editing.v4a.editable_lines import Block, BudgetExceededError, EditableLines, WorkBudget
from hermes_editing.v4a.hunk_search import AmbiguousHunkError, Find, HintSearch, InexactSearch
from hermes_editing.v4a.patch import Hunk, PatchError, Update, shorten

_MAX_HUNKS = 24
"""With more hunks, indexing the lines of the file is faster than a search for each."""


def apply_unique_hunks(text: str, hunks: Sequence[Hunk]) -> str | None:
    """Apply a few hunks that match exactly once; None unless all do, without overlaps, and none was applied before."""
    if not text or len(hunks) > _MAX_HUNKS or any(hunk.at_end for hunk in hunks):
        return None
    ends = text.endswith("\n")
    framed = f"\n{text}" if ends else f"\n{text}\n"
    edits = []
    for hunk in hunks:
        place = _only_place(framed, hunk.old)
        if place is None:
            return None
        new = "".join(f"{line}\n" for line in hunk.new)
        ends_so = framed.endswith(new.rstrip("\n") + "\n")  # a trailing blank line may be the end of the file
        if framed[slice(*place)] in new and (ends_so or covers(framed, new, place)):
            return None
        edits.append((*place, new))
    edits.sort()
    parts, at = [], 1
    for start, end, new in edits:
        if start < at:
            return None
        parts += [framed[at:start], new]
        at = end
    changed = "".join([*parts, framed[at:]])
    return changed if ends else changed.removesuffix("\n")


def _only_place(framed: str, old: list[str]) -> tuple[int, int] | None:
    if not old:
        return None
    wanted = "\n" + "\n".join(old) + "\n"
    at = framed.find(wanted)
    if at < 0 or framed.find(wanted, at + 1) >= 0:
        return None
    return at + 1, at + len(wanted)


_TOO_MUCH = (
    "too many hunks up to this one do not match exactly. Read the file again and copy its lines exactly, or send the "
    "patch in parts."
)

_TOO_LONG = 4
"""A hunk with so many times the lines of the file is rejected without a search."""

_TRIES = 1000
"""At how many places of its new lines the old lines of a hunk are searched."""

_MAX_COUNTED = 1000
"""How many places of a hunk are counted for a message."""


@dataclass(frozen=True, slots=True)
class UpdatedText:
    """A text after an operation: how inexact hunks were found, and the numbers of hunks that were already applied."""

    text: str
    strategies: tuple[str, ...] = ()
    already_applied: tuple[int, ...] = ()


def apply_hunks(text: str, update: Update, budget: WorkBudget) -> UpdatedText:
    """Apply the hunks of an operation; those that were already applied change nothing.

    Raises:
        PatchError: A hunk fits nowhere, or several places.
    """
    done = apply_unique_hunks(text, update.hunks)
    if done is not None:
        return UpdatedText(done)
    application = _HunkApplication(text, budget)
    already_applied = []
    for number, hunk in enumerate(update.hunks, 1):
        try:
            application.apply(hunk)
        except AlreadyAppliedError:
            already_applied.append(number)
        except _MisfitError as error:
            raise _error(update, number, hunk, str(error), error.suggestions) from None
        except BudgetExceededError:
            raise _error(update, number, hunk, _TOO_MUCH) from None
    return UpdatedText(
        application.editable.text(), tuple(dict.fromkeys(application.strategies)), tuple(already_applied)
    )


def _error(
    update: Update, number: int, hunk: Hunk, reason: str, suggestions: tuple[Suggestion, ...] = ()
) -> PatchError:
    return PatchError(
        reason, line=hunk.line, operation="Update File", path=update.path, hunk=number, suggestions=suggestions
    )


class _MisfitError(Exception):
    """Raised when a hunk fits nowhere, or several places."""

    def __init__(self, reason: str, suggestions: tuple[Suggestion, ...] = ()) -> None:
        self.suggestions = suggestions
        super().__init__(reason)


class _HunkApplication:
    """Applies hunks to one text."""

    def __init__(self, text: str, budget: WorkBudget) -> None:
        self.editable = EditableLines(text, budget)
        self.strategies: list[str] = []
        self._budget = budget
        self._hints = HintSearch(self.editable, budget)
        self._inexact = InexactSearch(self.editable, budget)
        self._cursor: int | None = None

    def apply(self, hunk: Hunk) -> None:
        """Apply one hunk.

        Raises:
            _MisfitError: It fits nowhere, or several places.
            AlreadyAppliedError: Its new lines are already present.
            BudgetExceededError: The search would take too long.
        """
        count = sum(line[0] != "+" for line in hunk.lines)
        if not count:
            self._add(hunk)
            return
        if count > _TOO_LONG * (self.editable.size + 1):
            raise _MisfitError(f"it expects {count} lines, but the file has {self.editable.size}. Read the file again.")
        block = self._place(hunk)
        if block is None:
            self._apply_inexact(hunk)
            return
        self._require_not_applied(hunk, block)
        self._cursor = self.editable.rewrite(block, hunk.lines)

    def _add(self, hunk: Hunk) -> None:
        """Insert new lines after what the hint names, or at the end."""
        at = self.editable.preceding(self.editable.end)
        if hunk.hints and not hunk.at_end:
            at = self._named(hunk.hints)
            actual = self._original_lines(self.editable.following(at), len(hunk.lines))
        else:
            first = at
            for _ in hunk.lines[1:]:
                first = self.editable.preceding(first)
            actual = self._original_lines(first, len(hunk.lines)) if first >= 0 else []
        if actual == hunk.new and any(line.strip() for line in actual):
            raise AlreadyAppliedError
        for line in hunk.lines:
            at = self.editable.insert(at, line[1:])
        self._cursor = at

    def _named(self, hints: tuple[str, ...]) -> int:
        places = self._hints.places(hints)
        if len(places) > 1 and self._cursor is not None:
            after = [place for place in places if self.editable.rank(place) > self.editable.rank(self._cursor)]
            places = after if len(after) == 1 else places
        if len(places) == 1:
            return places[0]
        details = f"fits {len(places)} lines" if places else "is not in the file"
        raise _MisfitError(
            f"the hint `{shorten(hints[-1])}` {details}. It must match one line, after which the new lines are "
            "inserted; or add lines of the file as context."
        )

    def _place(self, hunk: Hunk) -> Block | None:
        """Return the exact match of a hunk."""
        if hunk.at_end:
            return self.editable.last_block(hunk.old, str)
        old = hunk.old
        block = self._chosen(lambda start: self.editable.blocks(self.editable.exact, old, start), hunk)
        if block is None and self._cursor is not None:
            block = self._chosen(lambda start: self.editable.former_blocks(hunk.lines, start), hunk)
        return block

    def _require_not_applied(self, hunk: Hunk, block: Block) -> None:
        """Refuse a hunk whose old lines are a part of its new ones, which are already present.

        Lines added by earlier hunks do not count: a patch may add the same lines twice.
        """
        old, new = hunk.old, hunk.new
        if len(new) <= len(old) or not any(line.strip() for line in old):
            return
        for shift in range(min(len(new) - len(old) + 1, _TRIES)):
            if new[shift : shift + len(old)] != old:
                continue
            first = block[0]
            for _ in range(shift):
                first = self.editable.preceding(first) if first >= 0 else first
            # Blank lines may be missing at the end of a file, but not be all that the hunk adds.
            more_than_old = self._original_lines(first, len(old) + 1, padded=False) if first >= 0 else []
            if len(more_than_old) > len(old) and self._original_lines(first, len(new)) == new:
                raise AlreadyAppliedError

    def _original_lines(self, first: int, count: int, *, padded: bool = True) -> list[str]:
        """Return consecutive original lines; if `padded`, blank lines stand for what follows the end."""
        lines: list[str] = []
        while len(lines) < count and first < self.editable.end:
            lines.append(self.editable[first])
            first = self.editable.following(first)
        return lines + [""] * (count - len(lines) if padded and first == self.editable.end else 0)

    def _apply_inexact(self, hunk: Hunk) -> None:
        try:
            found = self._inexact.find(hunk, self)
        except NoMatchError as error:
            raise _MisfitError(self._explain_missing(hunk, error.reason), error.suggestions) from None
        except AmbiguousHunkError as error:
            raise _MisfitError(_ambiguous(error.count, error.lines)) from None
        self.strategies.append(found.strategy)
        self._cursor = self.editable.rewrite(found.block, found.lines)

    def _chosen(self, find: Find, hunk: Hunk) -> Block | None:
        """Return the intended match; None if there is none. Raise `_MisfitError` if it is ambiguous."""
        found = list(islice(find(None), 2))
        if len(found) < 2:
            return found[0] if found else None
        return self.preferred(find, hunk) or self._refuse(find)

    def preferred(self, find: Find, hunk: Hunk) -> Block | None:
        """Choose among several places by the hints, or else by the previous hunk; None if unclear."""
        places = self.named(hunk)
        return self._nearest(find, places) if places else self._only_original(find) or self._only_after_previous(find)

    def named(self, hunk: Hunk) -> list[int]:
        """Return the lines that the hints of a hunk can mean."""
        return self._hints.places(hunk.hints)

    def _nearest(self, find: Find, places: list[int]) -> Block | None:
        """Return the first place after the hint."""
        self._budget.look(8 * len(places))
        blocks = {block[0]: block for place in places if (block := next(find(place), None)) is not None}
        if len(blocks) > 1 and self._cursor is not None:
            blocks = {first: block for first, block in blocks.items() if self._is_behind(block)} or blocks
        return next(iter(blocks.values())) if len(blocks) == 1 else None

    def _only_original(self, find: Find) -> Block | None:
        """Return the only place among the original lines, which the author of the patch has read."""
        if not self.editable.new:
            return None
        end = self.editable.end
        blocks = list(islice((block for block in find(None) if max(block) < end), 2))
        return blocks[0] if len(blocks) == 1 else None

    def _only_after_previous(self, find: Find) -> Block | None:
        """Return the only place after the previous hunk."""
        if self._cursor is None:
            return None
        blocks = list(islice((block for block in find(self._cursor) if self._is_behind(block)), 2))
        return blocks[0] if len(blocks) == 1 else None

    def _is_behind(self, block: Block) -> bool:
        return self._cursor is None or self.editable.rank(block[-1]) > self.editable.rank(self._cursor)

    def _refuse(self, find: Find) -> NoReturn:
        blocks = list(islice(find(None), _MAX_COUNTED))
        lines = [block[0] + 1 for block in blocks if block[0] < self.editable.end]
        raise _MisfitError(_ambiguous(len(blocks), lines))

    def _explain_missing(self, hunk: Hunk, reason: str) -> str:
        """Explain why a hunk fits nowhere, with its first unknown line."""
        where = " at the end of the file" if hunk.at_end else " in the file"
        if reason:
            return f"its lines are not{where}. {reason} Read the file again."
        for line in hunk.old:
            if not self.editable.stripped.places(line.strip()):
                return f"its lines are not{where}: no line is `{shorten(line)}`. Read the file again."
        return f"its lines are not consecutive{where}. Read the file again."


def _ambiguous(count: int, lines: list[int]) -> str:
    many = f"{count} or more" if count == _MAX_COUNTED else str(count)
    numbers = ", ".join(map(str, lines[:10])) + (", ..." if len(lines) > 10 else "")
    return (
        f"its lines occur at {many} places in the file"
        + (f", at lines {numbers}" if numbers else "")
        + ". Include more "
        "context lines, or name a line before the right place: `@@ def name @@`."
    )
