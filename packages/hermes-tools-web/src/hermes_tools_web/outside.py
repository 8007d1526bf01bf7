"""Words of strangers that stand outside of their marks, such as titles: on one line, short, and without a mark."""

from __future__ import annotations

from hermes_text import untrusted_line, unwrapped_text
from hermes_text.secrets import redact
from hermes_tools_web.pages.characters import one_line

_NOTE_CHARS = 500
_URL_CHARS = 2_000
"""What a URL may take of a result: a server can redirect to one that has all the room of the other pages."""


def plain_line(text: str, most: int) -> str:
    """A text on one line, in which nothing poses as the end of what strangers wrote.

    Args:
        text: What somebody wrote.
        most: How many characters are kept.
    """
    # Its marks are taken off again: what was done to the words between them stays.
    return one_line(unwrapped_text(untrusted_line(text[: most * 4], source="")), most)


def plain_note(text: str) -> str:
    """What a reader should know, with nothing secret in it: others wrote it, or some of its words."""
    return redact(plain_line(text, _NOTE_CHARS))


def shown_url(url: str) -> str:
    """A URL as it stands in a result: whole, unless it is far longer than those that people use."""
    return url if len(url) <= _URL_CHARS else f"{url[: _URL_CHARS - 1]}…"
