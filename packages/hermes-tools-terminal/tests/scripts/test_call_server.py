"""The socket of a script is private, and nothing that comes by it hurts the host."""

from __future__ import annotations

import contextlib
import os
import select
import socket
import stat
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hermes_tools_terminal.environments.base import TerminalEnvironmentError
from hermes_tools_terminal.scripts import call_server as server_module
from hermes_tools_terminal.scripts.call_server import MAX_BYTES, CallServer

Make = Callable[..., Any]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[CallServer]:
    """A server that says what it hears."""
    made = CallServer(lambda data: b"heard " + data[:20], str(tmp_path))
    over = threading.Event()

    def accept() -> None:
        while not over.is_set() and made.fileno() >= 0:
            with contextlib.suppress(ValueError, OSError):  # a test has closed it meanwhile
                if select.select([made], [], [], 0.02)[0]:
                    made.accept()

    accepting = threading.Thread(target=accept)
    accepting.start()
    yield made
    over.set()
    accepting.join()
    made.close()


class Line:
    """A connection as a script could make it."""

    def __init__(self, path: Path) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(20)
        handle = os.open(path, os.O_RDONLY)
        self.socket.connect(f"/proc/self/fd/{handle}/s")
        os.close(handle)

    def say(self, data: bytes) -> None:
        """Send a frame; that nobody takes it is heard."""
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self.socket.sendall(len(data).to_bytes(4, "big") + data)

    def hear(self) -> bytes:
        """All of the next frame; nothing when the line is closed."""
        head = self._exactly(4)
        return self._exactly(int.from_bytes(head, "big"))

    def _exactly(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            try:
                more = self.socket.recv(size - len(data))
            except ConnectionError:
                more = b""
            if not more:
                return b""
            data += more
        return data


@pytest.fixture
def line(server: CallServer, tmp_path: Path) -> Iterator[Callable[..., Line]]:
    """Opens connections."""
    made: list[Line] = []

    def open_one(*, token: bool = True) -> Line:
        made.append(Line(tmp_path))
        if token:
            made[-1].say(server.token.encode())
        return made[-1]

    yield open_one
    for each in made:
        each.socket.close()


def test_who_knows_the_token_is_answered(line: Make) -> None:
    each = line()
    for word in (b"one", b"two", b""):
        each.say(word)
        assert each.hear() == b"heard " + word


@pytest.mark.parametrize("word", [b"", b"x" * 64, b"x" * 10_000, b"{}"])
def test_who_does_not_is_not(line: Make, word: bytes) -> None:
    each = line(token=False)
    each.say(word)
    each.say(b"hello")
    assert each.hear() == b""


def test_the_socket_is_for_its_owner_alone(server: CallServer, tmp_path: Path) -> None:
    assert stat.S_IMODE((tmp_path / "s").stat().st_mode) == 0o600
    assert server.path == str(tmp_path / "s")
    assert len(server.token) == 64


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
def test_another_user_who_knows_the_token_is_not_answered(server: CallServer, tmp_path: Path) -> None:
    (tmp_path / "s").chmod(0o666)
    tmp_path.chmod(0o755)
    pid = os.fork()
    if pid == 0:  # a connection's user is the one who made it
        code = 1
        try:
            os.chdir(tmp_path)
            os.setresuid(61234, 61234, 61234)
            each = socket.socket(socket.AF_UNIX)
            each.settimeout(20)
            each.connect("s")
            data = server.token.encode()
            each.sendall(len(data).to_bytes(4, "big") + data + b"\0\0\0\1x")
            code = 1 if each.recv(100) else 0
        except (BrokenPipeError, ConnectionResetError):
            code = 0
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def test_a_request_in_pieces_is_a_request(line: Make) -> None:
    each = line()
    for byte in b"\0\0\0\5hello":
        each.socket.sendall(bytes([byte]))
    assert each.hear() == b"heard hello"


def test_a_request_that_is_too_long_is_refused_and_the_line_closed(line: Make) -> None:
    each = line()
    each.socket.sendall((MAX_BYTES + 1).to_bytes(4, "big"))
    assert b"16777216 bytes" in each.hear()
    assert each.hear() == b""


def test_garbage_closes_one_line_and_no_other(line: Make) -> None:
    good, bad = line(), line()
    bad.socket.sendall(os.urandom(1000))
    bad.socket.shutdown(socket.SHUT_WR)
    bad.hear()
    good.say(b"still")
    assert good.hear() == b"heard still"


def test_half_a_request_and_silence_hold_up_nobody(line: Make) -> None:
    for _ in range(10):
        line().socket.sendall(b"\0\0\1\0abc")
        line(token=False)
    each = line()
    each.say(b"on")
    assert each.hear() == b"heard on"


def test_long_requests_that_never_end_do_not_fill_the_memory(line: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_module, "_LONG_SECONDS", 0.2)
    heads = {each.socket: each for each in [line() for _ in range(5)]}
    for each in heads:
        each.sendall(MAX_BYTES.to_bytes(4, "big") + b"x")
    refused, _, _ = select.select(list(heads), [], [], 20)  # four of them are within bounds
    assert [b"one after another" in heads[each].hear() for each in refused] == [True]
    ended = line()
    ended.say(b"short")
    assert ended.hear() == b"heard short"


def test_a_long_request_that_takes_too_long_makes_room_for_others(line: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_module, "_BODY_SECONDS", 0.2)
    for _ in range(4):
        line().socket.sendall(MAX_BYTES.to_bytes(4, "big") + b"x")
    each = line()
    each.say(b"y" * (2 << 20))
    assert each.hear().startswith(b"heard yyy")


def test_more_lines_than_there_can_be_are_told(line: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_module, "_MAX_CONNECTIONS", 3)
    for _ in range(3):
        each = line()
        each.say(b"x")
        assert each.hear() == b"heard x"
    assert b"connections already" in line(token=False).hear()


def test_a_closed_server_tells_who_waits(server: CallServer, line: Make) -> None:
    each = line()
    each.say(b"x")
    assert each.hear() == b"heard x"
    server.close()
    assert each.hear() == b""


def test_a_folder_with_a_very_long_name_has_a_socket(tmp_path: Path) -> None:
    folder = tmp_path / ("x" * 120)
    folder.mkdir()
    made = CallServer(bytes, str(folder))
    made.close()
    assert stat.S_ISSOCK((folder / "s").stat().st_mode)
    with pytest.raises(TerminalEnvironmentError):
        CallServer(bytes, str(folder))


HOSTILE = """
import os, sys, socket, hermes_tools
line = hermes_tools._tool.__self__._line
path, token = line._path, line._token
def opened(word=token):
    s = socket.socket(socket.AF_UNIX); s.connect(path); s.sendall(len(word).to_bytes(4, 'big') + word); return s
"""


@pytest.mark.parametrize(
    "code",
    [
        "s = opened(); s.sendall(os.urandom(100_000)); s.close()",
        "s = opened(); s.sendall(b'\\0\\0\\0\\4nope'); print(s.recv(1000))",
        "s = opened(); s.sendall(b'\\0\\0\\0\\2[]'); print(s.recv(1000))",
        "s = opened(); s.sendall((200_000).to_bytes(4, 'big') + b'[' * 200_000); print(s.recv(1000))",
        "s = opened(b'guess'); print(s.recv(10))",
        "[opened() for _ in range(200)]",
        "os.closerange(3, 1000)",
        "os.unlink(path); os.rmdir(os.path.dirname(path)) if len(os.listdir(os.path.dirname(path))) == 0 else None",
        "s = opened(); s.shutdown(socket.SHUT_RDWR); s.close(); os.kill(os.getpid(), 9)",
    ],
)
def test_a_hostile_script_hurts_nobody_but_itself(coder: Make, code: str) -> None:
    me = coder(approvals="off", approver=lambda request: True)
    found = me.run(HOSTILE + code)
    assert found["status"] in ("success", "error")
    assert "'limit': 5" in me.says("from hermes_tools import web_search; print(web_search('x'))")


def test_a_script_that_closed_its_connection_gets_another(coder: Make) -> None:
    code = HOSTILE + "print(hermes_tools.web_search('a'))\nos.closerange(3, 1000)\nprint(hermes_tools.web_search('b'))"
    assert "'query': 'b'" in coder().says(code)
