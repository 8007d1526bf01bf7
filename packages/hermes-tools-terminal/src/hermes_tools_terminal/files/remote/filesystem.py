"""The filesystem of an environment that only a shell can reach."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import secrets
import stat
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

from hermes_files.atomic import file_lock
from hermes_tools_terminal.environments.base import Environment
from hermes_tools_terminal.files.filesystem import (
    FileInfo,
    Lines,
    Stamp,
    encode_path,
    is_beneath,
    kind_of,
    not_regular_error,
    os_error,
    tidy_path,
)
from hermes_tools_terminal.files.remote.helper_process import (
    LEAVE_SECONDS,
    SILENCE_SECONDS,
    Answer,
    Helper,
    HelperExitedError,
    check,
)
from hermes_tools_terminal.files.remote.helper_script import BLOCK


class LineCollector:
    """Collects lines from chunks and truncates long ones as they arrive, so that none is held as a whole.

    Attributes:
        cut: The real size of each truncated line, by line number.
    """

    def __init__(self, first: int, count: int, longest: int) -> None:
        self.cut: dict[int, int] = {}
        self._number = first
        self._end = first + count
        self._longest = longest
        self._kept = bytearray()
        self._size = 0

    @property
    def data(self) -> bytes:
        """The collected lines, line endings included."""
        return bytes(self._kept)

    @property
    def missing(self) -> int:
        """How many lines are missing, including an incomplete one."""
        return self._end - self._number

    @property
    def is_overlong(self) -> bool:
        """Whether the current line is too long already, so that only its size matters."""
        return self._size > self._longest

    def feed(self, piece: bytes) -> None:
        """Add a chunk."""
        at = 0
        while at < len(piece) and self.missing:
            end = piece.find(b"\n", at)
            stop = end if end >= 0 else len(piece)
            available = max(0, self._longest - self._size)
            self._kept += piece[at : min(stop, at + available)]
            self._size += stop - at
            at = stop + 1
            if end >= 0:
                self._close(b"\n")

    def skip(self, size: int, *, ended: bool) -> None:
        """Count bytes of an overlong line that were not sent, and whether they end the line."""
        self._size += size
        if ended:
            self._close(b"\n")

    def finish(self) -> None:
        """End an incomplete last line."""
        if self._size:
            self._close(b"")

    def _close(self, end: bytes) -> None:
        if self.is_overlong:
            self.cut[self._number] = self._size
        self._kept += end
        self._number += 1
        self._size = 0


LOCK_SECONDS = 30.0
"""How long to wait for a lock."""

PIECE = 1 << 20
"""How many bytes one answer transfers."""

_CLOSE_SECONDS = 0.5
"""How long closing waits for an answer that is still pending."""

_MAX_LINES = 1 << 40
"""More lines than any file has; every shell can count so far."""


class RemoteFileSystem:
    """Files that are reached through a helper process in the environment: a shell with the usual commands.

    To use a file, the helper enters its directory, checks that it is the one that was found, and uses the bare name. It
    compares what it reads after opening, so a file cannot be swapped in between. A change leaves a gap of a few
    milliseconds between the last check and the rename or removal, because a shell cannot do both atomically: another
    process in the environment that replaces the file in that gap loses its content, unless it uses `locked` here. A
    link created in the gap is replaced itself, not its target. A pipe put in place of a file just before it is opened
    blocks the helper until it is killed. Without `/proc` and `/dev/fd`, the name is checked before and after opening
    instead.

    Args:
        environment: The open environment.
        name: Identifies the filesystem across processes.
        locks: A local directory for locks.
        roots: The directories that files are confined to; none for no confinement.
    """

    def __init__(self, environment: Environment, name: str, *, locks: str, roots: Sequence[str] = ()) -> None:
        self.kind = environment.kind
        self.name = name
        self._environment = environment
        self._locks = locks
        self._roots = tuple(roots)
        self._real_roots: tuple[str, ...] | None = None
        self._helper: Helper | None = None
        self._closed = False
        self._asking, self._changing = threading.Lock(), threading.Lock()

    def find(self, path: str, *, base: str) -> FileInfo:
        """Resolve a path."""
        found = self._found(path, base)
        self._check_roots(found)
        return found

    def read(self, found: FileInfo, offset: int = 0, size: int = -1) -> bytes:
        """Return the content of a regular file, or a part of it."""
        if offset < 0:
            raise os_error(errno.EINVAL, found.path, "The offset is negative")
        if (offset == 0 and size < 0) or not (found.stamp and found.stamp.size):  # files in /proc have size 0
            data = self._read(found, b"all")[0][offset:]
            return data if size < 0 else data[:size]
        pieces, left = [], size if size >= 0 else found.stamp.size
        while left > 0 or size < 0:
            piece, whole = self._piece(found, offset, min(left, PIECE) if size >= 0 else PIECE)
            pieces.append(piece)
            offset += len(piece)
            left -= len(piece)
            if not piece or offset >= whole:
                break
        return b"".join(pieces)

    def lines(self, found: FileInfo, first: int, count: int, *, longest: int) -> Lines:
        """Return lines of a regular file, counted in the environment."""
        first, count = min(max(1, first), _MAX_LINES), min(max(0, count), _MAX_LINES)
        (total, _), piece = self._read_with_header(found, "lines_", first, count, PIECE)
        if first > total:
            return Lines(b"", {}, total, more=False)
        collector = LineCollector(first, min(count, total - first + 1), longest)
        collector.feed(piece)
        if collector.missing and len(piece) == PIECE:
            self._feed_more(found, first, collector)
        collector.finish()
        return Lines(collector.data, collector.cut, total, more=first + count <= total)

    def _feed_more(self, found: FileInfo, first: int, collector: LineCollector) -> None:
        """Read more lines; the rest of an overlong line is not transferred."""
        at = PIECE + (self._read_with_header(found, "where_", first)[0][0] if first > 1 else 0)
        full = True
        while collector.missing and full:
            if collector.is_overlong:
                (ended, size), piece = self._read_with_header(found, "rest_", at, collector.missing - 1, PIECE)
                collector.skip(size - ended, ended=bool(ended))
                at += size
            else:
                piece, _ = self._piece(found, at, PIECE)
            collector.feed(piece)
            at += len(piece)
            full = len(piece) == PIECE

    def names(self, found: FileInfo) -> list[str]:
        """Return the sorted names in a directory."""
        if found.kind != "folder":
            raise os_error(errno.ENOENT if found.kind == "missing" else errno.ENOTDIR, found.path)
        self._check_roots(found)
        listed = self._ask(found.path, "names_", path_bytes(found.path), identity(found)).split(b"\0")
        return sorted(path_text(name) for name in listed if name)

    def upward(self, folder: str, name: str, *, limit: int) -> list[tuple[str, bytes]]:
        """Return each file with a name in a directory and its parents, nearest first."""
        data = self._ask(folder, "upward_", path_bytes(folder), path_bytes(name), b"%d" % limit)
        found = []
        while data:
            where, size, data = data.split(b"\0", 2)
            found.append((path_text(where), data[: int(size)]))
            data = data[int(size) :]
        if self._roots:
            self._check_roots(FileInfo(folder, folder, "missing"))
            found = [each for each in found if any(is_beneath(each[0], root) for root in self._real_roots or ())]
        return found

    def replace(self, found: FileInfo, data: bytes, *, mode: int | None = None) -> FileInfo:
        """Replace the content of a file atomically, create missing directories, and return the new file."""
        if found.kind not in ("file", "missing"):
            raise not_regular_error(found)
        is_new = found.kind == "missing"
        mode = mode if is_new else found.mode
        permissions = b"" if mode is None else b"%04o" % mode
        owner = b"" if is_new else b"%d:%d" % (found.owner, found.group)
        temporary = f".hermes-{secrets.token_hex(8)}.tmp".encode()
        what = (*parts(found), version(found), b"%d" % len(data), permissions, owner, temporary)
        seen = self._change(found, "put_", *what, content=data)
        return file_info(found.asked, found.path, seen.decode())

    def remove(self, found: FileInfo) -> None:
        """Remove a regular file."""
        if found.kind != "file":
            raise not_regular_error(found)
        self._change(found, "remove_", *parts(found), version(found))

    @contextlib.contextmanager
    def locked(self, *found: FileInfo) -> Iterator[None]:
        """Lock files against other local processes, in one order, which prevents deadlocks."""
        paths = sorted({each.path for each in found})
        with contextlib.ExitStack() as stack:
            for path in paths:
                name = hashlib.sha256(f"{self.name}\0{path}".encode("utf-8", "surrogatepass")).hexdigest()[:40]
                try:
                    stack.enter_context(file_lock(Path(self._locks, name), timeout=LOCK_SECONDS))
                except TimeoutError as error:
                    text = f"Another process has locked the file for {LOCK_SECONDS:g} seconds; try again later"
                    raise TimeoutError(errno.ETIMEDOUT, text, path) from error
            yield

    def close(self) -> None:
        """End the helper even if it is busy. Never raises; may be called twice."""
        self._closed = True
        if not self._asking.acquire(timeout=_CLOSE_SECONDS):
            if (busy := self._helper) is not None:
                busy.kill()  # the pending request drops it
            return
        try:
            self._drop()
        finally:
            self._asking.release()

    def _found(self, path: str, base: str) -> FileInfo:
        data = self._ask(path, "find_", path_bytes(path), path_bytes(base or "/"), using=False)
        asked, real, seen, _ = data.split(b"\0")
        return file_info(tidy_path(path_text(asked)), path_text(real), seen.decode())

    def _check_roots(self, found: FileInfo) -> None:
        if not self._roots:
            return
        if self._real_roots is None:
            self._real_roots = tuple(self._found(root, self._environment.folder).path for root in self._roots)
        if not any(is_beneath(found.path, root) for root in self._real_roots):
            text = f"Outside the allowed directories ({', '.join(self._roots)})"
            raise os_error(errno.EACCES, found.asked, text)

    def _piece(self, found: FileInfo, offset: int, size: int) -> tuple[bytes, int]:
        """Return up to some bytes and the size of the whole file."""
        first, inside = divmod(offset, BLOCK)
        blocks = -(-(inside + size) // BLOCK)
        data, whole = self._read(found, b"%d" % first, b"%d" % blocks)
        return data[inside : inside + size], whole

    def _read(self, found: FileInfo, *which: bytes) -> tuple[bytes, int]:
        seen, _, data = self._of_file(found, "read_", *which).partition(b"\n")
        return data, int(seen.split()[3])

    def _read_with_header(self, found: FileInfo, function: str, *numbers: int) -> tuple[tuple[int, int], bytes]:
        """Return the two numbers that an answer begins with and the bytes after them."""
        header, _, data = self._of_file(found, function, *(b"%d" % number for number in numbers)).partition(b"\n")
        one, other = header.split()
        return (int(one), int(other)), data

    def _of_file(self, found: FileInfo, function: str, *args: bytes) -> bytes:
        if found.kind != "file":
            raise not_regular_error(found)
        self._check_roots(found)
        return self._ask(found.path, function, *parts(found), identity(found), *args)

    def _ask(self, path: str, function: str, *args: bytes, using: bool = True) -> bytes:
        """Send a read-only request, which can be repeated if the helper has died."""
        with _exclusive(self._asking, path):
            answer = self._answer(path, function, args)
        check(answer, path, using=using)
        return answer.data

    def _answer(self, path: str, function: str, args: Sequence[bytes]) -> Answer:
        while True:
            fresh = self._helper is None
            helper = self._helper = self._helper or self._new(path, persistent=True)
            try:
                with _errors_about_request(path):
                    return helper.ask(function, *args)
            except HelperExitedError as error:
                self._drop()
                if fresh:
                    raise _environment_gone(path) from error
            except BaseException:  # its answer would be taken for that of the next request
                self._drop(patience=0.0)
                raise

    def _change(self, found: FileInfo, function: str, *args: bytes, content: bytes = b"") -> bytes:
        """Send a change to its own helper, so that it is never repeated."""
        self._check_roots(found)
        with _exclusive(self._changing, found.path):
            helper = self._new(found.path, persistent=False)
            patience = 0.0
            try:
                with _errors_about_request(found.path):
                    answer = helper.ask(function, *args, content=content)
                patience = LEAVE_SECONDS
            except HelperExitedError as error:
                raise _environment_gone(found.path) from error
            finally:
                helper.end(patience=patience)
        check(answer, found.path, using=True)
        return answer.data

    def _new(self, path: str, *, persistent: bool) -> Helper:
        if self._closed:
            raise os_error(errno.EHOSTDOWN, path, "The environment is closed")
        with _errors_about_request(path):
            return Helper(self._environment, persistent=persistent)

    def _drop(self, **how: float) -> None:
        helper, self._helper = self._helper, None
        if helper is not None:
            helper.end(**how)


@contextlib.contextmanager
def _exclusive(lock: threading.Lock, path: str) -> Iterator[None]:
    if not lock.acquire(timeout=SILENCE_SECONDS):
        raise TimeoutError(errno.ETIMEDOUT, "The environment is busy with other files; try again later", path)
    try:
        yield
    finally:
        lock.release()


@contextlib.contextmanager
def _errors_about_request(path: str) -> Iterator[None]:
    """Add the requested path to errors of the environment."""
    try:
        yield
    except OSError as error:
        raise os_error(error.errno or errno.EIO, path, error.strerror or str(error)) from error


def _environment_gone(path: str) -> OSError:
    return os_error(errno.EHOSTDOWN, path, "The environment is gone; check the file before you try again")


MAX_PATH = 4095
"""The maximum length of a path in bytes."""

_SECOND = 1_000_000_000


def file_info(asked: str, path: str, seen: str) -> FileInfo:
    """Return what a path resolved to; `seen` is the output of the script function `look`, empty for missing files."""
    if not seen:
        return FileInfo(asked, path, "missing")
    raw, device, inode, size, changed, touched, owner, group, links = seen.split()
    mode = int(raw, 16)
    stamp = Stamp(int(device), int(inode), int(size), _nanoseconds(changed), _nanoseconds(touched))
    return FileInfo(asked, path, kind_of(mode), stamp, stat.S_IMODE(mode), int(owner), int(group), int(links))


def identity(found: FileInfo) -> bytes:
    """Return which file it is, in the format of the script."""
    stamp = found.stamp
    return b"%d %d" % (stamp.device, stamp.inode) if stamp else b""


def version(found: FileInfo) -> bytes:
    """Return which version of a file it is, in the format of the script; empty for a missing file."""
    stamp = found.stamp
    if stamp is None:
        return b""
    times = (f"{at // _SECOND}.{at % _SECOND:09}" for at in (stamp.changed, stamp.touched))
    return b"%s %d %s" % (identity(found), stamp.size, " ".join(times).encode())


def parts(found: FileInfo) -> tuple[bytes, bytes]:
    """Return the directory and the name of a file."""
    folder, name = os.path.split(path_bytes(found.path))
    return folder, name


def path_bytes(path: str) -> bytes:
    """Encode a path. Raise `OSError` if the path is invalid."""
    encoded = encode_path(path)
    if len(encoded) > MAX_PATH:
        raise os_error(errno.ENAMETOOLONG, path)
    return encoded


def path_text(path: bytes) -> str:
    """Decode a path."""
    return path.decode("utf-8", "surrogateescape")


def _nanoseconds(time: str) -> int:
    seconds, _, fraction = time.partition(".")
    return int(seconds) * _SECOND + int(fraction[:9].ljust(9, "0"))
