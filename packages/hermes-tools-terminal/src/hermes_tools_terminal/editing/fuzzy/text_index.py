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
"""Quotation marks, dashes, ellipses, non-breaking blanks and invisible characters, with what is typed for each."""

_BLANKS: Final = b" \t\r\f\v"
_TOKEN: Final = re.compile(r"\w+|[^\w\s]")


def plain(text: str) -> str:
    """Replace typographic characters with plain ones; returns the same object when nothing changes."""
    if text.isascii():
        return text
    for special, usual in PLAIN.items():
        if special in text:  # far quicker than a table, as most texts have none or few of them
            text = text.replace(special, usual)
    return text if text.isascii() or unicodedata.is_normalized("NFC", text) else unicodedata.normalize("NFC", text)


def squeeze(text: str) -> str:
    """Return a text without blanks and with plain typography; its line feeds stay."""
    data = plain(text).encode("utf-8", "surrogatepass")
    return data.translate(None, _BLANKS).decode("utf-8", "surrogatepass")  # far quicker than with texts


def tokens_of(text: str) -> list[str]:
    """Return the words and signs of a text, in plain typography."""
    return _TOKEN.findall(plain(text))


LOOKED_UP: Final = 20
"""Up to how many lines are looked up one by one before an index of the text is made."""

_STRIDE: Final = 1024
"""In how many letters line ends are looked for one by one."""

Span = tuple[int, int]
"""Where something begins and ends in the whole text."""


@dataclass(frozen=True, slots=True)
class Hits:
    """Where a text was found.

    Attributes:
        spans: The places from the first to the last; none overlaps the one before it.
        several: True when there is more than one place, overlapping ones included.
    """

    spans: tuple[Span, ...]
    several: bool


class TextIndex:
    """A text with the views of it that searching needs, each computed once when it is first used.

    Args:
        text: The text, in which lines end with a line feed.
    """

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def lines(self) -> list[str]:
        """Its lines, without their ends."""
        return lines_of(self.text)

    @cached_property
    def starts(self) -> list[int]:
        """Where each line begins; one more for the end of the last one."""
        return list(accumulate(map((1).__add__, map(len, self.lines)), initial=0))

    @cached_property
    def plain_lines(self) -> list[str]:
        """Its lines with plain typography, without blanks around them."""
        return [line.strip() for line in lines_of(plain(self.text))]

    @cached_property
    def plain(self) -> str:
        """Its plain lines as one text, each between two line feeds."""
        return framed(self.plain_lines)

    @cached_property
    def plain_starts(self) -> list[int]:
        """Where each line begins in `plain`."""
        return list(accumulate(map((1).__add__, map(len, self.plain_lines)), initial=1))

    @cached_property
    def _squeezed_text(self) -> str:
        return squeeze(self.text)

    @cached_property
    def squeezed(self) -> str:
        """Its keys as one text, each between two line feeds: whole lines are found by a plain search."""
        text = f"\n{self._squeezed_text}\n"
        while "\n\n" in text:  # halves every run, so it ends soon
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
        """Where each key is, as indexes of `keys`."""
        places: dict[str, list[int]] = {}
        for index, key in enumerate(self.keys):
            places.setdefault(key, []).append(index)
        return places

    @cached_property
    def step(self) -> int:
        """By how many blanks its lines are usually indented further than the line before; 0 when none is."""
        widths = [len(line) - len(line.lstrip(" ")) for line in self.lines if line and not line.isspace()]
        steps = Counter(after - before for before, after in pairwise(widths) if 1 < after - before <= 8)
        return max(steps, key=lambda step: (steps[step], -step), default=0)

    def plain_lines_with(self, piece: str, most: int) -> list[int]:
        """Find the lines of `plain` that contain something.

        Args:
            piece: What; without line feeds.
            most: In how many places at most. A piece that is in more of them says nothing, and is found in none.
        """
        found: list[int] = []
        position = self.plain.find(piece)
        while position >= 0:
            if len(found) == most:
                return []
            found.append(position)
            position = self.plain.find(piece, position + len(piece))
        return [bisect_right(self.plain_starts, position) - 1 for position in found]

    def lines_of_keys(self, first: int, count: int) -> range:
        """Return the lines from the first to the last of some keys that follow one another."""
        return range(self.solid[first], self.solid[first + count - 1] + 1)

    def has_any(self, keys: Collection[str]) -> bool:
        """Check whether one of some keys is a line."""
        if len(keys) <= LOOKED_UP:
            return any(f"\n{key}\n" in self.squeezed for key in keys)
        return any(key in self.places for key in keys)

    def line_at(self, place: int) -> int:
        """Return the index of the line that a place of the text is in."""
        return self.text.count("\n", 0, place)

    def start_of(self, line: int) -> int:
        """Return where a line begins, without splitting the text; its end when it has fewer lines."""
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
        """Return where the line ends that a place is in: behind its line feed."""
        return self.text.find("\n", place) + 1 or len(self.text)

    def line_of_key(self, position: int) -> int:
        """Return the index of the line whose key has a letter at a position of `squeezed`, without splitting the text.

        With its blank lines, the squeezed text has the same letters in the same order.
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
        """Return the indexes of the lines that a place of the text is in."""
        first = self.line_at(span[0])
        return range(first, first + self.text.count("\n", span[0], span[1] - 1) + 1)


def lines_of(text: str) -> list[str]:
    """Split a text into lines; one that ends with a line feed has no empty line after it."""
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
    """Find a text in another one, letter by letter.

    Each search begins behind the place before it. Beginning one letter further would prepare the search for `wanted`
    anew at every letter, and so cost the square of its length.

    Args:
        text: The text.
        wanted: What is looked for.
        shared: How many letters two places may share.
    """
    spans: list[Span] = []
    position = text.find(wanted)
    while position >= 0:
        spans.append((position, position + len(wanted)))
        position = text.find(wanted, position + len(wanted) - shared)
    several = len(spans) > 1 or (bool(spans) and text.find(wanted, spans[0][0] + 1) >= 0)
    return Hits(tuple(spans), several)
