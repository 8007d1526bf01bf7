"""Decode a file for editing and encode the result; unchanged text keeps its bytes."""

from __future__ import annotations

from dataclasses import dataclass

from hermes_editing.diff import matching_blocks
from hermes_editing.encodings import (
    HEAD,
    Encoding,
    declared_encoding,
    encoding_for,
    encoding_of,
    is_binary,
    is_wide,
    whole_characters,
)

__all__ = [
    "EncodingError",
    "NotInEncodingError",
    "Text",
    "UncertainEncodingError",
    "decode",
    "encode_new",
    "is_binary",
    "whole_characters",
]

DECLARE_ENCODING_HINT = (
    "State the encoding in the file, or with `charset` in a .editorconfig beside it, or convert the file to UTF-8 with "
    "iconv."
)
"""What to do about a file with an uncertain encoding."""


class EncodingError(ValueError):
    """Raised when a text cannot be written in the encoding of its file."""


class NotInEncodingError(EncodingError):
    """Raised when a text contains characters that its encoding lacks."""

    def __init__(self, encoding: str, character: str, line: int) -> None:
        self.encoding = encoding
        self.character = character
        self.line = line
        half = 0xD800 <= ord(character) <= 0xDFFF
        what_to_do = (
            "It is a lone surrogate: write the whole character."
            if half
            else "Use characters of that encoding, change the declared encoding, or convert the file to UTF-8 first."
        )
        super().__init__(
            f"Line {line} has the character {character!a} (U+{ord(character):04X}), which is not in {encoding}, "
            f"the encoding of the file. Nothing was written. {what_to_do}"
        )


class UncertainEncodingError(EncodingError):
    """Raised when non-ASCII text would be written to a file with an uncertain encoding."""

    def __init__(self, problem: str, line: int, *, stateful: bool = False) -> None:
        self.problem = problem
        self.line = line
        allowed = (
            "Such a file cannot be changed"
            if stateful
            else f"Only ASCII text can be changed in such a file, without touching other bytes, which line {line} does"
        )
        super().__init__(
            f"The encoding of the file is uncertain: {problem}. {allowed}. Nothing was written. {DECLARE_ENCODING_HINT}"
        )


@dataclass(frozen=True, slots=True)
class Text:
    r"""The text of a file.

    Attributes:
        text: The text to edit, with `\n` as line ending.
        how: The encoding.
        newline: The most frequent line ending: `\n`, `\r\n` or `\r`.
        mixed: Whether there are several line endings.
        raw: The text with its original line endings.
        path: The path of the file.
        charset: The charset in .editorconfig; empty if there is none.
    """

    text: str
    how: Encoding
    newline: str
    mixed: bool
    raw: str
    path: str = ""
    charset: str = ""

    @property
    def encoding(self) -> str:
        """Python's name of the encoding."""
        return self.how.name

    @property
    def bom(self) -> bytes:
        """The byte order mark; usually empty."""
        return self.how.bom

    def encode(self, text: str) -> bytes:
        r"""Encode an edited text. Existing lines keep their line ending; new lines get the usual one.

        If the text declares another encoding than before, it is written in that encoding.

        Args:
            text: The text; a `\r\n` on a new line counts as `\n`.

        Raises:
            NotInEncodingError: The encoding lacks a character.
            UncertainEncodingError: Non-ASCII text changes and the encoding is uncertain.
        """
        raw = self.restored(text)
        if self.how.problem:
            _require_ascii_changes(self.raw, raw, self.how)
            return _encoded(raw, self.how)
        after = self._how_after(text)
        return _encoded(raw, after) if after is self.how else _encoded_anew(raw, after)

    def replaced(self, text: str) -> bytes:
        """Encode a text that replaces the whole file, with its line endings as they are.

        Raises:
            NotInEncodingError: The encoding lacks a character.
            UncertainEncodingError: The text is not ASCII and the encoding is uncertain.
        """
        how = self.how
        if not how.bom and not is_wide(how.name):
            stated = declared_encoding(text[:HEAD], self.path) or self.charset
            if stated or how.declared or not how.problem:
                how = encoding_for(text, self.path, self.charset)
        elif not how.bom and encoding_of(_encoded(text, how)).name != how.name:
            how = encoding_for(text, self.path, self.charset)  # too short to be recognized as UTF-16
        return _encoded_anew(text, how)

    def _how_after(self, text: str) -> Encoding:
        how = self.how
        if how.bom or is_wide(how.name) or declared_encoding(text[:HEAD], self.path) == how.declared:
            return how
        after = encoding_for(text, self.path, self.charset)
        return how if after.name == how.name and not after.problem else after

    def restored(self, text: str) -> str:
        r"""Restore the line endings of the file in an edited text; a `\r\n` on a new line counts as `\n`."""
        if text == self.text:
            return self.raw
        if self.mixed or "\r" in self.text:
            return self._line_by_line(text)
        if "\r" in text:
            text = text.replace("\r\n", "\n")
        return text if self.newline == "\n" else text.replace("\n", self.newline)

    def _line_by_line(self, text: str) -> str:
        before, after = self.text.split("\n"), text.split("\n")
        line_ends = ["\r\n" if line.endswith("\r") else "\n" for line in self.raw.split("\n")]
        line_ends[-1] = self.newline  # the last line gets an ending when lines follow
        ends: list[str | None] = [None] * len(after)
        line = other = 0
        for start, other_start, size in [*matching_blocks(before, after), (len(before), len(after), 0)]:
            paired = min(start - line, other_start - other)  # changed lines keep their endings too
            ends[other : other + paired] = line_ends[line : line + paired]
            for index in range(other, min(other_start, len(after) - 1)):  # the last line has no ending
                after[index] = after[index].removesuffix("\r")
            ends[other_start : other_start + size] = line_ends[start : start + size]
            line, other = start + size, other_start + size
        ends[-1] = ""
        return "".join(new + (self.newline if end is None else end) for new, end in zip(after, ends, strict=True))


