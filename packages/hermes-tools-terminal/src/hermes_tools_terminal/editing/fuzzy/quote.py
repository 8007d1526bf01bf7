"""What somebody quotes from memory: its lines, and how much of it says anything."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from hermes_tools_terminal.editing.fuzzy.page import lines_of
from hermes_tools_terminal.editing.fuzzy.typography import plain

_MOST_WORDS: Final = 4
_LONGEST_WORD: Final = 40
"""How many words of a line, and how many letters of each, are looked for before the whole text is gone through."""


@dataclass(frozen=True)
class Quote:
    """A text that is looked for.

    Attributes:
        text: It itself.
    """

    text: str

    @property
    def with_end(self) -> bool:
        """Whether the last line's end belongs to it."""
        return self.text.endswith("\n")

    @cached_property
    def lines(self) -> list[str]:
        """Its lines, without their ends."""
        return lines_of(self.text)

    @cached_property
    def trimmed(self) -> list[str]:
        """Its lines, without blanks around them."""
        return [line.strip() for line in self.lines]

    @cached_property
    def blank_ends(self) -> tuple[int, int]:
        """How many blank lines it begins and ends with; none when it is all blank."""
        told = [index for index, line in enumerate(self.trimmed) if line]
        return (told[0], len(self.lines) - 1 - told[-1]) if told else (0, 0)

    @cached_property
    def core(self) -> list[str]:
        """Its lines without blanks around them and without blank lines at its ends, in plain typography."""
        first, last = self.blank_ends
        return [plain(line).strip() for line in self.trimmed[first : len(self.lines) - last]]

    def may_stand_in(self, text: str) -> bool:
        """Whether its longest line may be in a text, whatever blanks are between its words: a quick look at some words.

        Args:
            text: The text.
        """
        words = [word[:_LONGEST_WORD] for word in max(self.trimmed, key=len, default="").split()]
        if not words or max(words, key=len) not in text:
            return False
        cut = next((index for index, word in enumerate(words) if len(word) == _LONGEST_WORD), _MOST_WORDS)
        looked_for = words[: min(cut + 1, _MOST_WORDS)]
        return re.search(r"\s+".join(map(re.escape, looked_for)), text) is not None


def without_ends(text: str, first: int, last: int) -> str:
    """A text without at most so many blank lines at its beginning and at its end."""
    lines = lines_of(text)
    start, end = 0, len(lines)
    while start < min(first, end) and not lines[start].strip():
        start += 1
    while end > max(start, len(lines) - last) and not lines[end - 1].strip():
        end -= 1
    return "\n".join(lines[start:end]) + ("\n" if start < end and text.endswith("\n") else "")
