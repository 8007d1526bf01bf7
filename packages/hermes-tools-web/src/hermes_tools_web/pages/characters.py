"""Takes away characters that nobody sees but models read: a way to smuggle instructions."""

from __future__ import annotations

import re

# Zero width (but not the joiners, which Persian, Indic scripts and emoji need), bidi overrides, fillers, variation
# selectors beyond those of emoji, controls that no text has.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff"
    "\uffa0\ufff0-\uffff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0100-\U000e0fff\x00-\x08\x0b\x0e-\x1f\x7f-\x84"
    "\x86-\x9f\ud800-\udfff]"
)
_FLAG_OR_TAGS = re.compile("(\U0001f3f4[\U000e0020-\U000e007e]{1,6}\U000e007f)|[\U000e0000-\U000e007f]+")


def visible(text: str) -> str:
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


def one_line(text: str, most: int = 500) -> str:
    """The text on one line, cut at a length.

    Args:
        text: Any text.
        most: How many characters at most.
    """
    line = " ".join(visible(text[: most * 4]).split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def word_set(words: str) -> frozenset[str]:
    """The words of a text, each once: for lists of names that are read better as lines.

    Args:
        words: Names with blanks between them.
    """
    return frozenset(words.split())