def decode(data: bytes, path: str = "", charset: str = "") -> Text:
    """Decode the content of a file; never fails. The arguments are those of `encoding_of`."""
    how = encoding_of(data, path, charset)
    raw = data[len(how.bom) :].decode(how.name, how.errors)
    if "\r" not in raw:
        return Text(raw, how, "\n", False, raw, path, charset)
    feeds, both = raw.count("\n"), raw.count("\r\n")
    if not feeds:
        text, newline = raw.replace("\r", "\n"), "\r"
    else:
        text, newline = raw.replace("\r\n", "\n"), "\r\n" if 2 * both > feeds else "\n"
    return Text(text, how, newline, 0 < both < feeds, raw, path, charset)


def encode_new(text: str, path: str = "", charset: str = "") -> bytes:
    """Encode the text of a new file, with its line endings as they are, as UTF-8 unless another encoding is stated.

    Raises:
        NotInEncodingError: The stated encoding lacks a character.
        UncertainEncodingError: The text is not ASCII and the stated encoding cannot be used.
    """
    return _encoded_anew(text, encoding_for(text, path, charset))


def _encoded(raw: str, how: Encoding) -> bytes:
    try:
        data = raw.encode(how.name, how.errors)
        at = -1 if how.name.startswith("utf-") else _first_lost(raw, data, how)
    except UnicodeEncodeError as error:
        at = error.start
    if at >= 0:
        raise NotInEncodingError(how.name, raw[at], raw.count("\n", 0, at) + 1)
    return how.bom + data


def _first_lost(raw: str, data: bytes, how: Encoding) -> int:
    """Return the position of the first character that does not survive encoding, as ¥ in some codecs; -1 if none."""
    try:
        kept = data.decode(how.name, how.errors)
    except UnicodeDecodeError:  # control characters have a meaning in the encoding
        kept = data.decode(how.name, "replace")
    return -1 if raw == kept else min(_shared(raw, kept), len(raw) - 1)


def _encoded_anew(raw: str, how: Encoding) -> bytes:
    """Encode a text without any previous content."""
    if how.problem and not raw.isascii():
        line = next(number for number, line in enumerate(raw.split("\n"), 1) if not line.isascii())
        raise UncertainEncodingError(how.problem, line)
    return _encoded(raw, how)


def _require_ascii_changes(before: str, after: str, how: Encoding) -> None:
    """Refuse changes that are not safe in every possible encoding."""
    old, new = before.split("\n"), after.split("\n")
    line = other = 0
    for start, other_start, size in [*matching_blocks(old, new), (len(old), len(new), 0)]:
        gone, come = old[line:start], new[other:other_start]
        if how.stateful and (gone or come):
            raise UncertainEncodingError(how.problem, other + 1, stateful=True)
        pairs = zip(gone, come, strict=True) if len(gone) == len(come) else [("\n".join(gone), "\n".join(come))]
        for number, (one, two) in enumerate(pairs, other + 1):
            if not _is_ascii_change(one, two, bytewise=how.name != "utf-8"):
                raise UncertainEncodingError(how.problem, number)
        line, other = start + size, other_start + size


def _is_ascii_change(before: str, after: str, *, bytewise: bool) -> bool:
    """Return whether two texts differ only in ASCII that cannot be part of another character.

    Args:
        before: One text.
        after: The other.
        bytewise: Whether each character stands for one byte of an unknown encoding. An ASCII byte after another
            may then be the second half of a character, as in Shift JIS, GBK and Big5.
    """
    begin = _shared(before, after)
    end = _shared(before[begin:][::-1], after[begin:][::-1])
    gone, come = before[begin : len(before) - end], after[begin : len(after) - end]
    if not come.isascii():
        return False
    if not bytewise:
        return True
    behind = before[begin - 2 : begin] if begin > 1 else before[:begin]
    # The second of the four bytes of a GB18030 character is a digit.
    joined = behind[-1:] > "\x7f" or (behind[:1] > "\x7f" and behind[-1:].isdigit())
    return not joined and not (end and gone[-1:] > "\x7f")


def _shared(one: str, other: str) -> int:
    """Return the length of the common prefix."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
