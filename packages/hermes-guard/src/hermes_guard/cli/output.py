"""Text of any origin, made safe for terminals, and the exit code of a verdict."""

import json
import unicodedata

from hermes_guard.verdict import Severity

EXIT_CODES: dict[Severity, int] = {"allow": 0, "ask": 1, "refuse": 4}
DIFFERENT = 1
"""A line or an example is not judged as expected."""

#: Controls, formats, halves of characters, private and unassigned ones, separators of lines: nobody sees them.
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
#: Letters and marks that show nothing, or an empty space.
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")


def visible(text: str) -> str:
    """One line in which every character shows: what steers a terminal or hides is written as an escape."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_shown, text))


def _shown(char: str) -> str:
    kind = unicodedata.category(char)
    if kind not in _HIDDEN and char not in _BLANK and (kind != "Zs" or char == " "):
        return char
    short = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}.get(char)
    code = ord(char)
    return short or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}")


def print_json(data: object) -> None:
    """Print JSON in ASCII, without the one control character that JSON leaves as it is."""
    print(json.dumps(data, indent=2).replace("\x7f", "\\u007f"))


def plural(count: int, noun: str) -> str:
    """A number with its noun."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
