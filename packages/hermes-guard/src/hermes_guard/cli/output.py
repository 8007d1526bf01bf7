"""Makes text safe for terminals, and maps verdicts to exit codes."""

import json
import unicodedata

from hermes_guard.verdict import Severity

EXIT_CODES: dict[Severity, int] = {"allow": 0, "ask": 1, "refuse": 4}
DIFFERENT = 1
"""The exit code when a line or an example is not judged as expected."""

#: Invisible characters: control, format, surrogate, private-use, unassigned, and separators of lines.
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
#: Letters and marks that are blank.
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")


def visible(text: str) -> str:
    """Return a text on one line, with escapes for characters that are invisible or control a terminal."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_escape, text))


def _escape(char: str) -> str:
    kind = unicodedata.category(char)
    if kind not in _HIDDEN and char not in _BLANK and (kind != "Zs" or char == " "):
        return char
    short = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}.get(char)
    code = ord(char)
    return short or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}")


def print_json(data: object) -> None:
    """Print JSON in ASCII, with the one control character escaped that JSON permits."""
    print(json.dumps(data, indent=2).replace("\x7f", "\\u007f"))


def plural(count: int, noun: str) -> str:
    """Return a number with its noun."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
