"""Run search programs, locally or in another environment, with a deadline."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import secrets
import select
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import IO

from hermes_tools_terminal.environments.base import ChildProcess, Environment, TerminalEnvironmentError
from hermes_tools_terminal.environments.env_vars import command_variables

_CHUNK = 1 << 18
_PIECES = 16
_PIPE_SIZE = 1 << 20
_PAUSE_SECONDS = 0.02
_MUCH = 1 << 15
"""Half of a pipe's capacity: with more in it, its writer may soon block."""

_MAX_WORDS = 2000
_END_SECONDS = 10.0

# Runs a program, then prints a marker, the exit status and the errors: an environment has a single output.
_WRAPPED = """
mark=$1; shift; exec 4>&1
words=$("$@" 2>&1 >&4 4>&-); status=$?
printf '\\036%s %s ' "$mark" "$status"; printf %s "$words" | head -c 2000
"""


class SearchTimeoutError(Exception):
    """Raised when the time limit of a search is over."""


class SearchError(Exception):
    """Raised when a search program fails; its text says why."""


class SearchRoot:
    """A searched directory in which programs run until a deadline in `time.monotonic`."""

    def __init__(self, environment: Environment, folder: str, deadline: float) -> None:
        self.environment = environment
        self.folder = folder
        self.deadline = deadline

    def run(
        self,
        argv: Sequence[str | bytes],
        *,
        input: bytes = b"",
        ok_codes: Sequence[int] = (0,),
        passed: Sequence[int] = (),
    ) -> Iterator[bytes]:
        """Run a program and yield its output in pieces.

        Args:
            argv: The program and its arguments.
            input: Its input.
            ok_codes: The exit codes that mean success.
            passed: Descriptors that it inherits; on this machine only.

        Raises:
            SearchTimeoutError: the deadline is over; the output until then was yielded.
            SearchError: it failed.
            TerminalEnvironmentError: it cannot be started.
        """
        del passed
        mark = secrets.token_hex(16)
        words = [os.fsdecode(word) for word in argv]
        started = self.environment.start(["sh", "-c", _WRAPPED, "sh", mark, *words], cwd=self.folder)
        with feed_input(started.child, input, lambda: self.environment.signal(started.group, signal.SIGKILL)):
            yield from _without_trailer(read_output(started.child, self.deadline), mark.encode(), ok_codes)


