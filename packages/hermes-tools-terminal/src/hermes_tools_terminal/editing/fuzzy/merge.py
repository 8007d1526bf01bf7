"""Apply the difference between an old and a new text to lines that differ slightly from the old text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import Final

from hermes_tools_terminal.editing.diff import matching_blocks
from hermes_tools_terminal.editing.fuzzy.file_style import FileStyle
from hermes_tools_terminal.editing.fuzzy.text_index import squeeze, tokens_of

ALIKE: Final = 0.6
"""How similar a new line must be to the file's line to correct the quoted one."""


class ConflictError(ValueError):
    """Raised when an edit would change or remove lines that it does not quote."""


class Merge:
    """Merges an edit into lines of a file: what it leaves alone stays as it is in the file.

    Args:
        old: The quoted lines.
        new: The replacement lines.
        there: The lines of the file.
        pairs: Pairs of indexes of quoted lines and lines of the file, ascending.
        partial: Whether the first line is only the end of a line.
        step: Returns the indentation width of the file; 0 if unknown.
        kept: Pairs of indexes of old and new lines that are the same, as far as the edit says so; None if it does not.
    """

    def __init__(
        self,
        old: list[str],
        new: list[str],
        actual: list[str],
        pairs: Sequence[tuple[int, int]],
        *,
        partial: bool = False,
        step: Callable[[], int] = int,
        kept: Sequence[tuple[int, int]] | None = None,
    ) -> None:
        self._old, self._new, self._there = old, new, actual
        self._kept = kept
        self._of = dict(pairs)
        paired = set(self._of.values())
        self._unquoted = {n for n, line in enumerate(actual) if not line.strip() and n not in paired}
        solid = [(old[one], actual[other]) for one, other in pairs if old[one].strip() and actual[other].strip()]
        self._style = FileStyle(solid, new, partial=partial, step=step)
        self._at = 0
        self._written: list[str] = []

    def lines(self) -> list[str]:
        """Return the resulting lines of the file.

        Raises:
            ConflictError: Lines that were not quoted would be lost, or it is unclear where new lines belong.
            UnclearIndentError: It is unclear how new lines are indented.
        """
        old, new = self._old, self._new
        if not any(line != line.rstrip() for line in self._there):  # the file has no trailing whitespace to remove
            old, new = ([line.rstrip() for line in lines] for lines in (old, new))
            if old != self._old:
                self._new = new
        if self._kept is None and new and new[0] and new[0] not in old and new[0][0].strip():
            same = [line for line in old if line.strip() == new[0]]
            if len(same) == 1:  # a quoted line that is now first and lost its indentation
                new = [same[0], *new[1:]]
        line = other = 0
        for start, start_new, size in [*self._unchanged_blocks(old, new), (len(old), len(new), 0)]:
            if line < start or other < start_new:
                self._change(line, start, other, start_new)
            for index in range(start, start + size):
                if index in self._of:
                    self._keep_to(self._of[index] + 1)
            line, other = start + size, start_new + size
        self._keep_to(len(self._there))
        return self._written

    def _unchanged_blocks(self, old: list[str], new: list[str]) -> Iterator[tuple[int, int, int]]:
        """Yield the stretches of unchanged lines: those that the edit names, and equal ones between them."""
        line = other = 0
        kept = [pair for pair in self._kept or () if old[pair[0]] == new[pair[1]]]
        for end, end_new in [*kept, (len(old), len(new))]:
            for start, start_new, size in matching_blocks(old[line:end], new[other:end_new]):
                yield line + start, other + start_new, size
            if end < len(old):
                yield end, end_new, 1
            line, other = end + 1, end_new + 1

    def _keep_to(self, end: int) -> None:
        self._written += self._there[self._at : end]
        self._at = max(self._at, end)

    def _change(self, first: int, end: int, first_new: int, end_new: int) -> None:
        removed = range(first, end)
        gone = [self._of[index] for index in removed if index in self._of]
        if not gone and self._has_blanks(first, end, first_new, end_new):
            return
        if any(index not in self._of and self._old[index].strip() for index in removed):
            raise ConflictError
        if gone:
            self._keep_to(gone[0])
            if any(
                line.strip()
                for number, line in enumerate(self._there[self._at : gone[-1]], self._at)
                if number not in gone
            ):
                raise ConflictError
        else:
            self._require_gap(first, end)
        pairs = [(self._old[index], self._there[self._of[index]]) for index in removed if index in self._of]
        self._require_agreement(pairs, first_new, end_new)
        after = gone[-1] + 1 if gone else self._at
        for index in self._without_doubled_blanks(first_new, end_new, gone[0] if gone else self._at, after):
            self._written.append(self._style.write(self._new[index], pairs, first=index == 0))
        self._at = after

    def _has_blanks(self, first: int, end: int, first_new: int, end_new: int) -> bool:
        """Return whether an edit only adds blank lines that the file has and the quote omitted."""
        if first != end or any(line.strip() for line in self._new[first_new:end_new]):
            return False
        before, behind = self._of.get(first - 1), self._of.get(end)
        return before is not None and behind is not None and self._unquoted >= {*range(before + 1, behind)} != set()

    def _without_doubled_blanks(self, first: int, end: int, before: int, after: int) -> range:
        """Omit new blank lines next to blank lines of the file that the quote omitted."""
        while first < end and not self._new[first].strip() and before - 1 in self._unquoted:
            first, before = first + 1, before - 1
        while first < end and not self._new[end - 1].strip() and after in self._unquoted:
            end, after = end - 1, after + 1
        return range(first, end)

    def _require_gap(self, first: int, end: int) -> None:
        """Require that the quoted lines around new ones are neighbors in the file."""
        sides = [index for index in (first - 1, end) if 0 <= index < len(self._old)]
        actual = [self._of[index] for index in sides if index in self._of]
        if len(actual) < len(sides) or (len(actual) == 2 and actual[1] != actual[0] + 1):
            raise ConflictError

    def _require_agreement(self, pairs: list[tuple[str, str]], first_new: int, end_new: int) -> None:
        """Require that the replacement of a wrongly quoted line was written for the file's line."""
        written = {squeeze(line) for line in self._new[first_new:end_new]}
        for quoted, actual in pairs:
            if squeeze(quoted) == squeeze(actual):
                continue
            if squeeze(quoted) in written:
                raise ConflictError  # it stays as quoted, so it is not a mistake
            ours, theirs = tokens_of(quoted), tokens_of(actual)
            if not any(_is_written_for(tokens_of(line), theirs, ours) for line in self._new[first_new:end_new]):
                raise ConflictError


def _is_written_for(new: list[str], actual: list[str], quoted: list[str]) -> bool:
    """Return whether a new line resembles the file's line, and more than the quoted one."""
    matcher = SequenceMatcher(None, new, actual, autojunk=False)
    likeness = matcher.ratio()
    matcher.set_seq2(quoted)
    return likeness >= ALIKE and likeness > matcher.ratio()
