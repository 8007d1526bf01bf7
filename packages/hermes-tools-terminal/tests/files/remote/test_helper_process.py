"""The helper in the place: it comes back when it dies, ends with its tree, and is not waited for for ever."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from hermes_tools_terminal.environments.base import StartedProcess, TerminalEnvironmentError
from hermes_tools_terminal.environments.local_processes import find_process
from hermes_tools_terminal.files.remote import helper_process
from hermes_tools_terminal.files.remote.filesystem import RemoteFileSystem

from .conftest import NewPlace, NewTree, ShellPlace


class Watched(ShellPlace):
    """A place that remembers what it started, and that can go away."""

    def __init__(self, inner: ShellPlace) -> None:
        self.__dict__.update(inner.__dict__)
        self.started: list[int] = []
        self.gone = False

    def start(
        self, argv: Sequence[str], *, cwd: str | None = None, env: Mapping[str, str] | None = None, pty: bool = False
    ) -> StartedProcess:
        if self.gone:
            raise TerminalEnvironmentError("The container is gone.", gone=True)
        began = super().start(argv, cwd=cwd, env=env, pty=pty)
        self.started.append(began.child.pid)
        return began


@pytest.fixture
def place(new_place: NewPlace) -> Watched:
    """Such a place."""
    return Watched(new_place())


def _until(true: Callable[[], object]) -> None:
    deadline = time.monotonic() + 30
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def test_one_helper_answers_all_that_changes_nothing(place: Watched, new_tree: NewTree, work: Path) -> None:
    (work / "file").write_text("x")
    tree = new_tree(place)
    assert place.started == []
    for _ in range(3):
        tree.read(tree.find("file", base=str(work)))
        tree.names(tree.find(".", base=str(work)))
    assert len(place.started) == 1
    tree.close()
    _until(lambda: find_process(place.started[0]) is None)
    tree.close()
    with pytest.raises(OSError) as caught:
        tree.find("file", base=str(work))
    assert caught.value.errno == errno.EHOSTDOWN


def test_a_helper_that_died_is_started_again(place: Watched, new_tree: NewTree, work: Path) -> None:
    (work / "file").write_text("x")
    tree = new_tree(place)
    found = tree.find("file", base=str(work))
    os.kill(place.started[0], signal.SIGKILL)
    assert tree.read(found) == b"x"
    assert len(place.started) == 2


@pytest.mark.parametrize("shell", ["dash"], indirect=True)
def test_a_place_that_is_gone_is_told(place: Watched, new_tree: NewTree, work: Path) -> None:
    tree = new_tree(place)
    found = tree.find("file", base=str(work))
    os.kill(place.started[0], signal.SIGKILL)
    place.gone = True
    with pytest.raises(OSError, match="container is gone") as caught:
        tree.find("file", base=str(work))
    assert caught.value.errno == errno.EHOSTDOWN
    with pytest.raises(OSError, match="container is gone") as caught:
        tree.replace(found, b"x")
    assert caught.value.errno == errno.EHOSTDOWN


@pytest.mark.parametrize("shell", ["dash"], indirect=True)
def test_a_place_whose_shell_dies_at_once_is_told(place: Watched, new_tree: NewTree) -> None:
    place._before = ["false"]
    with pytest.raises(OSError) as caught:
        new_tree(place).find("/", base="/")
    assert caught.value.errno == errno.EHOSTDOWN


@pytest.mark.parametrize("shell", ["dash", "bash"], indirect=True)  # busybox has them all in itself
def test_a_place_without_the_usual_programs_is_told(place: Watched, new_tree: NewTree) -> None:
    place._variables["PATH"] = "/nowhere"
    with pytest.raises(OSError, match="readlink.*stat") as caught:
        new_tree(place).find("/", base="/")
    assert caught.value.errno == errno.ENOTSUP


@pytest.mark.parametrize("shell", ["dash"], indirect=True)
def test_a_silent_place_is_not_waited_for_for_ever(
    place: Watched, new_tree: NewTree, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (work / "file").write_text("old")
    tree = new_tree(place)
    found = tree.find("file", base=str(work))
    monkeypatch.setattr(helper_process, "SILENCE_SECONDS", 0.3)
    awake = place._before
    tree.close()
    asleep = new_tree(place)
    place._before = ["sh", "-c", "exec sleep 1000"]
    with pytest.raises(TimeoutError, match="work/file"):
        asleep.read(found)
    with pytest.raises(TimeoutError):
        asleep.replace(found, b"x" * 1_000_000)
    place._before = awake
    _until(lambda: all(find_process(pid) is None for pid in place.started))
    assert asleep.read(found) == b"old"


def test_content_that_looks_like_an_answer_is_content(tree: RemoteFileSystem, work: Path) -> None:
    for data in (b"<>[]0\n{}", b"\n", b"{", b"<" * 100 + b"}" * 100, b"[x]70\nchanged{x}"):
        found = tree.replace(tree.find("file", base=str(work)), data)
        assert tree.read(found) == data


def test_content_is_never_taken_for_a_request(tree: RemoteFileSystem, work: Path) -> None:
    """A helper that refuses before it has read all must not go on with what is left."""
    (work / "file").write_text("old")
    found = tree.find("file", base=str(work))
    (work / "file").write_text("changed")
    line = f"touch {work}/hacked\n".encode()
    with pytest.raises(OSError):
        tree.replace(found, b"word\n" + line * 50_000)
    assert os.listdir(work) == ["file"]


@pytest.mark.parametrize("shell", ["dash"], indirect=True)
def test_the_end_does_not_wait_for_a_busy_helper(place: Watched, new_tree: NewTree) -> None:
    tree = new_tree(place)
    tree.find("/", base="/")
    os.kill(place.started[0], signal.SIGSTOP)
    told: list[OSError] = []

    def ask() -> None:
        try:
            tree.find("/", base="/")
        except OSError as error:
            told.append(error)

    asking = threading.Thread(target=ask)
    asking.start()
    _until(tree._asking.locked)
    tree.close()
    asking.join(30)
    assert [error.errno for error in told] == [errno.EHOSTDOWN]
    _until(lambda: find_process(place.started[0]) is None)


def test_nothing_runs_when_the_program_that_used_it_is_killed(tmp_path: Path) -> None:
    code = (
        "import os, signal\n"
        "from hermes_tools_terminal.environments.local import LocalEnvironment\n"
        "from hermes_tools_terminal.files.remote.filesystem import RemoteFileSystem\n"
        f"tree = RemoteFileSystem(LocalEnvironment('/'), 'x', locks={str(tmp_path)!r})\n"
        "tree.find('/', base='/'); print(tree._helper._child.pid, flush=True); os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    pid = int(done.stdout)
    _until(lambda: find_process(pid) is None)
