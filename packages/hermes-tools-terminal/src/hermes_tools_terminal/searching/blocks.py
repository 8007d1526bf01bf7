"""Files as blocks of whole lines, so that none has to fit into memory, and the lines around what was found in them.

It runs in other places too, whatever Python they have: only the standard library, and no newer syntax than 3.8.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Iterator
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    # Finds in a block where lines that match begin, and where in it the match does.
    Starts = Callable[[bytes], Iterable[tuple[int, int]]]

SIZE = 1 << 22
"""How many bytes are read at once."""

_MOST_SHOWN = 65_536
_AROUND = 4096


class BinaryError(Exception):
    """A file is none of text: a NUL is in it."""


def blocks(file: IO[bytes]) -> Iterator[bytes]:
    """A file's text as UTF-8 in whole lines; only the last may lack its end. A mark of the byte order is left out.

    Args:
        file: The file, unbuffered.

    Raises:
        BinaryError: it holds a NUL.
    """
    rest: list[bytes] = []
    for piece in _decoded(file):
        if b"\0" in piece:
            raise BinaryError
        end = piece.rfind(b"\n") + 1
        if not end:
            rest.append(piece)
            continue
        yield b"".join([*rest, piece[:end]])
        rest = [piece[end:]] if end < len(piece) else []
    if rest:
        yield b"".join(rest)


def _decoded(file: IO[bytes]) -> Iterator[bytes]:
    piece = file.read(SIZE)
    encoding = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}.get(piece[:2])
    if encoding is None:
        piece = piece[3:] if piece.startswith(codecs.BOM_UTF8) else piece
        while piece:
            yield piece
            piece = file.read(SIZE)
        return
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    piece = piece[2:]
    while piece:
        yield decoder.decode(piece).encode()
        piece = file.read(SIZE)
    yield decoder.decode(b"", True).encode()


def shown(found: Iterable[bytes], starts: Starts, most: int, context: int, skip: int = 0) -> Iterator[bytes]:
    """Lines that match as `number:column:text`, and those around them as `number-text`, each with a line feed.

    Args:
        found: A file's blocks.
        starts: Finds the lines that match.
        most: How many lines that match at most; further ones are nothing but lines around these.
        context: How many lines around each.
        skip: How many that match are passed over; without lines around them alone.
    """
    return _with_context(found, starts, most, context) if context else _alone(found, starts, most, skip)


def _alone(found: Iterable[bytes], starts: Starts, most: int, skip: int) -> Iterator[bytes]:
    number = 1  # of the line where `done` is
    matched = 0
    for block in found:
        done = 0
        for line, at in starts(block):
            matched += 1
            if matched <= skip:
                continue
            number += block.count(b"\n", done, line)
            done = line
            end = block.find(b"\n", at)
            yield _matched(number, at - line, block[line:] if end < 0 else block[line:end])
            if matched >= most:
                return
        number += block.count(b"\n", done)


def _with_context(found: Iterable[bytes], starts: Starts, most: int, context: int) -> Iterator[bytes]:
    number = 1  # of the line where `done` is
    before: list[bytes] = []  # lines that may stand before the next match
    owed = matched = 0  # how many lines the last match still wants behind it
    for block in found:
        done = 0  # how much of the block was told, in bytes
        for line, at in starts(block):
            if matched >= most:
                break
            matched += 1
            lines = block[done:line].split(b"\n")[:-1]
            yield from _around(number, lines[:owed])
            number += len(lines)
            known = [*before, *lines[owed:]][-context:]
            yield from _around(number - len(known), known)
            end = block.find(b"\n", at)
            yield _matched(number, at - line, block[line:] if end < 0 else block[line:end])
            number += 1
            done = len(block) if end < 0 else end + 1
            owed, before = context, []
        lines = block[done:].split(b"\n")
        lines = lines[:-1] if not lines[-1] else lines
        yield from _around(number, lines[:owed])
        before = [*before, *lines[owed:]][-context:]
        owed -= min(owed, len(lines))
        number += len(lines)
        if matched >= most and not owed:
            return


def _matched(number: int, column: int, text: bytes) -> bytes:
    if len(text) > _MOST_SHOWN:  # nobody is shown more than some of it
        start = max(0, column - _AROUND)
        text, column = text[start : column + _AROUND], column - start
    return b"%d:%d:%s\n" % (number, column + 1, text)


def _around(first: int, lines: list[bytes]) -> Iterator[bytes]:
    for number, line in enumerate(lines, first):
        yield b"%d-%s\n" % (number, line[:_MOST_SHOWN])