class LocalSearchRoot(SearchRoot):
    """A directory of this machine, held open so that replacing it has no effect."""

    def __init__(self, environment: Environment, folder: str, deadline: float, handle: int) -> None:
        super().__init__(environment, folder, deadline)
        self.handle = handle

    def run(
        self,
        argv: Sequence[str | bytes],
        *,
        input: bytes = b"",
        ok_codes: Sequence[int] = (0,),
        passed: Sequence[int] = (),
    ) -> Iterator[bytes]:
        """Run a program and yield its output in pieces; see `SearchRoot.run`."""
        with tempfile.TemporaryFile() as words:
            child = self._start(argv, words, passed)
            with feed_input(child, input, lambda: _kill(child.pid)):
                yield from read_output(child, self.deadline)
                try:
                    status = child.wait(max(0.0, self.deadline - time.monotonic()))
                except subprocess.TimeoutExpired:
                    raise SearchTimeoutError from None
            words.seek(0)
            _check_status(status, words.read(_MAX_WORDS), ok_codes)

    def _start(self, argv: Sequence[str | bytes], words: IO[bytes], passed: Sequence[int]) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(  # noqa: S603 - a known program
                argv,
                cwd=f"/proc/{os.getpid()}/fd/{self.handle}" if os.path.isdir("/proc/self/fd") else self.folder,
                env=command_variables(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=words,
                start_new_session=True,
                pass_fds=passed,
                bufsize=0,
            )
        except (OSError, ValueError) as error:
            raise TerminalEnvironmentError(f"{os.fsdecode(argv[0])} cannot be started: {error}") from error


@contextlib.contextmanager
def feed_input(child: ChildProcess, input: bytes, kill: Callable[[], None]) -> Iterator[None]:
    """Write the input of a program, and end the program afterwards."""
    writer = _feed(child, input)
    try:
        yield
    finally:
        _end(child, kill)
        if writer is not None:
            writer.join(_END_SECONDS)


def read_output(child: ChildProcess, deadline: float) -> Iterator[bytes]:
    out = child.stdout
    assert out is not None
    handle = out.fileno()
    os.set_blocking(handle, False)
    with contextlib.suppress(OSError, AttributeError):  # not a pipe, above the user's limit, or not on Linux
        fcntl.fcntl(handle, fcntl.F_SETPIPE_SZ, _PIPE_SIZE)  # its writer does not block during pauses
    closed = select.poll()
    closed.register(handle, 0)  # reports closing only
    pause = 0.0
    while True:
        left = deadline - time.monotonic()
        if left <= 0:
            raise SearchTimeoutError
        # Engines write a few bytes at a time: reading each of them at once would slow them down.
        closed.poll(min(left, pause) * 1000)
        pieces = list(_available(handle))
        yield from filter(None, pieces)
        if pieces and not pieces[-1]:
            return
        pause = 0.0 if sum(map(len, pieces)) > _MUCH else min(_PAUSE_SECONDS, pause + 0.001)


def _available(handle: int) -> Iterator[bytes]:
    """Yield what can be read without blocking; an empty piece at the end."""
    for _ in range(_PIECES):
        try:
            piece = os.read(handle, _CHUNK)
        except BlockingIOError:
            return
        yield piece
        if not piece:
            return


def _feed(child: ChildProcess, input: bytes) -> threading.Thread | None:
    """Write the input of a program; return the writing thread when there is more than a pipe is sure to hold.

    Programs print before they have read everything: writing first and reading later could deadlock.
    """
    if len(input) <= select.PIPE_BUF:
        _write(child, input)
        return None
    writer = threading.Thread(target=_write, args=(child, input), name="hermes-search-input", daemon=True)
    writer.start()
    return writer


def _write(child: ChildProcess, input: bytes) -> None:
    assert child.stdin is not None
    view = memoryview(input)
    with contextlib.suppress(OSError, ValueError):  # it has ended
        while view:
            view = view[child.stdin.write(view) :]
    with contextlib.suppress(OSError, ValueError):
        child.stdin.close()


def _end(child: ChildProcess, kill: Callable[[], None]) -> None:
    """End a program that still runs, and close its output."""
    if child.poll() is None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(0.05)  # it has closed its output, so it is about to end
    if child.poll() is None:
        kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(_END_SECONDS / 5)
        if child.poll() is None:
            child.kill()
            child.wait(_END_SECONDS)
    if child.stdout is not None:
        with contextlib.suppress(OSError):
            child.stdout.close()


def _kill(group: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def _without_trailer(pieces: Iterator[bytes], mark: bytes, ok_codes: Sequence[int]) -> Iterator[bytes]:
    marker = b"\x1e" + mark + b" "
    held = b""
    for piece in pieces:
        held += piece
        at = held.find(marker)
        if at >= 0:
            yield held[:at]
            trailer = held[at + len(marker) :] + b"".join(pieces)
            status, _, words = trailer.partition(b" ")
            _check_status(int(status), words, ok_codes)
            return
        keep = len(marker) - 1
        if len(held) > keep:
            yield held[:-keep]
            held = held[-keep:]
    raise TerminalEnvironmentError(f"The search was interrupted: {held.decode(errors='replace')[-300:]}", gone=True)


def _check_status(status: int, words: bytes, ok_codes: Sequence[int]) -> None:
    output = words.decode(errors="replace").strip()
    if status not in ok_codes and (output or status != 2):  # ripgrep also ends with 2 for an unreadable directory
        raise SearchError(output or f"The program ended with {status}.")


_STAT = 'command -v stat >/dev/null && xargs -0 stat -c "%Y %n" -- 2>/dev/null; :'
_SECONDS = re.compile(rb"(-?\d+) ")


def modification_times(root: SearchRoot, paths: Sequence[bytes]) -> list[int]:
    """Return when files were modified, in nanoseconds; 0 where that is unknown."""
    if isinstance(root, LocalSearchRoot):
        return [_modification_time(root.handle, path) for path in paths]
    if not paths:
        return []
    asked = b"".join(b"./" + path + b"\0" for path in paths)
    return _parse_times(b"".join(root.run(["sh", "-c", _STAT], input=asked)), paths)


def _modification_time(folder: int, path: bytes) -> int:
    try:
        return os.stat(path, dir_fd=folder, follow_symlinks=False).st_mtime_ns
    except OSError:
        return 0


def _parse_times(output: bytes, paths: Sequence[bytes]) -> list[int]:
    """Parse times and names, in the order of the paths. Missing files have no line; names may contain line feeds."""
    found = []
    at = 0
    for path in paths:
        seconds = _SECONDS.match(output, at)
        line = b"./" + path + b"\n"
        if seconds is not None and output.startswith(line, seconds.end()):
            found.append(int(seconds[1]) * 1_000_000_000)
            at = seconds.end() + len(line)
        else:
            found.append(0)
    return found
