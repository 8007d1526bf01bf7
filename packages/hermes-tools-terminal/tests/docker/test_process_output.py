"""What the engine puts around a process's output is taken off, however the stream is cut."""

from __future__ import annotations

import os
import select
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hermes_tools_terminal.environments.docker.api import (
    KILLED,
    LOST,
    AttachedProcess,
    EngineApi,
    EngineApiError,
    ProcessOutput,
)

pieces = st.lists(st.tuples(st.sampled_from([0, 1, 2]), st.binary(max_size=300)), max_size=8)


def framed(parts: list[tuple[int, bytes]]) -> bytes:
    """What an engine would send."""
    return b"".join(bytes([kind, 0, 0, 0]) + len(data).to_bytes(4, "big") + data for kind, data in parts)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(pieces, st.lists(st.integers(1, 400), min_size=1, max_size=20), st.integers(1, 600))
def test_any_split_of_any_frames_gives_what_was_printed(
    parts: list[tuple[int, bytes]], cuts: list[int], room: int
) -> None:
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    out, data, read = ProcessOutput(ours), framed(parts), b""
    with theirs:
        at = 0
        while at < len(data):
            size = cuts[at % len(cuts)]
            theirs.sendall(data[at : at + size])
            at += size
            while (part := out.read(room)) is not None:
                assert part
                read += part
    assert out.read(room) == b""
    out.close()
    assert read == b"".join(data for _, data in parts)


def test_what_are_no_frames_is_an_error() -> None:
    ours, theirs = socket.socketpair()
    out = ProcessOutput(ours)
    theirs.sendall(b"no frames at all")
    with pytest.raises(OSError, match="rotocol"):
        out.read(100)
    out.close()
    theirs.close()


class Engine:
    """A socket that answers as an engine would, with what a test wants."""

    def __init__(self, path: Path, *answers: bytes) -> None:
        self.path = str(path)
        self.asked: list[bytes] = []
        self._answers = answers
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(self.path)
        self._listener.listen()
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        for answer in self._answers:
            line, _ = self._listener.accept()
            with line:
                self.asked.append(line.recv(65_536))
                line.sendall(answer)

    def close(self) -> None:
        """Stop listening."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._listener.close()


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder whose sockets have short names."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix="hw", dir="/tmp") as name:
        yield Path(name)


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"HTTP/1.0 404 Not Found\r\n\r\n{}",
        b"HTTP/1.0 201 Created\r\n\r\n[]",
        b"HTTP/1.0 201 Created\r\n\r\nno json",
        b"garbage\r\n\r\n",
        b"x" * 100_000,
    ],
)
def test_an_engine_that_says_something_else_is_told_from_one_that_answers(folder: Path, answer: bytes) -> None:
    engine = Engine(folder / "s", answer)
    with pytest.raises(EngineApiError):
        EngineApi(engine.path).prepare("box", ["sh"], [])
    engine.close()
    assert engine.asked[0].startswith(b"POST /containers/box/exec HTTP/1.0\r\n")


def test_a_connection_that_is_not_granted_is_closed(folder: Path) -> None:
    engine = Engine(folder / "s", b"HTTP/1.1 409 Conflict\r\n\r\n")
    with pytest.raises(EngineApiError, match="409"):
        EngineApi(engine.path).attach("process")
    engine.close()
    with pytest.raises(OSError, match="No such file"):
        EngineApi(str(folder / "none")).attach("process")


def test_a_process_whose_engine_is_gone_is_lost(folder: Path) -> None:
    ours, theirs = socket.socketpair()
    child = AttachedProcess(EngineApi(str(folder / "none")), "process", ours)
    assert child.poll() is None
    with pytest.raises(subprocess.TimeoutExpired):
        child.wait(0.01)
    theirs.sendall(framed([(1, b"last words")]))
    theirs.close()
    assert child.wait(5) == LOST == child.poll()
    assert child.stdin is not None
    assert child.stdout is not None
    assert child.stdout.read(100) == b"last words"
    child.stdin.close()
    child.stdout.close()


def test_a_process_that_is_let_go_of_is_over_for_us() -> None:
    ours, theirs = socket.socketpair()
    child = AttachedProcess(EngineApi("/none"), "process", ours)
    child.kill()
    assert (child.wait(5), child.poll()) == (KILLED, KILLED)
    assert theirs.recv(10) == b""
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdin.close()
    child.stdout.close()
    theirs.close()


def test_its_input_ends_when_it_is_closed_and_its_output_goes_on() -> None:
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    child = AttachedProcess(EngineApi("/none"), "process", ours)
    assert child.stdin is not None
    assert child.stdout is not None
    assert child.stdin.write(b"a line\n") == 7
    child.stdin.close()
    assert theirs.recv(100) == b"a line\n"
    assert theirs.recv(100) == b""
    theirs.sendall(framed([(1, b"answer")]))
    assert select.select([child.stdout], [], [], 5)[0]
    assert child.stdout.read(100) == b"answer"
    child.stdout.close()
    theirs.close()
    with pytest.raises(OSError, match=r"."):
        os.fstat(child.stdout.fileno())
