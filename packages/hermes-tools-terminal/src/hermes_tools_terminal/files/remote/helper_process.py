"""Run the helper shell in an environment: send requests, read answers and turn failures into `OSError`."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import select
import signal
import subprocess
import time
from dataclasses import dataclass
from typing import IO

from hermes_tools_terminal.environments.base import Environment, TerminalEnvironmentError
from hermes_tools_terminal.files.filesystem import changed_error, os_error
from hermes_tools_terminal.files.remote import helper_script

SILENCE_SECONDS = 120.0
"""How long the environment may neither send nor accept data: large files are counted before their lines are sent."""

LEAVE_SECONDS = 5.0
"""How long a helper may take to exit when asked."""

CLEAN_SECONDS = 1.0
"""How long it may take to clean up when terminated."""

_READ_SIZE = 1 << 18
_WRITE_SIZE = 1 << 16


class HelperExitedError(Exception):
    """Raised when a helper exits before it has answered."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a request."""

    data: bytes
    status: int
    words: str


class Helper:
    """A helper process. Only one thread may use it at a time.

    Args:
        environment: The environment.
        persistent: Whether it answers many requests, or a single one that may be followed by content.

    Raises:
        OSError: It cannot be started; EHOSTDOWN if the environment is gone.
    """

    def __init__(self, environment: Environment, *, persistent: bool) -> None:
        self._environment = environment
        try:
            started = environment.start(
                ["sh", "-c", helper_script.PROGRAM, "sh", "stay" if persistent else "once"], cwd="/"
            )
        except TerminalEnvironmentError as error:
            number = errno.EHOSTDOWN if error.gone else errno.EIO
            raise OSError(number, f"{error.reason} {error.hint}".strip()) from error
        assert started.child.stdin is not None
        assert started.child.stdout is not None
        self._child, self._group = started.child, started.group
        self._into: IO[bytes] = started.child.stdin
        self._out: IO[bytes] = started.child.stdout
        os.set_blocking(self._into.fileno(), False)

    def ask(self, function: str, *args: bytes, content: bytes | None = None) -> Answer:
        """Call a function of the helper script; after a call with content, the helper accepts no further
        requests.

        Raises:
            HelperLostError: The helper exited; the outcome is unknown.
            TimeoutError: There was no answer in time; the outcome is unknown.
        """
        word = secrets.token_hex(16)
        line = b" ".join([function.encode(), *map(_quoted, args)])
        request = word.encode() + b"\n" + line + b"\n" + (content or b"")
        output = self._exchange(request, b"{%s}" % word.encode(), last=content is not None)
        return _answer(output, word.encode())

    def end(self, *, patience: float = LEAVE_SECONDS) -> None:
        """End the helper, by force if necessary. Never raises."""
        with contextlib.suppress(OSError):
            self._into.close()
        if not self._exits_within(patience):
            self.kill()
            self._exits_within(LEAVE_SECONDS)
        with contextlib.suppress(OSError):
            self._out.close()

    def kill(self) -> None:
        """Terminate the helper after a chance to clean up. Never raises."""
        with contextlib.suppress(Exception):  # foreign code: an environment that is gone may raise anything
            self._environment.signal(self._group, signal.SIGTERM)
            if not self._exits_within(CLEAN_SECONDS):
                self._environment.signal(self._group, signal.SIGKILL)
        with contextlib.suppress(OSError):
            self._child.kill()

    def _exits_within(self, seconds: float) -> bool:
        try:
            self._child.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def _exchange(self, request: bytes, end: bytes, *, last: bool) -> bytearray:
        """Write a request while reading its answer, so that neither side blocks the other."""
        output, left = bytearray(), memoryview(request)
        out, into = self._out.fileno(), self._into.fileno()
        poll = select.poll()
        poll.register(out, select.POLLIN)
        poll.register(into, select.POLLOUT)
        while not output.endswith(end):
            ready = dict(self._ready(poll))
            if into in ready:
                left = self._write(left)
                if not left:
                    poll.unregister(into)
                    into = -1
                    if last:
                        self._into.close()
            if out in ready:
                data = self._read(out)
                if not data:
                    raise HelperExitedError
                output += data
        return output

    @staticmethod
    def _ready(poll: select.poll) -> list[tuple[int, int]]:
        deadline = time.monotonic() + SILENCE_SECONDS
        while (left := deadline - time.monotonic()) > 0:
            if ready := poll.poll(left * 1000):
                return ready
        raise TimeoutError(errno.ETIMEDOUT, f"The environment did not answer for {SILENCE_SECONDS:g} seconds")

    @staticmethod
    def _read(out: int) -> bytes:
        try:
            return os.read(out, _READ_SIZE)
        except OSError:
            return b""

    def _write(self, left: memoryview) -> memoryview:
        """Write what fits; if the helper no longer reads, treat all as written: the answer explains it."""
        try:
            return left[os.write(self._into.fileno(), left[:_WRITE_SIZE]) :]
        except BlockingIOError:
            return left
        except OSError:
            return left[len(left) :]


