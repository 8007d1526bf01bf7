"""Adapt new lines to the indentation and typography of the file."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from functools import cached_property
from itertools import pairwise, takewhile
from typing import Final

from hermes_tools_terminal.editing.fuzzy.text_index import PLAIN, plain
from hermes_tools_terminal.editing.indentation import Indents, UnclearIndentError, indent_of

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
        indents = [(indent_of(quoted), indent_of(there)) for quoted, there in pairs]
        self._first = indents[0] if indents else ("", "")
        rest = indents[1:]
        self._first_alone = partial or self._is_first_lost(rest)
        self._unclear = not partial and len(indents) == 1 and self._is_first_in_doubt(new)
        others = (indent_of(line) for line in new if line.strip())
        self._indents = Indents(rest if self._first_alone else indents, others, step)

    def _is_first_lost(self, rest: Sequence[Pair]) -> bool:
        """Return whether only the first line was quoted without its indentation."""
        quoted, there = self._first
        return not quoted and bool(there) and bool(rest) and all(one == other for one, other in rest)

    def _is_first_in_doubt(self, new: Sequence[str]) -> bool:
        """Return whether the only quoted line lacks its indentation and the new lines leave it unclear."""
        quoted, there = self._first
        if quoted or not there or not any(line.strip() for line in new[1:]):
            return False
        for before, line in takewhile(lambda pair: pair[1].strip(), pairwise(new)):  # a blank line may end the block
            if not line.startswith(there) or before.rstrip().endswith(_OPENERS):
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
        return any(quoted.strip(" \t") != there.strip(" \t") for quoted, there in self._pairs)

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
                if any(sign in kind and there == {PLAIN[sign]} for sign, there in self._signs.items())
            )
        )

    @cached_property
    def _curly(self) -> frozenset[str]:
        """ASCII quotation marks for which the file uses curly ones."""
        known = {mark: self._signs[mark] for mark in _CURLY if mark in self._signs}
        curly = [mark for mark, there in known.items() if there <= {*_CURLY[mark]}]
        return frozenset(_CURLY if curly and len(curly) == len(known) else curly)

    @cached_property
    def _signs(self) -> dict[str, set[str]]:
        """What the file has for each sign and whitespace character of the quote."""
        signs: dict[str, set[str]] = {}
        for quoted, there in self._pairs:
            for ours, theirs in _aligned(quoted, there):
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


def _aligned(quoted: str, there: str) -> list[tuple[tuple[str, str], tuple[str, str]]]:
    """Pair the pieces of a quoted line with those of the file; empty if the numbers differ."""
    ours, theirs = _pieces(quoted.strip()), _pieces(there.strip())
    return list(zip(ours, theirs, strict=True)) if len(ours) == len(theirs) else []


def _pieces(line: str) -> _Pieces:
    return [(found[1], found[2]) for found in _PIECE.finditer(line)]
