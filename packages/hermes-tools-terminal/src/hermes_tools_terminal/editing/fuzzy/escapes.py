r"""Escapes that slip into a quote: `\n` for a line feed, `\'` for a quotation mark."""

from __future__ import annotations

import re
from typing import Final

_MEANING: Final = {r"\n": "\n", r"\t": "\t", r"\r": "\r"}
_ESCAPE: Final = re.compile(r"\\\\|\\[ntr]")
_LEADING: Final = re.compile(r"^(?:\\t)+", re.MULTILINE)
_MARKS: Final = (r"\'", r"\"")


class EscapeDrift(ValueError):  # noqa: N818 - it names what happened to the text, as the model is told
    """Raised when old and new text have backslashes before quotation marks that the file does not have."""

    def __init__(self, mark: str) -> None:
        super().__init__(
            f"old_string and new_string contain {mark}, but the text of the file that they mean has no backslash"
            " there: an escape too many. Give both again as the text really is, without that backslash."
        )


def unescaped(text: str, escapes: str = "ntr") -> str:
    r"""A text in which `\n`, `\t` and `\r` are what they mean; a backslash that is escaped itself stays.

    Args:
        text: The text.
        escapes: Which of the three.
    """
    return _ESCAPE.sub(lambda found: _MEANING[found[0]] if found[0][1] in escapes else found[0], text)


def check_drift(old: str, new: str, region: str) -> None:
    """Refuse what would put backslashes into a file that has none.

    Args:
        old: What was looked for.
        new: What is to stand there.
        region: What stands there.

    Raises:
        EscapeDrift: both have an escaped quotation mark and what stands there has none.
    """
    for mark in _MARKS:
        if mark in old and mark in new and mark not in region:
            raise EscapeDrift(mark)


def as_in_region(old: str, new: str, region: str) -> str:
    r"""New text with `\t` and `\r`, and `\n` where it can only be meant so, as the characters that the region has.

    Args:
        old: What was looked for.
        new: What is to stand there.
        region: What stands there.
    """
    for escape, real in ((r"\t", "\t"), (r"\r", "\r")):
        if escape in new and real in region and escape not in region:
            if escape in old:
                new = unescaped(new, escape[1])
            elif escape == r"\t":  # at a line's beginning it can be nothing but an indent
                new = _LEADING.sub(lambda found: "\t" * (len(found[0]) // 2), new)
    if r"\n" in old and "\n" not in old and "\n" not in new and "\n" in region:
        new = unescaped(new, "n")
    return new
