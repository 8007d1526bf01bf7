"""Search files in pure Python: used where there is no ripgrep, with the same results.

It also runs in other environments: only syntax of Python 3.8, and only modules that minimal builds have, such as
Debian's python3-minimal. `search.py` lists all of them.
"""

from __future__ import annotations

import codecs
import io
import marshal
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import IO, TYPE_CHECKING, Any

from hermes_tools_terminal.search.file_walk import open_file, walk
from hermes_tools_terminal.search.globs import anywhere, compile_glob

if TYPE_CHECKING:
    # Yields, for each matching line of a block, where the line and its match begin.
    Starts = Callable[[bytes], Iterable[tuple[int, int]]]

SIZE = 1 << 22
"""How many bytes are read at once."""

_MAX_SHOWN = 65_536
_AROUND = 4096


class BinaryError(Exception):
    """Raised for a binary file: it contains a NUL."""


def blocks(file: IO[bytes]) -> Iterator[bytes]:
    """Yield a file's text as UTF-8 in blocks of whole lines, without a byte order mark; the last may lack its end.

    Raises:
        BinaryError: it contains a NUL.
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


def format_lines(found: Iterable[bytes], starts: Starts, limit: int, context: int, skip: int = 0) -> Iterator[bytes]:
    """Yield matching lines as `number:column:text` and context lines as `number-text`, each with a line feed.

    Args:
        found: The blocks of a file.
        starts: Finds the matching lines.
        limit: How many matching lines to yield; later ones are only context.
        context: How many lines of context around each match.
        skip: How many matching lines to skip; only without context.
    """
    return _with_context(found, starts, limit, context) if context else _without_context(found, starts, limit, skip)


def _without_context(found: Iterable[bytes], starts: Starts, limit: int, skip: int) -> Iterator[bytes]:
    number = 1  # of the line at `done`
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
            if matched >= limit:
                return
        number += block.count(b"\n", done)


def _with_context(found: Iterable[bytes], starts: Starts, limit: int, context: int) -> Iterator[bytes]:
    number = 1  # of the line at `done`
    before: list[bytes] = []  # possible context of the next match
    pending = matched = 0  # how many lines of context the last match still needs
    for block in found:
        done = 0  # how many bytes of the block are handled
        for line, at in starts(block):
            if matched >= limit:
                break
            matched += 1
            lines = block[done:line].split(b"\n")[:-1]
            yield from _around(number, lines[:pending])
            number += len(lines)
            known = [*before, *lines[pending:]][-context:]
            yield from _around(number - len(known), known)
            end = block.find(b"\n", at)
            yield _matched(number, at - line, block[line:] if end < 0 else block[line:end])
            number += 1
            done = len(block) if end < 0 else end + 1
            pending, before = context, []
        lines = block[done:].split(b"\n")
        lines = lines[:-1] if not lines[-1] else lines
        yield from _around(number, lines[:pending])
        before = [*before, *lines[pending:]][-context:]
        pending -= min(pending, len(lines))
        number += len(lines)
        if matched >= limit and not pending:
            return


def _matched(number: int, column: int, text: bytes) -> bytes:
    if len(text) > _MAX_SHOWN:  # only a part is ever shown
        start = max(0, column - _AROUND)
        text, column = text[start : column + _AROUND], column - start
    return b"%d:%d:%s\n" % (number, column + 1, text)


def _around(first: int, lines: list[bytes]) -> Iterator[bytes]:
    for number, line in enumerate(lines, first):
        yield b"%d-%s\n" % (number, line[:_MAX_SHOWN])


_MARK = "\0w"
# Letters that Unicode classifies as symbols, and the two joiners.
_MORE_LETTERS = "\\u24b6-\\u24e9\\U0001f130-\\U0001f149\\U0001f150-\\U0001f169\\U0001f170-\\U0001f189\\u200c\\u200d"


class Matcher:
    """Finds the matching lines of a block.

    Args:
        plain: An equivalent expression for the bytes of any file; empty when there is none.
        ascii: An expression for ASCII blocks.
        text: An expression for other blocks.
    """

    def __init__(self, plain: str, ascii: str, text: str) -> None:
        self._plain = re.compile(plain.encode("latin-1"), re.MULTILINE) if plain else None
        self._ascii = re.compile(ascii.encode(), re.MULTILINE)
        self._source = text
        self._text: re.Pattern[str] | None = None

    def starts(self, block: bytes) -> Iterator[tuple[int, int]]:
        """Yield where matching lines start, and where their matches start, in bytes."""
        if self._plain is not None or block.isascii():
            yield from _starts(self._plain or self._ascii, block, b"\n")
            return
        if self._text is None:
            self._text = re.compile(
                self._source.replace(_MARK, _words() if _MARK in self._source else ""), re.MULTILINE
            )
        text = block.decode("utf-8", "surrogateescape")
        last = size = 0
        for line, at in _starts(self._text, text, "\n"):
            size += len(text[last:line].encode("utf-8", "surrogateescape"))
            last = line
            yield size, size + len(text[line:at].encode("utf-8", "surrogateescape"))


def _starts(pattern: re.Pattern[Any], block: Any, feed: Any) -> Iterator[tuple[int, int]]:
    place = 0
    while True:
        found = pattern.search(block, place)
        if found is None or (found.start() == len(block) and (not block or block[-1:] == feed)):
            return
        at = found.start()
        yield block.rfind(feed, 0, at) + 1, at
        end = block.find(feed, at)
        if end < 0:
            return
        place = end + 1


def _words() -> str:
    """Return the letters, marks, digits and connectors of all scripts, as the members of a set."""
    try:
        import unicodedata
    except ImportError:
        sys.exit("The Python there lacks the module unicodedata. Install all of python3, or ripgrep.")
    ranges = []
    first = None
    for code in range(0x32400):  # beyond are only variation selectors, which are added below
        is_word = unicodedata.category(chr(code)) in _WORD_KINDS
        if is_word and first is None:
            first = code
        elif not is_word and first is not None:
            ranges.append(f"\\U{first:08x}-\\U{code - 1:08x}")
            first = None
    return "".join(ranges) + "\\U000e0100-\\U000e01ef" + _MORE_LETTERS


_WORD_KINDS = frozenset(("Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "Pc"))


def count(matcher: Matcher, file: IO[bytes]) -> int:
    """Return how many lines of a file match; 0 for a binary file."""
    found = 0
    try:
        for block in blocks(file):
            found += sum(1 for _ in matcher.starts(block))
    except BinaryError:
        return 0
    return found


def scan(matcher: Matcher, top: int, order: dict[str, Any], write: Callable[[bytes], object]) -> None:
    """Write the number of matching lines of each file that has any: path, NUL, number, line feed."""
    for listed in walk(top, os.fsencode(order["root"]), hidden=order["hidden"]):
        for name in _select(listed.prefix, listed.names, order):
            try:
                with open(open_file(listed.handle, name), "rb", buffering=0) as file:
                    found = count(matcher, file)
            except OSError:
                continue
            if found:
                write(b"%s%s\0%d\n" % (listed.prefix, name, found))


def one(matcher: Matcher, top: int, order: dict[str, Any], write: Callable[[bytes], object]) -> None:
    """Do the same for a single file."""
    name = os.fsencode(order["file"])
    with open(open_file(top, name), "rb", buffering=0) as file:
        if found := count(matcher, file):
            write(b"%s\0%d\n" % (name, found))


def some(matcher: Matcher, _top: int, order: dict[str, Any], write: Callable[[bytes], object]) -> None:
    """Do the same for contents in the order, by their index."""
    for number, content in enumerate(order["contents"]):
        if found := count(matcher, io.BytesIO(content)):
            write(b"%d\0%d\n" % (number, found))


def names(top: int, order: dict[str, Any], write: Callable[[bytes], object]) -> None:
    """Write all files: modification time in nanoseconds, path, NUL."""
    for listed in walk(top, os.fsencode(order["root"]), hidden=order["hidden"]):
        for name in _select(listed.prefix, listed.names, order):
            try:
                changed = os.stat(name, dir_fd=listed.handle, follow_symlinks=False).st_mtime_ns
            except OSError:
                continue
            write(b"%d %s%s\0" % (changed, listed.prefix, name))


def show(matcher: Matcher, top: int, order: dict[str, Any], write: Callable[[bytes], object]) -> None:
    """Write lines as ripgrep does, with the index of the file as its path."""
    contents = order["contents"]
    for number, path in enumerate(order["files"]):
        try:
            with _opened(top, path, contents[number] if contents else None) as file:
                for line in format_lines(blocks(file), matcher.starts, order["most"], order["context"], order["skip"]):
                    write(b"%d\0%s" % (number, line))
        except (OSError, BinaryError):
            continue


def _opened(top: int, path: str, content: bytes | None) -> IO[bytes]:
    """Open a file, or its content in the order."""
    if content is not None:
        return io.BytesIO(content)
    return open(open_file(top, os.fsencode(path)), "rb", buffering=0)


def _select(prefix: bytes, names: list[bytes], order: dict[str, Any]) -> list[bytes]:
    globs = order.get("compiled")
    if globs is None:
        globs = order["compiled"] = [compile_glob(anywhere(glob)) for glob in order["globs"]]
    return [name for name in names if any(glob.match(prefix + name) for glob in globs)] if globs else names


def main(order: dict[str, Any]) -> None:
    """Run an order in the working directory."""
    out = os.fdopen(os.dup(1), "wb", buffering=0 if order["task"] == "scan" else 1 << 16)
    try:
        top = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        sys.exit(f"{order['root']}: {error.strerror}")
    with out:
        if order["task"] == "names":
            names(top, order, out.write)
            return
        matcher = Matcher(order["plain"], order["ascii"], order["text"])
        {"scan": scan, "one": one, "some": some, "show": show}[order["task"]](matcher, top, order, out.write)


def run() -> None:
    """Read the order from the input, and run it."""
    main(marshal.loads(sys.stdin.buffer.read()))  # noqa: S302 - it comes from the process that started this one
