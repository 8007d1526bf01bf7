"""Answers from an earlier request, from tools or of no sense do not count, and garbage harms nobody."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from hermes_approval.channels.answer import Answer
from hermes_approval.channels.mailbox import Mailbox
from hermes_approval.channels.mailbox_messages import Ticket
from hermes_approval.channels.mailbox_sockets import deliver
from hermes_core.findings import ApprovalRequest

if TYPE_CHECKING:
    Asking = Callable[..., ApprovalRequest]

PATIENCE = 60.0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "home" / "approvals"


def put(folder: Path, name: str, value: Any, mode: int = 0o600) -> Path:
    path = folder / name
    path.unlink(missing_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
    path.chmod(mode)
    return path


def reply(posted: Ticket, **other: Any) -> dict[str, Any]:
    right = {"id": posted.id, "token": posted.token, "digest": posted.digest}
    return {**right, "choice": "always", "by": "eve", "reason": "", **other}


def send(folder: Path, posted: Ticket, value: dict[str, Any]) -> bool:
    return deliver(folder / f"{posted.name}.answer", value, to=os.getpid(), seconds=0)


SENDER = """
import json, sys
from pathlib import Path
from hermes_approval.channels.mailbox_sockets import deliver
try:
    print(deliver(Path(sys.argv[1]), json.loads(sys.argv[2]), to=int(sys.argv[3]), seconds=60))
except PermissionError:
    print("refused")
"""


def send_elsewhere(folder: Path, posted: Ticket, wrapper: Sequence[str] = (), **environ: str) -> subprocess.Popen[str]:
    """Send a right answer from another process."""
    path = str(folder / f"{posted.name}.answer")
    argv = [*wrapper, sys.executable, "-c", SENDER, path, json.dumps(reply(posted)), str(os.getpid())]
    return subprocess.Popen(argv, env={**os.environ, **environ}, stdout=subprocess.PIPE, text=True)


def test_an_answer_from_an_earlier_request_does_not_count(folder: Path, asking: Asking) -> None:
    mailbox = Mailbox(folder)
    first = mailbox.post(asking("a"))
    mailbox.answer("a", "always", "ann")
    assert mailbox.wait(first) is not None
    second = mailbox.post(asking("a"))
    assert send(folder, second, reply(first))
    assert mailbox.collect(second) is None
    assert mailbox.answer("a", "deny", "ann") == 1  # what did not count is not in the way
    assert mailbox.collect(second) == Answer(choice="deny", by="ann")


def test_an_answer_counts_only_from_a_process_that_no_tool_started(folder: Path, asking: Asking, home: Path) -> None:
    mailbox = Mailbox(folder)
    posted = mailbox.post(asking("a"), seconds=PATIENCE)
    marked = {"HERMES_TOOL_SESSION": str(home)}
    shell = ("sh", "-c", 'env -u HERMES_TOOL_SESSION "$@"; true', "sh")
    limited = ("prlimit", "--rttime=2305843009213693999", "--")
    lowered = ("prlimit", "--rttime=0", "--rss=0", "--locks=0", "--")  # from higher ones, which it cannot restore
    for wrapper, environ in (((), marked), (shell, marked), (limited, {}), (lowered, {})):
        with send_elsewhere(folder, posted, wrapper, **environ) as sender:
            while sender.poll() is None:
                assert mailbox.collect(posted) is None, (wrapper, environ)
                time.sleep(0.01)
            assert sender.communicate()[0] == "refused\n"
        assert mailbox.collect(posted) is None
    with send_elsewhere(folder, posted) as sender:
        assert mailbox.wait(posted, seconds=PATIENCE) == Answer(choice="always", by="eve")
        assert sender.communicate(timeout=PATIENCE)[0] == "True\n"


HIDING = """
import os, resource, socket, sys, time
from pathlib import Path
from hermes_approval.channels.mailbox_sockets import AnswerSocket
from hermes_core.config.tool_session import ToolSession

os.chown(sys.argv[1], 65534, 65534)
os.setgroups([]), os.setgid(65534), os.setuid(65534)
path = Path(sys.argv[1], "x.answer")
listener = AnswerSocket(path)
ready, hidden = os.pipe()
if (child := os.fork()) == 0:
    for number, value in {**ToolSession("/home").limits, resource.RLIMIT_RTTIME: 1 << 61}.items():
        resource.setrlimit(number, (value, value))
    client = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    client.connect(str(path))
    if os.fork() == 0:
        os.close(hidden)
        os.read(ready, 1)  # until the parent runs another program, which closes its end
        client.send(b'{"answer": 1}')
        print(client.recv(20).decode(), flush=True)
        os.kill(os.getppid(), 9)
        os._exit(0)
    silence = os.pipe()
    for descriptor in (client.fileno(), silence[1]):
        os.set_inheritable(descriptor, True)
    os.dup2(silence[0], 0)
    os.execv(sys.argv[2], [sys.argv[2], "root"])  # waits for a password
os.close(hidden)
taken = None
while not taken and os.waitpid(child, os.WNOHANG)[0] == 0:
    taken = listener.take(lambda value: value)
    time.sleep(0.01)
