"""The lines of a file whatever it is: plain text, text in another encoding, or a document that holds some."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hermes_tools_terminal.documents.catalog import Extractor, extractor
from hermes_tools_terminal.documents.errors import DocumentError
from hermes_tools_terminal.documents.images import Image, image
from hermes_tools_terminal.editing.encodings import (
    UTF_8_BOM,
    Encoding,
    encoding_of_head,
    encoding_of_part,
    is_binary,
    whole_characters,
)
from hermes_tools_terminal.editing.text import decode
from hermes_tools_terminal.files.tree import Found, Tree

HEAD_BYTES = 8192
"""What is looked at to tell what a file is."""

MOST_WHOLE = 64_000_000
"""The biggest file that is read as a whole, when its lines cannot be found in its bytes."""

_BYTES_PER_CHARACTER = 4
_WIDE = ("utf-16", "utf-32")


@dataclass(frozen=True, slots=True)
class Contents:
    """Some lines of a file.

    Attributes:
        lines: The lines, without their ends.
        total: How many the file has; None when nobody has counted them yet.
        more: Whether lines follow.
        sizes: How many bytes a line really has that was cut: its number to its size.
        facts: What else is worth knowing, such as an encoding.
    """

    lines: list[str]
    total: int | None
    more: bool
    sizes: Mapping[int, int] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NotText:
    """A file that has no lines.

    Attributes:
        reason: What it is instead, as the end of a sentence.
        hint: What to do about it.
        image: Whether it is a picture.
        facts: What is known of it.
    """

    reason: str
    hint: str
    image: bool = False
    facts: Mapping[str, Any] = field(default_factory=dict)


def contents(tree: Tree, found: Found, first: int, count: int, *, longest: int) -> Contents | NotText:
    """Some lines of a file, or why there are none.

    Args:
        tree: Where it lies.
        found: A regular file.
        first: The number of the first line.
        count: How many at most.
        longest: How many characters of each.

    Raises:
        OSError: it cannot be read.
    """
    head = tree.read(found, 0, HEAD_BYTES)
    size = found.stamp.size if found.stamp else len(head)
    if (extract := extractor(found.path, head)) is not None:
        return _document(tree, found, size, first, count, extract)
    picture = image(head)
    if picture is not None:
        return _picture(picture, size)
    if is_binary(head):
        return NotText(
            f"is a binary file of {size:,} bytes.", "Look at it with a command, such as `file`, `strings` or `xxd`."
        )
    encoding = encoding_of_head(head, whole=size <= len(head))
    if encoding.name.startswith(_WIDE) or (b"\r" in head and b"\n" not in head):
        return _whole(tree, found, size, first, count)
    return _plain(tree, found, first, count, longest, None if head.isascii() else encoding)


def _picture(picture: Image, size: int) -> NotText:
    known = picture.width is not None and picture.height is not None
    pixels = f" of {picture.width} x {picture.height} pixels" if known else ""
    return NotText(
        f"is a {picture.kind} image{pixels}, {size:,} bytes.",
        "Look at it with a tool for images.",
        image=True,
        facts={"image": picture.kind, **({"width": picture.width, "height": picture.height} if known else {})},
    )


def _plain(tree: Tree, found: Found, first: int, count: int, longest: int, told: Encoding | None) -> Contents:
    """Lines that end with a line feed in the file's own bytes, in the encoding that its beginning tells, if it does."""
    read = tree.lines(found, first, count, longest=longest * _BYTES_PER_CHARACTER)
    data = _without_half_characters(read.data, first, read.cut)
    marked = first == 1 and data.startswith(UTF_8_BOM)
    data = data.removeprefix(UTF_8_BOM) if marked else data
    encoding = told or encoding_of_part(data)
    try:
        text = data.decode(encoding.name, encoding.errors)
    except UnicodeDecodeError:  # a letter that its beginning did not have
        encoding = encoding_of_part(data)
        text = data.decode(encoding.name, encoding.errors)
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    if "\r\n" in text:
        lines = [line.removesuffix("\r") for line in lines]
    facts: dict[str, Any] = {} if encoding.name == "utf-8" else {"encoding": encoding.name}
    if marked:
        facts["bom"] = True
    return Contents(lines, read.total, read.more, read.cut, facts)


def _without_half_characters(data: bytes, first: int, cut: Mapping[int, int]) -> bytes:
    """Lines of which some were cut: not in the middle of a character."""
    if not cut:
        return data
    lines = data.split(b"\n")
    for number in cut:
        lines[number - first] = whole_characters(lines[number - first])
    return b"\n".join(lines)


def _whole(tree: Tree, found: Found, size: int, first: int, count: int) -> Contents | NotText:
    """Lines that can only be told apart when all of the text is there."""
    if size > MOST_WHOLE:
        return NotText(
            f"is text in an encoding that has to be read as a whole, and has {size:,} bytes.",
            "Convert a part of it with a command, such as `iconv`.",
        )
    text = decode(tree.read(found))
    facts = {"encoding": text.encoding, **({"bom": True} if text.bom else {})}
    return _sliced(text.text, first, count, facts)


def _document(tree: Tree, found: Found, size: int, first: int, count: int, reader: Extractor) -> Contents | NotText:
    if size > MOST_WHOLE:
        return NotText(f"is a document of {size:,} bytes, which is too big to be read.", "Convert it with a command.")
    try:
        text = reader.extract(tree.read(found))
    except DocumentError as error:
        if reader.plain:  # whoever wants to mend it has to see it
            return _whole(tree, found, size, first, count)
        return NotText(
            f"is a {error.kind} that gives no text: {error.reason}", "Convert it with a command, if there is one."
        )
    return _sliced(text, first, count, {"document": reader.kind})


def _sliced(text: str, first: int, count: int, facts: Mapping[str, Any]) -> Contents:
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    part = lines[first - 1 : first - 1 + count]
    return Contents(part, len(lines), first - 1 + len(part) < len(lines), {}, facts)
