"""Text that looks different from what it is: escapes, invisible and look-alike characters."""

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from hermes_guard import lazy_re as re

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
#: Look-alikes of letters, digits and shell syntax: full-width forms and mathematical letters.
_LOOKALIKE = re.compile("[\uff01-\uff5e\U0001d400-\U0001d7ff\u2100-\u214f\u24b6-\u24e9]")
#: Look-alikes that can be part of a name or path. Full-width brackets and commas are ordinary East Asian punctuation.
_LETTERS = re.compile(
    "[\uff0d-\uff0f\uff10-\uff19\uff21-\uff3a\uff3f\uff41-\uff5a\U0001d400-\U0001d7ff\u2100-\u214f\u24b6-\u24e9]"
)
_BLANK = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
#: A byte order mark, carriage returns at line ends, and trailing ones.
_ENDINGS = re.compile("\\A\ufeff|\r+\\Z|\r(?=\n)")
#: Words outside quotes, and the blanks between them.
_BETWEEN = re.compile(r"[ \t\n;|&]+|[^ \t\n;|&]+")
_QUOTED = re.compile(r"\\.|'[^']*'|\"[^\"\\]*(?:\\.[^\"\\]*)*\"|['\"]", re.DOTALL)
_CJK = re.compile("[\u2e80-\u2fff\u3001-\u9fff\uac00-\ud7af\uf900-\ufaff\u3040-\u30ff]")


class Cleaned(NamedTuple):
    """The text without deceptive characters, the tricks found, and the original position of each character."""

    text: str
    tricks: tuple[str, ...]
    #: None when no character has moved.
    places: Sequence[int] | None = None

    def original(self, span: tuple[int, int]) -> tuple[int, int]:
        """Return where a part of the cleaned text was in the original."""
        if self.places is None or not self.places:
            return span
        start, end = (min(max(0, at), len(self.places) - 1) for at in (span[0], span[1] - 1))
        return self.places[start], self.places[max(start, end)] + 1


class _Traced(NamedTuple):
    """A text, and the original position of each of its characters."""

    text: str
    places: Sequence[int]

    def without(self, pattern: "re.Pattern[str]", keeps: "Callable[[re.Match[str]], bool] | None" = None) -> "_Traced":
        """Remove what a pattern matches, except for matches that `keep` accepts."""
        pieces: list[str] = []
        places: list[int] = []
        last = 0
        for found in pattern.finditer(self.text):
            if keeps is None or not keeps(found):
                pieces.append(self.text[last : found.start()])
                places += self.places[last : found.start()]
                last = found.end()
        if not last:
            return self
        return _Traced("".join(pieces) + self.text[last:], [*places, *self.places[last:]])


def clean(text: str) -> Cleaned:
    """Remove deceptive characters from a text and name the tricks. Ordinary text is returned unchanged."""
    if not _SUSPECT.search(text):
        return Cleaned(text, ())
    tricks: list[str] = []
    now = _Traced(text, range(len(text))).without(_ENDINGS)
    if "\r" in now.text:
        tricks.append("a carriage return")
        now = _Traced(now.text.replace("\r", "\n"), now.places)
    for name, pattern, keeps in (
        ("terminal escapes", _ESCAPES, None),
        ("control characters", _CONTROLS, None),
        ("bidirectional controls", _BIDI, None),
        ("invisible characters", _INVISIBLE, _joins),
    ):
        before, now = now, now.without(pattern, keeps)
        if before is not now:
            tricks.append(name)
    before, now = now, _lookalikes(now)
    if before is not now:
        tricks.append("look-alike characters")
    return Cleaned(now.text, tuple(tricks), None if isinstance(now.places, range) else now.places)


def _joins(found: "re.Match[str]") -> bool:
    """Return True for joiners between emoji, or between letters of scripts that need them."""
    text = found.string
    before, after = text[found.start() - 1 : found.start()], text[found.end() : found.end() + 1]
    return found.group() in "\u200c\u200d" and before > "\x7f" and after > "\x7f"


def _quoted(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of quotes, up to the first unclosed one."""
    for found in _QUOTED.finditer(text):
        if found.group() in {"'", '"'}:
            return
        if found.group()[0] != "\\":
            yield found.span()


def _lookalikes(traced: _Traced) -> _Traced:
    """Normalize look-alikes outside quotes. Full-width characters beside CJK letters are ordinary."""
    text = traced.text
    if not (_LOOKALIKE.search(text) or _BLANK.search(text)):
        return traced
    pieces: list[str] = []
    places: list[int] = []
    found = False

    def add(start: int, end: int, *, normal: bool) -> None:
        nonlocal found
        piece = text[start:end]
        shown = unicodedata.normalize("NFKC", piece) if normal else piece
        found = found or shown != piece
        pieces.append(shown)
        same = len(shown) == len(piece)
        places.extend(traced.places[start:end] if same else [traced.places[start]] * len(shown))

    last = 0
    for start, end in [*_quoted(text), (len(text), len(text))]:
        for word in _BETWEEN.finditer(text, last, start):
            similar = _LOOKALIKE.search(word.group()) or _BLANK.search(word.group())
            add(*word.span(), normal=bool(similar and not _CJK.search(word.group())))
        inside = text[start:end]
        # A quoted look-alike word next to a blank-free neighbor may still be a name: `"ｒｍ" -rf /`.
        name = _LETTERS.search(inside) and not _CJK.search(inside) and not any(char.isspace() for char in inside)
        add(start, end, normal=bool(name))
        last = end
    return _Traced("".join(pieces), places) if found else traced


#: Characters that look like the dash of an option, followed by an option name.
_DASHED = re.compile("-?[\u2010-\u2015\u2043\u2212\ufe58\ufe63]+-?[A-Za-z]")


def dashed(word: str) -> bool:
    """Return True for a word that looks like an option but is not one."""
    return _DASHED.match(word) is not None


def mixed(name: str) -> bool:
    """Return True when a name mixes ASCII letters with letters that look like them."""
    if name.isascii():
        return False
    latin = any(char.isascii() and char.isalpha() for char in name)
    other = any("\u0370" <= char <= "\u052f" or "\u13a0" <= char <= "\u13ff" for char in name)
    return latin and other