def _quoted(arg: bytes) -> bytes:
    """Quote an argument for the shell without line feeds: requests are read line by line."""
    return b"'" + arg.replace(b"'", b"'\\''").replace(b"\n", b"'\"$nl\"'") + b"'"


def _answer(output: bytearray, word: bytes) -> Answer:
    begin, middle = output.find(b"<%s>" % word), output.rfind(b"[%s]" % word)
    if not 0 <= begin < middle:
        raise HelperExitedError
    with memoryview(output) as view:
        data = bytes(view[begin + len(word) + 2 : middle])
        status, _, words = bytes(view[middle + len(word) + 2 : -len(word) - 2]).partition(b"\n")
    return Answer(data, int(status), words[-4000:].decode("utf-8", "replace"))


_STATUSES = {
    helper_script.LOOP: errno.ELOOP,
    helper_script.NO_FOLDER: errno.ENOTDIR,
    helper_script.DENIED: errno.EACCES,
    helper_script.LONG: errno.ENAMETOOLONG,
}

# Error messages in the C locale, with the variants of busybox and the shells.
_WORDS = {
    "no such file": errno.ENOENT,
    "nonexistent directory": errno.ENOENT,
    "directory nonexistent": errno.ENOENT,
    "permission denied": errno.EACCES,
    "operation not permitted": errno.EPERM,
    "is a directory": errno.EISDIR,
    "not a directory": errno.ENOTDIR,
    "no space left": errno.ENOSPC,
    "disk quota exceeded": errno.EDQUOT,
    "file too large": errno.EFBIG,
    "read-only file system": errno.EROFS,
    "file name too long": errno.ENAMETOOLONG,
    "resource busy": errno.EBUSY,
    "text file busy": errno.ETXTBSY,
    "file exists": errno.EEXIST,
    "existing file": errno.EEXIST,  # bash with noclobber
    "too many levels": errno.ELOOP,
    "stale file handle": errno.ESTALE,
}


def check(answer: Answer, path: str, *, using: bool) -> None:
    """Raise the error that an answer describes. Raise `OSError` if the request failed.

    Args:
        answer: The answer.
        path: The path of the request.
        using: Whether the path was found before: a missing file then means that it was changed.
    """
    if answer.status == 0:
        return
    if answer.status == helper_script.CHANGED:
        raise changed_error(path, "was changed, replaced, removed or turned into a link")
    if answer.status == helper_script.CUT:
        raise os_error(errno.EIO, path, "The content arrived incompletely, so the file was not changed; write it again")
    if answer.status == helper_script.LACKING:
        text = f"The environment lacks commands for file access:{answer.words.rstrip()}; install coreutils"
        raise os_error(errno.ENOTSUP, path, text)
    number = _STATUSES.get(answer.status) or _meant(answer.words)
    if using and number in (errno.ENOENT, errno.ELOOP):
        raise changed_error(path, "was moved, removed or turned into a link")
    said = answer.words.strip()[-300:] or f"A helper in the environment ended with {answer.status}"
    raise os_error(number, path, said if number == errno.EIO else "")


def _meant(words: str) -> int:
    """Return the error number of the first known message; text before the last colon may be a file name."""
    for line in words.lower().splitlines():
        reason = line.rpartition(": ")[2]
        for text, number in _WORDS.items():
            if text in reason:
                return number
    return errno.EIO
