"""Apply the difference between an old and a new text to lines that differ slightly, in the style of the file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from functools import cached_property
from itertools import pairwise, takewhile
from typing import Final

from hermes_editing.diff import matching_blocks
from hermes_editing.fuzzy.text_index import PLAIN, plain, squeeze, tokens_of
from hermes_editing.indentation import Indents, UnclearIndentError, indent_of

_PIECE: Final = re.compile(r"(\s*)((?:\w[\u0300-\u036f]*)+|[-‐‑–−]{2}|\.\.\.|[^\w\s][\u0300-\u036f]*)")
_CURLY: Final = {'"': "“”", "'": "‘’"}
_KINDS: Final = tuple(
    frozenset(special for special, usual in PLAIN.items() if usual in meant)
    for meant in (("'", '"'), ("-", "--"), (" ",))
)
"""Typographic quotation marks, dashes and spaces: a text that replaces one of a kind replaces all of that kind."""

_OPENERS: Final = (":", "{", "(", "[", ",", "\\", "=", ">")
"""Line endings after which the next line is indented further."""

_COMPARED: Final = 2_500
"""How many pairs of new and removed lines are compared at most."""

Pair = tuple[str, str]
"""A line as quoted, and as it is in the file."""

_Pieces = list[tuple[str, str]]
"""The words and signs of a line, each with the whitespace before it."""


class FileStyle:
    """How a file writes what the quoted lines write differently.

    Args:
        pairs: The quoted lines that are not blank, with those of the file.
        new: All new lines.
        partial: Whether the first pair begins within a line, so that its indentation is meaningless.
        step: Returns the indentation width of the file; 0 if unknown.
    """

    def __init__(
        self, pairs: Sequence[Pair], new: Sequence[str], *, partial: bool = False, step: Callable[[], int] = int
    ) -> None:
        self._pairs = pairs
        indents = [(indent_of(quoted), indent_of(actual)) for quoted, actual in pairs]
        self._first = indents[0] if indents else ("", "")
        rest = indents[1:]
        self._first_alone = partial or self._is_first_lost(rest)
        self._unclear = not partial and len(indents) == 1 and self._is_first_in_doubt(new)
        others = (indent_of(line) for line in new if line.strip())
        self._indents = Indents(rest if self._first_alone else indents, others, step)

    def _is_first_lost(self, rest: Sequence[Pair]) -> bool:
        """Return whether only the first line was quoted without its indentation."""
        quoted, actual = self._first
        return not quoted and bool(actual) and bool(rest) and all(one == other for one, other in rest)

    def _is_first_in_doubt(self, new: Sequence[str]) -> bool:
        """Return whether the only quoted line lacks its indentation and the new lines leave it unclear."""
        quoted, actual = self._first
        if quoted or not actual or not any(line.strip() for line in new[1:]):
            return False
        for before, line in takewhile(lambda pair: pair[1].strip(), pairwise(new)):  # a blank line may end the block
            if not line.startswith(actual) or before.rstrip().endswith(_OPENERS):
                return False
        return True

    def write(self, line: str, replaced: Sequence[Pair], *, first: bool) -> str:
        """Adapt a new line to the file. Raise `UnclearIndentError` if the quoted lines do not show how it is indented.

        Args:
            line: The line.
            replaced: The lines that it and its neighbors replace.
            first: Whether it is the first line of the new text.
        """
        if not line.strip():
            return ""
        indent = indent_of(line)
        body = line[len(indent) :]
        if first and self._first_alone and indent == self._first[0]:
            indent = self._first[1]
        elif self._unclear and not first:
            raise UnclearIndentError
        else:
            indent = self._indents.of(indent)
        return indent + (self._body(body, replaced) if self._differs else body)

    @cached_property
    def _differs(self) -> bool:
        return any(quoted.strip(" \t") != actual.strip(" \t") for quoted, actual in self._pairs)

    def _body(self, body: str, replaced: Sequence[Pair]) -> str:
        """Copy unchanged words from the replaced line, and adapt the others."""
        pieces = _pieces(body)
        known = [pair for pair in _aligned(*_nearest(body, replaced)) if plain(pair[0][1]) == plain(pair[1][1])]
        matcher = SequenceMatcher(None, [ours[1] for ours, _ in known], [word for _, word in pieces], autojunk=False)
        stays = {
            other + step: known[start + step]
            for start, other, size in matcher.get_matching_blocks()
            for step in range(size)
        }
        written: list[str] = []
        for index, (blanks, word) in enumerate(pieces):
            (old_blanks, _), (file_blanks, file_word) = stays.get(index, (("", ""), ("", word)))
            same_blanks = index in stays and blanks == old_blanks
            written.append(file_blanks if same_blanks else self._plain(blanks))
            if word in self._curly:
                written.append(self._curled(pieces, index))
            else:
                written.append(file_word if index in stays else self._plain(word))
        return "".join(written) + body[len(body.rstrip()) :]

    def _curled(self, pieces: _Pieces, index: int) -> str:
        mark = pieces[index][1]
        if _is_apostrophe(pieces, index):
            return "’"
        before = sum(word == mark and not _is_apostrophe(pieces, at) for at, (_, word) in enumerate(pieces[:index]))
        return _CURLY[mark][before % 2]

    def _plain(self, text: str) -> str:
        return "".join(plain(letter) if letter in self._made_plain else letter for letter in text)

    @cached_property
    def _made_plain(self) -> frozenset[str]:
        """Typographic characters that the quote uses where the file has ASCII."""
        return frozenset().union(
            *(
                kind
                for kind in _KINDS
                if any(sign in kind and actual == {PLAIN[sign]} for sign, actual in self._signs.items())
            )
        )

    @cached_property
    def _curly(self) -> frozenset[str]:
        """ASCII quotation marks for which the file uses curly ones."""
        known = {mark: self._signs[mark] for mark in _CURLY if mark in self._signs}
        curly = [mark for mark, actual in known.items() if actual <= {*_CURLY[mark]}]
        return frozenset(_CURLY if curly and len(curly) == len(known) else curly)

    @cached_property
    def _signs(self) -> dict[str, set[str]]:
        """What the file has for each sign and whitespace character of the quote."""
        signs: dict[str, set[str]] = {}
        for quoted, actual in self._pairs:
            for ours, theirs in _aligned(quoted, actual):
                for one, other in zip(ours, theirs, strict=True):
                    if len(one) == len(other):
                        for sign, meant in zip(one, other, strict=True):
                            signs.setdefault(sign, set()).add(meant)
        return signs


def _is_apostrophe(pieces: _Pieces, index: int) -> bool:
    """Return whether a quotation mark is inside a word."""
    return (
        pieces[index][1] == "'"
        and 0 < index < len(pieces) - 1
        and not (pieces[index][0] or pieces[index + 1][0])
        and pieces[index - 1][1][-2:].isalpha()
        and pieces[index + 1][1].isalpha()
    )


def _nearest(body: str, replaced: Sequence[Pair]) -> Pair:
    """Return the replaced line that is most similar to a new one."""
    if len(replaced) < 2:
        return replaced[0] if replaced else ("", "")
    matcher = SequenceMatcher(None, "", body, autojunk=False)

    def likeness(pair: Pair) -> float:
        matcher.set_seq1(pair[0].strip())
        return matcher.quick_ratio()

    return max(replaced[: max(1, _COMPARED // (len(body) + 1))], key=likeness)


def _aligned(quoted: str, actual: str) -> list[tuple[tuple[str, str], tuple[str, str]]]:
    """Pair the pieces of a quoted line with those of the file; empty if the numbers differ."""
    ours, theirs = _pieces(quoted.strip()), _pieces(actual.strip())
    return list(zip(ours, theirs, strict=True)) if len(ours) == len(theirs) else []


def _pieces(line: str) -> _Pieces:
    return [(found[1], found[2]) for found in _PIECE.finditer(line)]


ALIKE: Final = 0.6
"""How similar a new line must be to the file's line to correct the quoted one."""


class ConflictError(ValueError):
    """Raised when an edit would change or remove lines that it does not quote."""


class Merge:
    """Merges an edit into lines of a file; parts that the edit leaves alone keep the wording of the file.

    Args:
        old: The quoted lines.
        new: The replacement lines.
        actual: The lines of the file.
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
