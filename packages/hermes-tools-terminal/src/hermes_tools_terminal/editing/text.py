"""A file's bytes as text to edit, and edited text as bytes: what nobody changed comes back byte for byte."""

from __future__ import annotations

from dataclasses import dataclass

from hermes_tools_terminal.editing.align import same_lines
from hermes_tools_terminal.editing.encodings import Encoding, encoding_of, is_binary, whole_characters

__all__ = ["NotInEncodingError", "Text", "decode", "is_binary", "new_bytes", "whole_characters"]

_WHAT_TO_DO = " Use characters of that encoding, or convert the file to UTF-8 first."


class NotInEncodingError(ValueError):
    """Raised when a text has characters that its file's encoding does not have.

    Attributes:
        encoding: The encoding.
        character: The first of them.
    """

    def __init__(self, encoding: str, character: str) -> None:
        self.encoding = encoding
        self.character = character
        half = 0xD800 <= ord(character) <= 0xDFFF
        super().__init__(
            f"The file is written in {encoding}, which has no character {character!a} (U+{ord(character):04X})."
            + (" It is half a character: write the whole one." if half else _WHAT_TO_DO)
        )


@dataclass(frozen=True, slots=True)
class Text:
    r"""The text of a file.

    Attributes:
        text: What is edited: every line ends with `\n`.
        encoding: The encoding, by Python's name.
        bom: The mark that the file begins with; none for most.
        newline: How most of its lines end: `\n`, `\r\n` or `\r`.
        mixed: Whether some end otherwise.
        raw: The text with the lines' own ends.
        errors: What happens to bytes that are no text.
    """

    text: str
    encoding: str
    bom: bytes
    newline: str
    mixed: bool
    raw: str
    errors: str

    def encode(self, text: str) -> bytes:
        r"""The bytes of an edited text; a line that was there before keeps its own end, a new one gets the usual one.

        Args:
            text: The text; a `\r\n` on a new line counts as `\n`.

        Raises:
            NotInEncodingError: the file's encoding lacks a character.
        """
        try:
            return self.bom + self.restored(text).encode(self.encoding, self.errors)
        except UnicodeEncodeError as error:
            raise NotInEncodingError(self.encoding, error.object[error.start]) from None

    def restored(self, text: str) -> str:
        r"""An edited text with the file's own line ends.

        Args:
            text: The text; a `\r\n` on a new line counts as `\n`.
        """
        if text == self.text:
            return self.raw
        if self.mixed or "\r" in self.text:
            return self._line_by_line(text)
        if "\r" in text:
            text = text.replace("\r\n", "\n")
        return text if self.newline == "\n" else text.replace("\n", self.newline)

    def _line_by_line(self, text: str) -> str:
        before, after = self.text.split("\n"), text.split("\n")
        own = ["\r\n" if line.endswith("\r") else "\n" for line in self.raw.split("\n")]
        own[-1] = self.newline  # it has no end, and gets one when lines follow
        ends: list[str | None] = [None] * len(after)
        line = other = 0
        for start, other_start, size in [*same_lines(before, after), (len(before), len(after), 0)]:
            paired = min(start - line, other_start - other)  # changed lines keep their ends as well
            ends[other : other + paired] = own[line : line + paired]
            for index in range(other, min(other_start, len(after) - 1)):  # the last one ends with the text
                after[index] = after[index].removesuffix("\r")
            ends[other_start : other_start + size] = own[start : start + size]
            line, other = start + size, other_start + size
        ends[-1] = ""
        return "".join(new + (self.newline if end is None else end) for new, end in zip(after, ends, strict=True))


def decode(data: bytes) -> Text:
    """The text of a file's bytes, whatever they are."""
    encoding = encoding_of(data)
    raw = data[len(encoding.bom) :].decode(encoding.name, encoding.errors)
    return _text(raw, encoding)


def new_bytes(text: str) -> bytes:
    """The bytes of a text that is in no file yet: UTF-8, and every line end as it is.

    Raises:
        NotInEncodingError: it has half a character, which cannot be written.
    """
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise NotInEncodingError("utf-8", error.object[error.start]) from None


def _text(raw: str, encoding: Encoding) -> Text:
    if "\r" not in raw:
        return Text(raw, encoding.name, encoding.bom, "\n", False, raw, encoding.errors)
    feeds, both = raw.count("\n"), raw.count("\r\n")
    if not feeds:
        text, newline = raw.replace("\r", "\n"), "\r"
    else:
        text, newline = raw.replace("\r\n", "\n"), "\r\n" if 2 * both > feeds else "\n"
    mixed = 0 < both < feeds
    return Text(text, encoding.name, encoding.bom, newline, mixed, raw, encoding.errors)
