"""Undoes text tricks that make a path look like another: Unicode, URLs, backslashes, control characters."""

import unicodedata
from dataclasses import dataclass
from urllib.parse import unquote

from hermes_guard import lazy_re as re

# Characters with only one spelling, apart from dots, slashes and case.
_PLAIN = re.compile(r"[A-Za-z0-9_/~@+=,.-]+", re.ASCII)
_TRAILING_DOT = re.compile(r"[^/.]\.+(?:/|\Z)|\.{3,}(?:/|\Z)")

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_BIDI = re.compile(r"[\u202a-\u202e\u2066-\u2069]")
_INVISIBLE = re.compile(
    r"[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u2028\u2029\u2060-\u2065\u206a-\u206f"
    r"\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
# Joiners and variation selectors belong to many scripts and to emoji; between ASCII characters they only deceive.
_HIDDEN_IN_ASCII = re.compile(rf"(?:\A|[\x20-\x7e]){_INVISIBLE.pattern}+(?:[\x20-\x7e]|\Z)")
# An unpaired surrogate that is not an undecodable byte: no file name contains one.
_LONE_SURROGATE = re.compile(r"[\ud800-\udc7f\udd00-\udfff]")
_ENDS = re.compile(r"[\s.]+(?=/|\Z)")
_DOTS = re.compile(r"(?:\A|(?<=/))\.\.?(?=/|\Z)")
_DRIVE = re.compile(r"\A(?:/[/?.]*/)?[A-Za-z]:(?=/|\Z)")
_STREAM = re.compile(r"(?<=[^/:]):(?:\$I30)?:?\$[A-Za-z_]+(?=/|\Z)|(?<=[^/:]):[A-Za-z0-9_.]*:\$DATA\Z", re.IGNORECASE)
_FILE_URL = re.compile(r"file:(?://(?:localhost|127\.0\.0\.1|\[::1\])?(?=/))?", re.IGNORECASE)

# Letters and symbols of other scripts that look like ASCII. NFKC normalizes the full-width forms but not these.
_LOOKALIKES = {
    ord(other): plain
    for plain, others in {
        "a": "аɑα", "c": "сϲ", "d": "ԁ", "e": "еҽ", "g": "ɡ", "h": "һ", "i": "іı", "j": "ј", "k": "κ", "l": "ӏ",
        "o": "οо", "p": "рρ", "q": "ԛ", "s": "ѕ", "u": "υ", "v": "ѵν", "w": "ωѡ", "x": "хҳ", "y": "уү", "z": "ᴢ",
        "A": "АΑ", "B": "ВΒ", "C": "С", "E": "ЕΕ", "H": "НΗ", "I": "ІΙ", "K": "КΚ", "M": "МΜ", "N": "Ν", "O": "ОΟ",
        "P": "РΡ", "S": "Ѕ", "T": "ТΤ", "X": "ХΧ", "Y": "Ү",
        ".": "․‧", "/": "∕⁄⧸╱", "\\": "∖⧵", "~": "˜∼", "-": "‐‑‒–—−",
    }.items()
    for other in others
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem in the text itself that a human should see first."""

    rule: str
    reason: str


_PROBLEMS = (
    (_CONTROL, Problem("path.control-character", "The path contains control characters, which hide what it names.")),
    (_BIDI, Problem("path.deceptive", "The path contains characters that reverse the direction of text.")),
    (_HIDDEN_IN_ASCII, Problem("path.deceptive", "The path contains invisible characters between ordinary ones.")),
    (_LONE_SURROGATE, Problem("path.malformed", "The path contains lone surrogates, which no file name can have.")),
)


def spellings(text: str) -> tuple[list[str], list[Problem]]:
    """Return every reading of the path, starting with the given one, and the problems found."""
    if _PLAIN.fullmatch(text) and not _TRAILING_DOT.search(text):
        return [text], []
    problems = [problem for regex, problem in _PROBLEMS if regex.search(text)]
    url = _FILE_URL.match(text)
    base = unquote(text[url.end() :], errors="surrogateescape") if url else text
    found = dict.fromkeys([base])
    if "%" in base:
        found[unquote(base, errors="surrogateescape")] = None
    if "\0" in base:
        found[base.partition("\0")[0]] = None  # where the C library stops reading
    for variant in list(found):
        clean = _cleaned(variant)
        found[clean] = None
        if "\\" in clean:
            found[clean.replace("\\", "")] = None
        forward = clean.replace("\\", "/")
        found[_STREAM.sub("", _DRIVE.sub("", forward, count=1))] = None
    return [variant for variant in found if variant] or ["."], problems


def from_windows(text: str) -> str:
    """Return a Windows path with a drive letter or a server name, in POSIX form; any other text unchanged."""
    if not text.startswith("\\\\") and not _DRIVE.match(text.replace("\\", "/")):
        return text
    return _DRIVE.sub("", text.replace("\\", "/"), count=1) or "/"


def _cleaned(text: str) -> str:
    """Return the text in plain letters, without invisible characters and name suffixes that some systems drop."""
    text = _CONTROL.sub("", _BIDI.sub("", _INVISIBLE.sub("", text)))
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text.translate(_LOOKALIKES))
    text = text.strip().strip("\"'`").strip()
    if _ENDS.search(text) is None:
        return text
    # `.` and `..` are kept: only the ends of real names are dropped.
    return "/".join(name if _DOTS.fullmatch(name) else name.rstrip(" .\t\u00a0") or "." for name in text.split("/"))
