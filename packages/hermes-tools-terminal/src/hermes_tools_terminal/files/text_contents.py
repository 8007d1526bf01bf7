"""Read lines of any file for display: plain text, other encodings, and documents such as PDF."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from types import MappingProxyType
from typing import Any, NamedTuple

from hermes_editing.encodings import (
    UNDECLARED,
    UTF_8_BOM,
    Encoding,
    encoding_of_head,
    encoding_of_part,
    is_binary,
    is_wide,
    whole_characters,
)
from hermes_editing.fuzzy.text_index import lines_of
from hermes_tools_terminal.documents.extractors import DocumentError, Extractor, find_extractor
from hermes_tools_terminal.documents.image_info import Image, detect_image
from hermes_tools_terminal.files.editorconfig import charset_for
from hermes_tools_terminal.files.filesystem import FileInfo, FileSystem

HEAD_BYTES = 8192
"""How many bytes are read to detect the type of a file."""

MAX_WHOLE = 64_000_000
"""The largest file that is read as a whole because its lines cannot be located in its bytes."""

_BYTES_PER_CHARACTER = 4
_STATEFUL = ("iso2022", "hz")
"""Encodings in which the meaning of a line may depend on earlier lines."""


class Contents(NamedTuple):
    """Some lines of a file.

    Attributes:
        lines: The lines, without their endings.
        total: The number of lines in the file; None if not counted yet.
        more: Whether more lines follow.
        sizes: The real size in bytes of each truncated line, by line number.
        facts: Other properties, such as the encoding.
        note: A remark about the encoding; empty if there is none.
        digest: SHA-256 of the file; empty if only a part was read.
    """

    lines: list[str]
    total: int | None
    more: bool
    sizes: Mapping[int, int] = MappingProxyType({})
    facts: Mapping[str, Any] = MappingProxyType({})
    note: str = ""
    digest: str = ""


class NotText(NamedTuple):
    """A file without lines.

    Attributes:
        reason: What it is instead, as the end of a sentence.
        hint: What to do about it.
        image: Whether it is an image.
        facts: Other properties.
    """

    reason: str
    hint: str
    image: bool = False
    facts: Mapping[str, Any] = MappingProxyType({})


def read_contents(
    filesystem: FileSystem, found: FileInfo, first: int, count: int, *, longest: int
) -> Contents | NotText:
    """Read lines of a file, or explain why it has none. Raise `OSError` if the file cannot be read."""
    head = filesystem.read(found, 0, HEAD_BYTES)
    size = found.stamp.size if found.stamp else len(head)
    read = _ContentsReader(filesystem, found, size, first, count, longest).read(head)
    if isinstance(read, Contents) and not read.digest and size == len(head) < HEAD_BYTES:
        return read._replace(digest=sha256(head).hexdigest())
    return read


@dataclass(frozen=True, slots=True)
class _ContentsReader:
    filesystem: FileSystem
    found: FileInfo
    size: int
    first: int
    count: int
    longest: int

    def read(self, head: bytes) -> Contents | NotText:
        if (extract := find_extractor(self.found.path, head)) is not None:
            return self._document(extract)
        if (picture := detect_image(head)) is not None:
            return _picture(picture, self.size)
        charset = ""
        if is_binary(head) and (b"\0" not in head or is_binary(head, charset := self._charset())):
            return NotText(
                f"is a binary file of {self.size:,} bytes.",
                "Inspect it with a command such as `file`, `strings` or `xxd`.",
            )
        whole = self.size <= len(head)
        encoding = encoding_of_head(head, whole=whole, path=self.found.path, charset=charset)
        if encoding.problem == UNDECLARED and (charset := self._charset()):
            encoding = encoding_of_head(head, whole=whole, path=self.found.path, charset=charset)
        if is_wide(encoding.name) or encoding.name.startswith(_STATEFUL) or (b"\r" in head and b"\n" not in head):
            return self._whole(charset)
        return self._plain(None if head.isascii() and not encoding.declared else encoding)

    def _charset(self) -> str:
        return charset_for(self.filesystem, self.found.path)

    def _plain(self, detected: Encoding | None) -> Contents:
        """Read lines of a file in which each line feed byte ends a line."""
        read = self.filesystem.lines(self.found, self.first, self.count, longest=self.longest * _BYTES_PER_CHARACTER)
        data = _without_half_characters(read.data, self.first, read.cut)
        marked = self.first == 1 and data.startswith(UTF_8_BOM)
        data = data.removeprefix(UTF_8_BOM) if marked else data
        encoding = detected
        if encoding is None or encoding.declared:
            encoding = self._of_part(data, detected)
        try:
            text = data.decode(encoding.name, encoding.errors)
        except UnicodeDecodeError:  # a character that did not occur at the beginning
            encoding = self._of_part(data, detected)
            text = data.decode(encoding.name, encoding.errors)
        lines = lines_of(text)
        if "\r\n" in text:
            lines = [line.removesuffix("\r") for line in lines]
        facts = _facts(encoding)
        if marked:
            facts["bom"] = True
        is_whole = self.first == 1 and not read.more and not read.cut
        digest = sha256(read.data).hexdigest() if is_whole else ""
        return Contents(lines, read.total, read.more, read.cut, facts, _note(encoding), digest)

    def _of_part(self, data: bytes, detected: Encoding | None) -> Encoding:
        """Return the encoding of some lines, given what the beginning of the file declares."""
        encoding = encoding_of_part(data, detected.declared if detected is not None else "")
        if encoding.problem == UNDECLARED and (charset := self._charset()):
            return encoding_of_part(data, charset=charset)
        return encoding

    def _whole(self, charset: str = "") -> Contents | NotText:
        """Read lines of a file that must be decoded as a whole."""
        if self.size > MAX_WHOLE:
            return NotText(
                f"is text of {self.size:,} bytes in an encoding that can only be read as a whole, which is too large.",
                "Convert a part of it with a command such as `iconv`.",
            )
        from hermes_editing.decoded_text import decode

        data = self.filesystem.read(self.found)
        text = decode(data, self.found.path, charset)
        facts = {"encoding": text.encoding, **_facts(text.how), **({"bom": True} if text.bom else {})}
        return self._slice(text.text, data, facts, _note(text.how))

    def _document(self, extract: Extractor) -> Contents | NotText:
        if self.size > MAX_WHOLE:
            reason = f"is a document of {self.size:,} bytes, which is too large to read."
            return NotText(reason, "Convert it with a command.")
        data = self.filesystem.read(self.found)
        try:
            return self._slice(extract.extract(data), data, {"document": extract.kind})
        except DocumentError as error:
            if extract.plain:  # show the damaged text, so that it can be fixed
                return self._whole()
            reason = f"is a {error.kind} without readable text: {error.reason}"
            return NotText(reason, "Convert it with a command if one is available.")

    def _slice(self, text: str, data: bytes, facts: Mapping[str, Any], note: str = "") -> Contents:
        lines, start = lines_of(text), self.first - 1
        part = lines[start : start + self.count]
        digest = sha256(data).hexdigest()
        return Contents(part, len(lines), start + len(part) < len(lines), {}, facts, note, digest)


def _picture(picture: Image, size: int) -> NotText:
    known = picture.width is not None and picture.height is not None
    pixels = f" of {picture.width} x {picture.height} pixels" if known else ""
    return NotText(
        f"is a {picture.kind} image{pixels}, {size:,} bytes.",
        "Use a tool for images.",
        image=True,
        facts={"image": picture.kind, **({"width": picture.width, "height": picture.height} if known else {})},
    )


def _facts(encoding: Encoding) -> dict[str, Any]:
    if encoding.problem:
        return {"encoding": "uncertain", "shown_as": encoding.name}
    return {} if encoding.name == "utf-8" else {"encoding": encoding.name}


def _note(encoding: Encoding) -> str:
    if not encoding.problem:
        return encoding.note
    from hermes_editing.decoded_text import DECLARE_ENCODING_HINT

    limit = "It cannot be changed" if encoding.stateful else "Only ASCII text in it can be changed"
    return (
        f"The encoding is uncertain: {encoding.problem}. Non-ASCII characters may be wrong. {limit}. "
        + DECLARE_ENCODING_HINT
    )


def _without_half_characters(data: bytes, first: int, cut: Mapping[int, int]) -> bytes:
    """Drop incomplete characters at the end of truncated lines."""
    if not cut:
        return data
    lines = data.split(b"\n")
    for number in cut:
        lines[number - first] = whole_characters(lines[number - first])
    return b"\n".join(lines)


class NumberedLines(NamedTuple):
    """Numbered lines.

    Attributes:
        text: The lines, formatted as LINE|TEXT.
        shown: The number of lines.
        cut: The numbers of truncated lines.
        full: Whether lines were left out because of the limit.
    """

    text: str
    shown: int
    cut: tuple[int, ...]
    full: bool


def number_lines(
    lines: Sequence[str], first: int, *, longest: int, limit: int, sizes: Mapping[int, int] | None = None
) -> NumberedLines:
    """Number lines, and limit their length and total size.

    Args:
        lines: The lines, without their endings.
        first: The number of the first line.
        longest: The maximum number of characters per line.
        limit: The maximum number of characters in total.
        sizes: The real size in bytes of lines that are already truncated, by line number.
    """
    known = sizes or {}
    shown = [f"{number}|{line}" for number, line in enumerate(lines, first)]
    cut: list[int] = list(known)
    if known or (shown and len(max(shown, key=len)) > longest):
        cut = []
        for index, line in enumerate(lines):
            number = first + index
            if number in known or len(line) > longest:
                cut.append(number)
                size = f"{known[number]:,} bytes" if number in known else f"{len(line):,} characters"
                shown[index] = f"{number}|{line[:longest]} [... truncated: the line has {size}]"
    fitting = _fitting(shown, limit)
    return NumberedLines("\n".join(shown[:fitting]), fitting, tuple(cut), fitting < len(shown))


def _fitting(lines: Sequence[str], limit: int) -> int:
    """Return how many lines fit into a number of characters; at least one."""
    if sum(map(len, lines)) + len(lines) <= limit:
        return len(lines)
    size = 0
    for count, line in enumerate(lines):
        size += len(line) + 1
        if size > limit and count:
            return count
    return len(lines)
