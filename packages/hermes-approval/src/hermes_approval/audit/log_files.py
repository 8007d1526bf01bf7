"""The files of the audit log, and their lines in both directions."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# Limits the memory for a file without line breaks.
MAX_LINE = 262_144
BLOCK = 65_536


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """One open file of the log. Its identity, device and inode, stays the same when the file is renamed."""

    descriptor: int
    identity: tuple[int, int]
    size: int
    modified: float

    def close(self) -> None:
        """Close the descriptor."""
        os.close(self.descriptor)


def open_segments(file: Path) -> list[Segment]:
    """Open every file of the log, newest first, and skip what is missing or not a file.

    Rotation only moves files to higher numbers, which is the order of opening. So a concurrent rotation may show a file
    twice, which its identity reveals, but it cannot hide one.

    Raises:
        OSError: a file cannot be read.
    """
    found: list[Segment] = []
    try:
        for path in _names(file):
            segment = _open(path)
            if segment is None:
                continue
            if any(segment.identity == each.identity for each in found):
                segment.close()
            else:
                found.append(segment)
    except BaseException:
        for each in found:
            each.close()
        raise
    return found


def is_there(file: Path) -> bool:
    """Return True if the log has any file."""
    return any(os.path.lexists(path) for path in _names(file))


def _names(file: Path) -> Iterator[str]:
    yield os.fspath(file)
    numbered = re.compile(re.escape(file.name) + r"\.([0-9]{1,4})")
    try:
        numbers = [int(match[1]) for name in os.listdir(file.parent) if (match := numbered.fullmatch(name))]
    except (FileNotFoundError, NotADirectoryError):
        return
    # Two more: concurrent rotations make the numbers higher.
    for number in range(1, max(numbers, default=0) + 3):
        yield f"{file}.{number}"


def _open(path: str) -> Segment | None:
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | getattr(os, "O_NOFOLLOW", 0)
    try:
        descriptor = os.open(path, flags)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ENXIO, errno.ELOOP):
            return None
        raise
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode):
        os.close(descriptor)
        return None
    identity = found.st_dev, found.st_ino
    return Segment(descriptor=descriptor, identity=identity, size=found.st_size, modified=found.st_mtime)


class LineSplitter:
    """Splits blocks into lines. A line that is too long is None."""

    __slots__ = ("_overlong", "rest")

    def __init__(self) -> None:
        self.rest = b""
        self._overlong = False

    def feed(self, block: bytes) -> Iterator[bytes | None]:
        """Yield the lines that end in this block."""
        *lines, self.rest = (self.rest + block).split(b"\n")
        for line in lines:
            yield None if self._overlong else line
            self._overlong = False
        if len(self.rest) > MAX_LINE:
            self.rest, self._overlong = b"", True

    def finish(self) -> Iterator[bytes | None]:
        """Yield the text after the last line break."""
        if self.rest or self._overlong:
            yield None if self._overlong else self.rest
        self.rest, self._overlong = b"", False


def forward_lines(segment: Segment) -> Iterator[bytes | None]:
    """Yield the lines from first to last; None for one that is too long."""
    splitter = LineSplitter()
    position = 0
    while block := os.pread(segment.descriptor, min(BLOCK, segment.size - position), position):
        position += len(block)
        yield from splitter.feed(block)
    yield from splitter.finish()


def backward_lines(segment: Segment) -> Iterator[bytes | None]:
    """Yield the lines from last to first; None for one that is too long."""
    position, rest, overlong = segment.size, b"", False
    while position > 0:
        start = max(0, position - BLOCK)
        block = os.pread(segment.descriptor, position - start, start)
        position = start
        rest, *lines = (block + rest).split(b"\n")
        for line in reversed(lines):
            yield None if overlong else line
            overlong = False
        if len(rest) > MAX_LINE:
            rest, overlong = b"", True
    if rest or overlong:
        yield None if overlong else rest


def whole_lines_end(segment: Segment) -> int:
    """Return where the last whole line ends. A line after it may still be being written."""
    position = segment.size
    while position > 0:
        start = max(0, position - BLOCK)
        found = os.pread(segment.descriptor, position - start, start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        position = start
    return 0
