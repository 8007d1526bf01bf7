"""Text that looks different from what it is: escapes, invisible and look-alike characters."""

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from hermes_guard.shell.word import HOLE

_SUSPECT = re.compile(r"[^\t\n\x20-\x7e]")
_ESCAPES = re.compile(
    r"\x1b\][^\x07\x1b]{0,4096}(?:\x07|\x1b\\)|\x1b[PX^_][^\x1b]{0,4096}\x1b\\"
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b[ -/]*[0-~]|[\x1b\x9b]"
)
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f\u2028\u2029\ue000]")
_BIDI = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200d\u2060-\u2064\u206a-\u206f\u3164\ufeff\uffa0\U000e0000-\U000e007f]"
)
#: Look-alikes of letters, digits and shell signs: full-width forms and mathematical letters.
_LOOKALIKE = re.compile("[\uff01-\uff5e\U0001d400-\U0001d7ff\u2100-\u214f\u24b6-\u24e9]")
#: Those that can be a part of a name or path; brackets and commas of them are punctuation of East Asian text.
_LETTERS = re.compile(
    "[\uff0d-\uff0f\uff10-\uff19\uff21-\uff3a\uff3f\uff41-\uff5a\U0001d400-\U0001d7ff\u2100-\u214f\u24b6-\u24e9]"
)
_BLANK = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
_QUOTED = re.compile(r"\\.|'[^']*'|\"[^\"\\]*(?:\\.[^\"\\]*)*\"|['\"]", re.DOTALL)
#: How much of each end of a text is read that is too long, and at most how many of its commands.
_EDGE, _EDGE_COMMANDS = 4096, 60
#: What hides a text from the shell is looked for this often.
_MAX_SKIPS = 10_000
_BREAK = re.compile(r"[;&|\n]")
_SIGN = re.compile(r"[\\'\"#<]")
_SKIP = re.compile(
    r"\\.|'[^']*'|\"[^\"\\]*(?:\\.[^\"\\]*)*\"|(?<![^\s;])#[^\n]*|<<<|<<-?[ \t]*['\"]?(\w+)['\"]?|['\"]", re.DOTALL
)
_CJK = re.compile("[\u2e80-\u2fff\u3001-\u9fff\uac00-\ud7af\uf900-\ufaff\u3040-\u30ff]")


class Cleaned(NamedTuple):
    """The text as it would be read without the tricks, and the tricks."""

    text: str
    tricks: tuple[str, ...]


def clean(text: str) -> Cleaned:
    """Take deceptive characters out of a text and name them. Honest text comes back as it is."""
    if not _SUSPECT.search(text):
        return Cleaned(text, ())
    tricks: list[str] = []
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    if "\r" in text.rstrip("\r"):
        tricks.append("a carriage return")
    text = text.rstrip("\r").replace("\r", "\n")
    for name, pattern in (
        ("terminal escapes", _ESCAPES),
        ("control characters", _CONTROLS),
        ("bidirectional controls", _BIDI),
    ):
        text, count = pattern.subn("", text)
        if count:
            tricks.append(name)
    text, hidden = _invisible(text)
    if hidden:
        tricks.append("invisible characters")
    text, similar = _lookalikes(text)
    if similar:
        tricks.append("look-alike characters")
    return Cleaned(text, tuple(tricks))


def _invisible(text: str) -> tuple[str, bool]:
    found = False

    def replace(match: "re.Match[str]") -> str:
        nonlocal found
        before, after = text[match.start() - 1 : match.start()], text[match.end() : match.end() + 1]
        # Joiners between emoji, or between letters of scripts that need them, are honest.
        if match.group() in "\u200c\u200d" and before > "\x7f" and after > "\x7f":
            return match.group()
        found = True
        return ""

    return _INVISIBLE.sub(replace, text), found


def _quoted(text: str) -> Iterator[tuple[int, int]]:
    """Where quotes begin and end, up to one that does not end."""
    for found in _QUOTED.finditer(text):
        if found.group() in {"'", '"'}:
            return
        if found.group()[0] != "\\":
            yield found.span()


def _lookalikes(text: str) -> tuple[str, bool]:
    """Normalise look-alikes outside of quotes. Full-width signs beside CJK letters are honest."""
    if not (_LOOKALIKE.search(text) or _BLANK.search(text)):
        return text, False
    pieces: list[str] = []
    found = False
    last = 0
    for start, end in [*_quoted(text), (len(text), len(text))]:
        for word in re.split(r"([ \t\n;|&]+)", text[last:start]):
            if (_LOOKALIKE.search(word) or _BLANK.search(word)) and not _CJK.search(word):
                normal = unicodedata.normalize("NFKC", word)
                found = found or normal != word
                pieces.append(normal)
            else:
                pieces.append(word)
        inside = text[start:end]
        # A quoted word of look-alikes that touches no blank may still be a name: `"ｒｍ" -rf /`.
        if (
            inside
            and not any(char.isspace() for char in inside)
            and _LETTERS.search(inside)
            and not _CJK.search(inside)
        ):
            pieces.append(unicodedata.normalize("NFKC", inside))
            found = True
        else:
            pieces.append(inside)
        last = end
    return "".join(pieces).replace(HOLE, ""), found


def mixed(name: str) -> bool:
    """True when a name mixes ASCII letters with letters that look like them."""
    if name.isascii():
        return False
    latin = any(char.isascii() and char.isalpha() for char in name)
    other = any("\u0370" <= char <= "\u052f" or "\u13a0" <= char <= "\u13ff" for char in name)
    return latin and other


def edges(text: str) -> list[tuple[int, str]]:
    """The beginning and the end of a text, each with its place. The end is left out when it lies in quotes."""
    breaks = [found.end() for found in _BREAK.finditer(text, 0, _EDGE)]
    head = breaks[_EDGE_COMMANDS] if len(breaks) > _EDGE_COMMANDS else _EDGE
    start = max(0, len(text) - _EDGE)
    breaks = [found.end() for found in _BREAK.finditer(text, start)]
    at = _outside(text, breaks[-_EDGE_COMMANDS] if len(breaks) > _EDGE_COMMANDS else start)
    return [(0, text[:head])] + ([] if at is None else [(at, text[at:])])


def _outside(text: str, after: int) -> int | None:
    """The first place behind this one that is in no quotes, no comment and no here-document."""
    at = 0
    for _ in range(_MAX_SKIPS):
        sign = _SIGN.search(text, at, after)
        if sign is None:
            return max(at, after)
        found = _SKIP.match(text, sign.start())
        if found is None:
            at = sign.end()
            continue
        at = found.end()
        if found.group() in {"'", '"'}:
            return None
        if found.group(1):
            ends = re.compile(rf"\n\t*{found.group(1)}(?=\n|\Z)").search(text, at)
            if ends is None:
                return None
            at = ends.end()
    return None
