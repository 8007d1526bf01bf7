"""A text with normalized views of its lines, computed on demand for searching."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, compress, pairwise
from typing import Final

PLAIN: Final = {
    **dict.fromkeys("‘’‚‛", "'"),
    **dict.fromkeys("“”„‟", '"'),
    **dict.fromkeys("‐‑–−", "-"),
    **dict.fromkeys("—―", "--"),
    "…": "...",
    **dict.fromkeys("\u00a0\u2002\u2003\u2007\u2009\u202f\u3000", " "),
    **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff", ""),
}
"""Quotation marks, dashes, ellipses, special spaces and invisible characters, with their ASCII equivalents."""

_BLANKS: Final = b" \t\r\f\v"
_TOKEN: Final = re.compile(r"\w+|[^\w\s]")


def plain(text: str) -> str:
    """Replace typographic characters with ASCII; return the same object if nothing changes."""
    if text.isascii():
        return text
    for special, usual in PLAIN.items():
        if special in text:  # much faster than `translate`, as most texts contain few
            text = text.replace(special, usual)
    return text if text.isascii() or unicodedata.is_normalized("NFC", text) else unicodedata.normalize("NFC", text)


def squeeze(text: str) -> str:
    """Remove all whitespace except line feeds, and typographic characters."""
    data = plain(text).encode("utf-8", "surrogatepass")
    return data.translate(None, _BLANKS).decode("utf-8", "surrogatepass")  # much faster on bytes


def tokens_of(text: str) -> list[str]:
    """Return the words and signs of a text, with plain typography."""
    return _TOKEN.findall(plain(text))


LOOKED_UP: Final = 20
"""Up to how many keys are searched one by one before an index is built."""

_STRIDE: Final = 1024
"""The length of text in which line feeds are searched one by one."""

Span = tuple[int, int]
"""A start and an end in the text."""


@dataclass(frozen=True, slots=True)
class Hits:
    """The occurrences of a string, in order and without overlaps; `several` counts overlapping ones, too."""

    spans: tuple[Span, ...]
    several: bool


class TextIndex:
    """A text with views for searching, each computed once on first use."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def lines(self) -> list[str]:
        """The lines, without their endings."""
        return lines_of(self.text)

    @cached_property
    def starts(self) -> list[int]:
        """The start of each line, and the end of the last one."""
        return list(accumulate(map((1).__add__, map(len, self.lines)), initial=0))

    @cached_property
    def plain_lines(self) -> list[str]:
        """The lines with plain typography, stripped."""
        return [line.strip() for line in lines_of(plain(self.text))]

    @cached_property
    def plain(self) -> str:
        """The plain lines as one text, each between two line feeds."""
        return framed(self.plain_lines)

    @cached_property
    def plain_starts(self) -> list[int]:
        """The start of each line in `plain`."""
        return list(accumulate(map((1).__add__, map(len, self.plain_lines)), initial=1))

    @cached_property
    def _squeezed_text(self) -> str:
        return squeeze(self.text)

    @cached_property
    def squeezed(self) -> str:
        """The keys as one text, each between two line feeds, so that whole lines are found by a string search."""
        text = f"\n{self._squeezed_text}\n"
        while "\n\n" in text:  # halves every run
            text = text.replace("\n\n", "\n")
        return text

    @cached_property
    def keys(self) -> list[str]:
        """The lines that are not blank, squeezed."""
        return lines_of(self.squeezed[1:])

    @cached_property
    def solid(self) -> Sequence[int]:
        """The indexes of the lines that are not blank."""
        lines = lines_of(self._squeezed_text)
        return list(compress(range(len(lines)), lines))

    @cached_property
    def places(self) -> dict[str, list[int]]:
        """The indexes of each key."""
        places: dict[str, list[int]] = {}
        for index, key in enumerate(self.keys):
            places.setdefault(key, []).append(index)
        return places

    @cached_property
    def step(self) -> int:
        """The most frequent indentation width; 0 if there is none."""
        widths = [len(line) - len(line.lstrip(" ")) for line in self.lines if line and not line.isspace()]
        steps = Counter(after - before for before, after in pairwise(widths) if 1 < after - before <= 8)
        return max(steps, key=lambda step: (steps[step], -step), default=0)

    def plain_lines_with(self, piece: str, limit: int) -> list[int]:
        """Return the indexes of the plain lines that contain a string; none if it occurs too often."""
        found: list[int] = []
        position = self.plain.find(piece)
        while position >= 0:
            if len(found) == limit:
                return []
            found.append(position)
            position = self.plain.find(piece, position + len(piece))
        return [bisect_right(self.plain_starts, position) - 1 for position in found]

    def lines_of_keys(self, first: int, count: int) -> range:
        """Return the range of lines of consecutive keys."""
        return range(self.solid[first], self.solid[first + count - 1] + 1)

    def has_any(self, keys: Collection[str]) -> bool:
        """Return whether any of the keys is a line of the text."""
        if len(keys) <= LOOKED_UP:
            return any(f"\n{key}\n" in self.squeezed for key in keys)
        return any(key in self.places for key in keys)

    def line_at(self, place: int) -> int:
        """Return the index of the line at a position."""
        return self.text.count("\n", 0, place)

    def start_of(self, line: int) -> int:
        """Return where a line begins, without splitting the text."""
        low, high, passed = 0, len(self.text), 0
        while high - low > _STRIDE:
            middle = (low + high) // 2
            count = self.text.count("\n", low, middle)
            if passed + count < line:
                low, passed = middle, passed + count
            else:
                high = middle
        for _ in range(line - passed):
            low = self.line_end(low)
        return low

    def line_end(self, place: int) -> int:
        """Return the end of the line at a position, after its line feed."""
        return self.text.find("\n", place) + 1 or len(self.text)

    def line_of_key(self, position: int) -> int:
        """Return the line of the key at a position of `squeezed`, without splitting the text.

        The squeezed text with blank lines has the same characters in the same order.
        """
        letters = position - self.squeezed.count("\n", 0, position)
        text = self._squeezed_text
        low, high, passed = 0, len(text), 0
        while high - low > 1:
            middle = (low + high) // 2
            count = middle - low - text.count("\n", low, middle)
            if passed + count <= letters:
                low, passed = middle, passed + count
            else:
                high = middle
        return text.count("\n", 0, low)

    def lines_at(self, span: Span) -> range:
        """Return the lines of a span."""
        first = self.line_at(span[0])
        return range(first, first + self.text.count("\n", span[0], span[1] - 1) + 1)


def lines_of(text: str) -> list[str]:
    """Split a text into lines, without an empty line after a final line feed."""
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def keys_of(text: str) -> list[str]:
    """Return the lines of a text that are not blank, squeezed."""
    return [key for key in squeeze(text).split("\n") if key]


def framed(lines: Sequence[str]) -> str:
    """Join lines so that each is between two line feeds."""
    return "\n" + "\n".join(lines) + "\n"


def occurrences(text: str, wanted: str, *, shared: int = 0) -> Hits:
    """Find a string in a text; two occurrences may share `shared` characters.

    Each search begins after the last occurrence. Beginning one character later would prepare the search for `wanted`
    again at every character, at quadratic cost.
    """
    spans: list[Span] = []
    position = text.find(wanted)
    while position >= 0:
        spans.append((position, position + len(wanted)))
        position = text.find(wanted, position + len(wanted) - shared)
    several = len(spans) > 1 or (bool(spans) and text.find(wanted, spans[0][0] + 1) >= 0)
    return Hits(tuple(spans), several)