print(taken)
"""


def test_a_process_cannot_hide_behind_a_program_of_another_user(tmp_path: Path) -> None:
    su = shutil.which("su")
    if os.geteuid() != 0 or su is None:
        pytest.skip("only root can become another user, and that one needs a program of root")
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:  # the other user must reach it
        argv = [sys.executable, "-c", HIDING, folder, su]
        done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=60)
    assert (done.stdout, done.stderr.replace("Password: ", "")) == ("refused\nNone\n", "")


def test_an_answer_is_for_the_request_that_was_shown(folder: Path, asking: Asking) -> None:
    mailbox = Mailbox(folder)
    posted = mailbox.post(asking("a"))
    place = folder / f"{posted.name}.request"
    true = json.loads(place.read_text("utf-8"))
    put(folder, place.name, {**true, "request": {**true["request"], "args": {"command": "ls"}}})
    (shown,) = mailbox.pending()
    put(folder, place.name, true)
    assert shown.request.args == {"command": "ls"}
    assert mailbox.reply(shown, Answer(choice="always", by="ann"))
    assert mailbox.collect(posted) is None
    assert mailbox.answer("a", "deny", "ann") == 1
    assert mailbox.collect(posted) == Answer(choice="deny", by="ann")


def test_a_process_that_a_tool_started_cannot_answer_with_the_command(folder: Path, asking: Asking, home: Path) -> None:
    mailbox = Mailbox(folder)
    mailbox.post(asking("a"))
    environ = {**os.environ, "HERMES_HOME": str(folder.parent), "HERMES_TOOL_SESSION": str(folder.parent)}
    argv = [sys.executable, "-m", "hermes_core", "approvals", "approve", "next", "--yes"]
    done = subprocess.run(argv, env=environ, capture_output=True, text=True, check=False)
    assert (done.returncode, len(mailbox.pending())) == (2, 1)
    assert "a tool started" in done.stderr


@pytest.mark.parametrize(
    "other",
    [
        {"token": "0" * 32},
        {"token": ""},
        {"token": None},
        {"token": "日本"},
        {"id": "b"},
        {"choice": "yes"},
        {"choice": ["once"]},
        {"by": 3},
        {"digest": "0"},
        {"digest": None},
    ],
)
def test_an_answer_that_is_not_right_in_every_part_does_not_count(
    folder: Path, asking: Asking, other: dict[str, Any]
) -> None:
    mailbox = Mailbox(folder)
    posted = mailbox.post(asking("a"))
    assert send(folder, posted, reply(posted, **other))
    assert mailbox.collect(posted) is None
    assert send(folder, posted, reply(posted))
    assert mailbox.collect(posted) is not None


def test_a_file_in_the_place_of_the_socket_is_no_answer(folder: Path, asking: Asking, tmp_path: Path) -> None:
    mailbox = Mailbox(folder)
    posted = mailbox.post(asking("a"))
    place = put(folder, f"{posted.name}.answer", reply(posted))
    assert mailbox.collect(posted) is None
    place.unlink()
    place.symlink_to(put(tmp_path, "answer", reply(posted)))
    assert mailbox.collect(posted) is None
    assert mailbox.answer("a", "deny", "ann") == 1
    assert mailbox.collect(posted) == Answer(choice="deny", by="ann")


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_request_that_others_may_write_is_refused(folder: Path, asking: Asking, mode: int) -> None:
    mailbox = Mailbox(folder)
    posted = mailbox.post(asking("a"))
    (folder / f"{posted.name}.request").chmod(mode)
    assert mailbox.pending() == []


def test_a_request_of_another_user_is_refused(folder: Path, asking: Asking) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    mailbox = Mailbox(folder)
    posted = mailbox.post(asking("a"))
    os.chown(folder / f"{posted.name}.request", 65534, 65534)
    assert mailbox.pending() == []
    os.chown(folder, 65534, 65534)
    with pytest.raises(PermissionError):
        mailbox.post(asking("b"))


def test_a_folder_that_others_may_write_to_is_not_used(folder: Path, asking: Asking) -> None:
    mailbox = Mailbox(folder)
    posted = mailbox.post(asking("a"))
    assert send(folder, posted, reply(posted))
    folder.chmod(0o777)
    with pytest.raises(PermissionError, match="chmod 700"):
        mailbox.post(asking("b"))
    assert mailbox.pending() == []
    assert mailbox.collect(posted) is None


def test_garbage_harms_nobody(folder: Path, asking: Asking) -> None:
    mailbox = Mailbox(folder)
    posted = mailbox.post(asking("a"))
    good = json.loads((folder / f"{posted.name}.request").read_text("utf-8"))
    contents = [b"", b"\xff\xfe", b"null", b"[]", b"{}", b"3", b"[" * 100_000, b'{"request": 3}', b"NaN"]
    for key in good:
        others: list[Any] = [None, 3, [], {}, "x", 1e400]
        for value in others:
            contents.append(json.dumps({**good, key: value}).encode())
    for key in good["request"]:
        contents.append(json.dumps({**good, "request": {**good["request"], key: 7}}).encode())
    broken = [good["request"]["findings"][0] | {"severity": "fatal"}]
    contents.append(json.dumps({**good, "request": {**good["request"], "findings": broken}}).encode())
    for number, content in enumerate(contents):
        for suffix in ("request", "answer", "txt"):
            (folder / f"{number}.{suffix}").write_bytes(content)
            (folder / f"{number}.{suffix}").chmod(0o600)
    (folder / "folder.request").mkdir()
    (folder / "folder.answer").mkdir()
    os.mkfifo(folder / "pipe.request")
    (folder / f"{posted.name}.answer").unlink()
    os.mkfifo(folder / f"{posted.name}.answer")
    (folder / "loop.request").symlink_to("loop.request")
    assert mailbox.collect(posted) is None
    mailbox.sweep()
    assert posted in [letter.ticket for letter in mailbox.pending()]
    assert mailbox.answer(posted.key, "once", "ann") == 1
    assert mailbox.wait(posted, seconds=PATIENCE) == Answer(choice="once", by="ann")
