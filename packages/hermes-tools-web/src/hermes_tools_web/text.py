"""Clean, truncate and split text, and divide a character budget among texts."""

from __future__ import annotations

import json
from collections.abc import Sequence

from hermes_text import untrusted_line, unwrapped_text
from hermes_text.sanitize import strip_controls
from hermes_text.secrets import redact


def strip_invisible(text: str) -> str:
    """Remove characters that people do not see but models read: they can hide instructions."""
    return strip_controls(text)


def one_line(text: str, maximum: int = 500) -> str:
    """Put text on one line, cut to a maximum length."""
    line = " ".join(strip_invisible(text[: maximum * 4]).split())
    return line if len(line) <= maximum else line[: maximum - 1].rstrip() + "…"


def word_set(words: str) -> frozenset[str]:
    """Return the set of words in a space-separated list."""
    return frozenset(words.split())


_NOTE_CHARS = 500
_URL_CHARS = 2_000
"""A server can redirect to a URL that would fill the budget of the other pages."""


def clean_line(text: str, maximum: int) -> str:
    """Put untrusted text on one line, cut to a maximum length, without anything that looks like an end marker."""
    # The markers are removed again; the escaping between them stays.
    return one_line(unwrapped_text(untrusted_line(text[: maximum * 4], source="")), maximum)


def clean_note(text: str) -> str:
    """Clean a note that may contain text of servers or providers, and redact secrets."""
    return redact(clean_line(text, _NOTE_CHARS))


def shorten_url(url: str) -> str:
    """Shorten a URL that is far longer than usual."""
    return url if len(url) <= _URL_CHARS else f"{url[: _URL_CHARS - 1]}…"


_PAUSES = ("\n\n", "\n", ". ", " ")
_REACH = 10
"""A break is searched for in the last tenth of a piece."""


def split_text(text: str, size: int) -> list[str]:
    """Split text at natural breaks into pieces of at most `size` characters; joined, they are the text."""
    pieces: list[str] = []
    start = 0
    while len(text) - start > size:
        end = start + _pause(text[start : start + size])
        pieces.append(text[start:end])
        start = end
    pieces.append(text[start:])
    return pieces


def truncate(text: str, maximum: int) -> str:
    """Truncate text at a natural break."""
    if len(text) <= maximum:
        return text
    head = text[: max(0, maximum)]
    return head[: _pause(head)].rstrip()


def _pause(piece: str) -> int:
    """Return where to end a piece: after its last break if that is near its end."""
    earliest = len(piece) - len(piece) // _REACH
    for mark in _PAUSES:
        found = piece.rfind(mark, earliest)
        if found > 0:
            return found + len(mark)
    return len(piece)


_encoded = json.JSONEncoder(ensure_ascii=False).encode


def divide_budget(sizes: Sequence[int], budget: int, weights: Sequence[int] | None = None) -> list[int]:
    """Divide a budget: small items get what they need, and the others share the rest by weight.

    `sizes` is what each item needs, and `weights` are above 0; by default all are equal.
    """
    counts = weights or [1] * len(sizes)
    given = [0] * len(sizes)
    left, weight = max(0, budget), sum(counts)
    for place in sorted(range(len(sizes)), key=lambda at: sizes[at] / counts[at]):
        given[place] = min(sizes[place], left * counts[place] // weight)
        left -= given[place]
        weight -= counts[place]
    return given


def json_length(text: str) -> int:
    """Return the length of text as a JSON string, without the quotes."""
    return len(_encoded(text)) - 2


def truncate_to_json(text: str, limit: int) -> str:
    """Truncate text at a natural break so that its JSON form has at most `limit` characters."""
    if len(text) <= limit and json_length(text) <= limit:
        return text
    head = text[: max(0, limit)]
    while head and (size := json_length(head)) > limit:
        head = head[: min(len(head) - 1, len(head) * limit // size)]
    return truncate(head + " ", len(head))
