"""Takes away characters that nobody sees but models read: a way to smuggle instructions."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from hermes_text import untrusted_line, unwrapped_text
from hermes_text.secrets import redact

# Zero width (but not the joiners, which Persian, Indic scripts and emoji need), bidi overrides, fillers, variation
# selectors beyond those of emoji, controls that no text has.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff"
    "\uffa0\ufff0-\uffff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0100-\U000e0fff\x00-\x08\x0b\x0e-\x1f\x7f-\x84"
    "\x86-\x9f\ud800-\udfff]"
)
_FLAG_OR_TAGS = re.compile("(\U0001f3f4[\U000e0020-\U000e007e]{1,6}\U000e007f)|[\U000e0000-\U000e007f]+")


def strip_invisible(text: str) -> str:
    """The text without characters that nobody sees.

    Args:
        text: Any text.
    """
    if text.isascii() and text.isprintable():
        return text
    text = _INVISIBLE.sub(_keep_replacement, text)
    return _FLAG_OR_TAGS.sub(lambda match: match.group(1) or "", text)


def _keep_replacement(match: re.Match[str]) -> str:
    return "\ufffd" if match.group() in "\ufffc\ufffd" else ""


def one_line(text: str, maximum: int = 500) -> str:
    """The text on one line, cut at a length.

    Args:
        text: Any text.
        most: How many characters at most.
    """
    line = " ".join(strip_invisible(text[: maximum * 4]).split())
    return line if len(line) <= maximum else line[: maximum - 1].rstrip() + "…"


def word_set(words: str) -> frozenset[str]:
    """The words of a text, each once: for lists of names that are read better as lines.

    Args:
        words: Names with blanks between them.
    """
    return frozenset(words.split())


_NOTE_CHARS = 500
_URL_CHARS = 2_000
"""What a URL may take of a result: a server can redirect to one that has all the room of the other pages."""


def clean_line(text: str, maximum: int) -> str:
    """A text on one line, in which nothing poses as the end of what strangers wrote.

    Args:
        text: What somebody wrote.
        most: How many characters are kept.
    """
    # Its marks are taken off again: what was done to the words between them stays.
    return one_line(unwrapped_text(untrusted_line(text[: maximum * 4], source="")), maximum)


def clean_note(text: str) -> str:
    """What a reader should know, with nothing secret in it: others wrote it, or some of its words."""
    return redact(clean_line(text, _NOTE_CHARS))


def shorten_url(url: str) -> str:
    """A URL as it stands in a result: whole, unless it is far longer than those that people use."""
    return url if len(url) <= _URL_CHARS else f"{url[: _URL_CHARS - 1]}…"


_PAUSES = ("\n\n", "\n", ". ", " ")
_REACH = 10
"""A pause is looked for in the last tenth: further back, too much would be lost."""


def split_text(text: str, size: int) -> list[str]:
    """A text in pieces, none longer than a size; together they are the text.

    Args:
        text: Any text.
        size: How many characters a piece has at most.
    """
    pieces: list[str] = []
    start = 0
    while len(text) - start > size:
        end = start + _pause(text[start : start + size])
        pieces.append(text[start:end])
        start = end
    pieces.append(text[start:])
    return pieces


def truncate(text: str, maximum: int) -> str:
    """The beginning of a text, cut where a reader would pause; the text itself when it is short enough.

    Args:
        text: Any text.
        most: How many characters are left at most.
    """
    if len(text) <= maximum:
        return text
    head = text[: max(0, maximum)]
    return head[: _pause(head)].rstrip()


def _pause(piece: str) -> int:
    """Where a piece ends that was cut anywhere: after its last pause, if that is late in it."""
    earliest = len(piece) - len(piece) // _REACH
    for mark in _PAUSES:
        found = piece.rfind(mark, earliest)
        if found > 0:
            return found + len(mark)
    return len(piece)


_encoded = json.JSONEncoder(ensure_ascii=False).encode


def divide_budget(sizes: Sequence[int], room: int, weights: Sequence[int] | None = None) -> list[int]:
    """How much room each gets: what it needs, or as much as all others that do not get that, by weight.

    Args:
        sizes: What each needs.
        room: How much there is.
        weights: How much each counts, above 0; without them all count the same.
    """
    counts = weights or [1] * len(sizes)
    given = [0] * len(sizes)
    left, weight = max(0, room), sum(counts)
    for place in sorted(range(len(sizes)), key=lambda at: sizes[at] / counts[at]):
        given[place] = min(sizes[place], left * counts[place] // weight)
        left -= given[place]
        weight -= counts[place]
    return given


def json_length(text: str) -> int:
    """How long a text is once it is JSON."""
    return len(_encoded(text)) - 2


def truncate_to_json(text: str, room: int) -> str:
    """The beginning of a text that fits into some room once it is JSON, cut where a reader would pause.

    Args:
        text: Any text.
        room: How many characters its JSON may have.
    """
    if len(text) <= room and json_length(text) <= room:
        return text
    head = text[: max(0, room)]
    while head and (size := json_length(head)) > room:
        head = head[: min(len(head) - 1, len(head) * room // size)]
    return truncate(head + " ", len(head))
