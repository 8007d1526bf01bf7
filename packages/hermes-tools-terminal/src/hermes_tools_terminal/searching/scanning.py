"""Searches files with nothing but Python: what runs where there is no ripgrep, with the same results.

It runs in other places too, whatever Python they have: no newer syntax than 3.8, and only modules that even stripped
builds have, such as Debian's python3-minimal. `engines.py` names all of them.
"""

from __future__ import annotations

import io
import marshal
import os
import re
import sys
from collections.abc import Callable, Iterator
from typing import IO, Any

from hermes_tools_terminal.searching.blocks import BinaryError, blocks, shown
from hermes_tools_terminal.searching.globs import anywhere, compiled
from hermes_tools_terminal.searching.walking import open_file, walk

_MARK = "\0w"
# Letters that Unicode's tables call symbols, and the two joiners.
_MORE_LETTERS = "\\u24b6-\\u24e9\\U0001f130-\\U0001f149\\U0001f150-\\U0001f169\\U0001f170-\\U0001f189\\u200c\\u200d"


class Matcher:
    """Finds the lines of a block that match.

    Args:
        plain: An expression that means the same on the bytes of any file; empty when there is none.
        ascii: One for blocks that are ASCII.
        text: One for other blocks.
    """

    def __init__(self, plain: str, ascii: str, text: str) -> None:
        self._plain = re.compile(plain.encode("latin-1"), re.MULTILINE) if plain else None
        self._ascii = re.compile(ascii.encode(), re.MULTILINE)
        self._source = text
        self._text: re.Pattern[str] | None = None

    def starts(self, block: bytes) -> Iterator[tuple[int, int]]:
        """Where lines that match begin, and where in the block the match does, both in bytes."""
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
    """The letters, marks, digits and connectors of all scripts, as the inside of a set."""
    try:
        import unicodedata
    except ImportError:
        sys.exit("The Python there lacks the module unicodedata. Install all of python3, or ripgrep.")
    ranges = []
    first = None
    for code in range(0x32400):  # beyond there is nothing but marks of variants, which are below
        is_word = unicodedata.category(chr(code)) in _WORD_KINDS
        if is_word and first is None:
            first = code
        elif not is_word and first is not None:
            ranges.append(f"\\U{first:08x}-\\U{code - 1:08x}")
            first = None
    return "".join(ranges) + "\\U000e0100-\\U000e01ef" + _MORE_LETTERS


_WORD_KINDS = frozenset(("Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "Pc"))


def count(matcher: Matcher, file: IO[bytes]) -> int:
    """How many lines of a file match; 0 when it is none of text."""
    found = 0
    try:
        for block in blocks(file):
            found += sum(1 for _ in matcher.starts(block))
    except BinaryError:
        return 0
    return found


def scan(matcher: Matcher, top: int, order: dict[str, Any], write: Callable[[bytes], object]) -> None:
    """Tell how many lines match in each file where any do: path, NUL, number, line feed."""
    for listed in walk(top, os.fsencode(order["root"]), hidden=order["hidden"]):
        for name in _wanted(listed.prefix, listed.names, order):
            try:
                with open(open_file(listed.handle, name), "rb", buffering=0) as file:
                    found = count(matcher, file)
            except OSError:
                continue
            if found:
                write(b"%s%s\0%d\n" % (listed.prefix, name, found))


def one(matcher: Matcher, top: int, order: dict[str, Any], write: Callable[[bytes], object]) -> None:
    """The same for a single file."""
    name = os.fsencode(order["file"])
    with open(open_file(top, name), "rb", buffering=0) as file:
        if found := count(matcher, file):
            write(b"%s\0%d\n" % (name, found))


def some(matcher: Matcher, _top: int, order: dict[str, Any], write: Callable[[bytes], object]) -> None:
    """The same for contents that came with the order, by their numbers."""
    for number, content in enumerate(order["contents"]):
        if found := count(matcher, io.BytesIO(content)):
            write(b"%d\0%d\n" % (number, found))


def names(top: int, order: dict[str, Any], write: Callable[[bytes], object]) -> None:
    """Tell all files: when each was changed, in nanoseconds, then its path and NUL."""
    for listed in walk(top, os.fsencode(order["root"]), hidden=order["hidden"]):
        for name in _wanted(listed.prefix, listed.names, order):
            try:
                changed = os.stat(name, dir_fd=listed.handle, follow_symlinks=False).st_mtime_ns
            except OSError:
                continue
            write(b"%d %s%s\0" % (changed, listed.prefix, name))


def show(matcher: Matcher, top: int, order: dict[str, Any], write: Callable[[bytes], object]) -> None:
    """Print lines as ripgrep does: which of the files it is, the line's number, the column."""
    contents = order["contents"]
    for number, path in enumerate(order["files"]):
        try:
            with _opened(top, path, contents[number] if contents else None) as file:
                for line in shown(blocks(file), matcher.starts, order["most"], order["context"], order["skip"]):
                    write(b"%d\0%s" % (number, line))
        except (OSError, BinaryError):
            continue


def _opened(top: int, path: str, content: bytes | None) -> IO[bytes]:
    """Open a file, or what came with the order as its content."""
    if content is not None:
        return io.BytesIO(content)
    return open(open_file(top, os.fsencode(path)), "rb", buffering=0)


def _wanted(prefix: bytes, names: list[bytes], order: dict[str, Any]) -> list[bytes]:
    globs = order.get("compiled")
    if globs is None:
        globs = order["compiled"] = [compiled(anywhere(glob)) for glob in order["globs"]]
    return [name for name in names if any(glob.match(prefix + name) for glob in globs)] if globs else names


def main(order: dict[str, Any]) -> None:
    """Do what is asked in the folder that this process is in."""
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
    """Read what is asked for, and do it."""
    main(marshal.loads(sys.stdin.buffer.read()))  # noqa: S302 - it comes from who has started this
