"""Masks secrets in text that a model edits, so that a mask is recognized and never written to a file.

`mask_secrets` is for text that a model reads and may write back: it hides only certain secrets. `redact` is for logs,
audit entries and error messages, which are not written back: it also hides possible secrets.

A mask such as `[secret:github-token#8f02c41d]` names the kind of secret. The first half of its number distinguishes the
secrets of one process; the second half is a checksum, so that `find_masks` recognizes the masks of every process, and
no other text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from os import urandom
from typing import NamedTuple

from hermes_text.secrets.formats import Span, find_formats

__all__ = ["Mask", "find_masks", "mask_for", "mask_secrets", "new_masks"]

_PROCESS_KEY = urandom(16)
"""Never stored, so that a short password cannot be guessed from the number of its mask."""

_CORE = re.compile(
    r"secret:(?P<kind>[\w.-]{1,80})#(?P<id>[0-9a-f]{4})(?P<check>[0-9a-f]{4})(?![0-9a-z])", re.IGNORECASE
)
_ANYWHERE = 16
"""The minimum length of the user's own secrets that are masked inside of longer words."""


class Mask(NamedTuple):
    """A mask in a text.

    Attributes:
        text: The mask.
        line: The number of its line, counted from 1.
        start: Where it begins.
        end: Where it ends.
    """

    text: str
    line: int
    start: int
    end: int


def mask_secrets(text: str, values: Mapping[str, str] | None = None) -> str:
    """Replace certain secrets with masks that name their kind.

    Args:
        text: Any text.
        values: The names of the user's own secrets by their values.
    """
    spans = sorted((*_find_values(text, values or {}), *find_formats(text)), key=lambda span: (span.start, -span.end))
    if not spans:
        return text
    parts: list[str] = []
    position = 0
    for start, end, kind in spans:
        if start >= position:
            parts += (text[position:start], mask_for(kind, text[start:end]))
        position = max(position, end)  # an overlapping secret is hidden, too
    parts.append(text[position:])
    return "".join(parts)


def find_masks(text: str) -> list[Mask]:
    """Find the masks of `mask_secrets` in a text, including those of other processes."""
    if "#" not in text:
        return []
    found: list[Mask] = []
    line, counted = 1, 0
    for match in _CORE.finditer(text):
        if _checksum(match["kind"].lower(), match["id"].lower()) != match["check"].lower():
            continue
        start, end = match.span()
        bracketed = text[start - 1 : start] == "[" and text[end : end + 1] == "]"
        line += text.count("\n", counted, start)
        counted = start
        found.append(Mask(f"[{match[0].lower()}]", line, start - bracketed, end + bracketed))
    return found


def new_masks(text: str, *existing: str) -> list[Mask]:
    """Find the masks in a text that occur more often in it than in existing texts."""
    found = find_masks(text)
    if not found:
        return []
    left: dict[str, int] = {}
    for each in existing:
        for mask in find_masks(each):
            left[mask.text] = left.get(mask.text, 0) + 1
    new = []
    for mask in found:
        if left.get(mask.text, 0) > 0:
            left[mask.text] -= 1
        else:
            new.append(mask)
    return new


def mask_for(kind: str, secret: str) -> str:
    """Return the mask of a secret; its kind consists of letters, digits and `_.-`."""
    number = blake2b(secret.encode("utf-8", "surrogatepass"), key=_PROCESS_KEY, digest_size=2).hexdigest()
    return f"[secret:{kind}#{number}{_checksum(kind.lower(), number)}]"


def _checksum(kind: str, number: str) -> str:
    return blake2b(f"{kind}#{number}".encode(), person=b"hermes-mask", digest_size=2).hexdigest()


def _find_values(text: str, values: Mapping[str, str]) -> Iterable[Span]:
    for value, name in values.items():
        at = text.find(value)
        while at >= 0:
            end = at + len(value)
            if len(value) >= _ANYWHERE or not (_is_word(text, at - 1) or _is_word(text, end)):
                yield Span(at, end, name)
            at = text.find(value, end)


def _is_word(text: str, at: int) -> bool:
    return 0 <= at < len(text) and (text[at].isalnum() or text[at] == "_")
