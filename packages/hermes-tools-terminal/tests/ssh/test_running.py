"""What runs on another machine: its arguments, its variables, its input, its end."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hermes_tools_terminal.environments.base import StartedProcess
from hermes_tools_terminal.environments.local_processes import find_process
from hermes_tools_terminal.environments.ssh.environment import SshEnvironment

Places = Callable[..., SshEnvironment]
LIMIT_SECONDS = 10.0
STRANGE = [
    "plain",
    "two words",
    "it's",
    'a "b"',
    "$HOME `id`",
    "back\\slash\\\\",
    "!history !!",
    "a\nb\n",
    "*?[]{}~",
    "ü€",
    "",
    "%s\x01\t",
]


def ended(started: StartedProcess, said: bytes = b"") -> tuple[int, bytes]:
    child = started.child
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdin.write(said)
    child.stdin.close()
    printed = bytearray()
    try:
        while piece := os.read(child.stdout.fileno(), 1 << 16):
            printed += piece
    except OSError:  # a terminal whose other side is closed
        pass
    child.stdout.close()
    return child.wait(LIMIT_SECONDS), bytes(printed)


def gone(pid: int) -> bool:
    deadline = time.monotonic() + LIMIT_SECONDS
    while find_process(pid) is not None:
        if time.monotonic() > deadline:
            return False
    return True


def test_arguments_arrive_as_they_are(sshd: Any, place: Places) -> None:
    status, printed = ended(place(sshd).start(["printf", "<%s>\\0", *STRANGE]))
    assert status == 0
    assert printed.decode() == "".join(f"<{word}>\0" for word in STRANGE)


def test_variables_arrive_as_they_are_and_are_in_no_argument(sshd: Any, place: Places) -> None:
    opened = place(sshd)
    env = {f"V{number}": word for number, word in enumerate(STRANGE)} | {"LONG": "ü" * 5000}
    assert "history" not in "".join(opened.client(["x"], cwd=None, env=env, pty=False))
    for pty in (False, True):
        status, printed = ended(
            opened.start(
                ["sh", "-c", 'stty -opost 2>/dev/null; printf "<%s>" "$V1" "$V6" "$V7" "$LONG"'], env=env, pty=pty
            )
        )
        assert status == 0
        assert printed.decode() == "<two words><!history !!><a\nb\n><" + "ü" * 5000 + ">"


def test_declared_variables_are_passed(sshd: Any, place: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WANTED", "this one")
    monkeypatch.setenv("OPENAI_API_KEY", "not this one")
    opened = place(sshd, terminal={"env_passthrough": ["WANTED", "OPENAI_API_KEY"]})
    assert ended(opened.start(["sh", "-c", 'echo "$WANTED ${OPENAI_API_KEY-}"']))[1] == b"this one \n"


def test_input_and_exit_codes_come_through(sshd: Any, place: Places) -> None:
    data = os.urandom(300_000)
    assert ended(place(sshd).start(["cat"], cwd="/"), data) == (0, data)
    assert ended(place(sshd).start(["sh", "-c", "echo oops >&2; exit 7"])) == (7, b"oops\n")


def test_a_folder_that_is_gone_is_left_for_the_one_above(sshd: Any, place: Places) -> None:
    opened = place(sshd)
    assert ended(opened.start(["pwd"], cwd="/usr/nowhere/deep"))[1] == b"/usr\n"
    assert ended(opened.start(["pwd"], cwd="nowhere"))[1].decode().strip() == opened.folder
    assert ended(opened.start(["pwd"], cwd="~/nowhere"))[1].decode().strip() == opened.folder


def test_a_terminal_is_one(sshd: Any, place: Places) -> None:
    started = place(sshd).start(["sh", "-c", "tty; stty size; read line; echo got $line; exit 3"], pty=True)
    assert started.child.stdin is not None
    assert started.child.stdout is not None
    started.child.stdin.write(b"~.~?\n")  # would be for ssh itself, if it listened
    printed = b""
    while b"got ~.~?" not in printed:
        printed += os.read(started.child.stdout.fileno(), 4096)
    assert b"/dev/pts/" in printed
    assert b"30 120" in printed
    assert started.child.wait(LIMIT_SECONDS) == 3
    started.child.stdin.close()
    started.child.stdout.close()


@pytest.mark.parametrize("pty", [False, True])
def test_a_signal_reaches_the_whole_group(sshd: Any, place: Places, pty: bool) -> None:
    opened = place(sshd)
    started = opened.start(["sh", "-c", "sleep 300 & echo $!; wait"], pty=pty)
    assert started.child.stdout is not None
    child = int(os.read(started.child.stdout.fileno(), 100))
    assert find_process(child) is not None  # it is this machine, after all
    opened.signal(started.group, signal.SIGTERM)
    assert gone(child)
    assert gone(started.group)
    ended(started)


def test_a_signal_can_spare_the_leader(sshd: Any, place: Places) -> None:
    opened = place(sshd)
    started = opened.start(["bash", "-c", "setsid sleep 300 & sleep 301; echo spared; exec sleep 302"])
    assert started.child.stdout is not None
    opened.signal(started.group, signal.SIGKILL, spare_leader=True)
    deadline = time.monotonic() + LIMIT_SECONDS
    printed = b""
    while b"spared" not in printed and time.monotonic() < deadline:
        printed += os.read(started.child.stdout.fileno(), 4096)
    assert find_process(started.group) is not None
    opened.signal(started.group, signal.SIGKILL)
    assert ended(started)[0] != 0


def test_what_start_up_files_print_is_not_output(sshd: Any, place: Places) -> None:
    if os.geteuid():
        pytest.skip("The user who runs the tests keeps their .bashrc; only root can add another user.")
    start_up = Path(os.path.expanduser(f"~{sshd.user}")) / ".bashrc"
    before = start_up.read_bytes()
    start_up.write_bytes(b"echo hello from bashrc; echo trouble >&2\n" + before)
    try:
        opened = place(sshd)
        assert opened.folder == os.path.expanduser(f"~{sshd.user}")
        assert opened.run("echo clean") == b"clean\n"
        # What was printed as an error travels apart from the rest, so it may come after the process has begun.
        printed = ended(opened.start(["echo", "clean"]))[1]
        assert printed.replace(b"trouble\n", b"") == b"clean\n"
    finally:
        start_up.write_bytes(before)


@pytest.mark.parametrize(("shell", "package"), [("fish", "fish"), ("tcsh", "tcsh"), ("zsh", "zsh"), ("dash", "dash")])
def test_any_login_shell_will_do(sshd: Any, place: Places, shell: str, package: str) -> None:
    if os.geteuid():
        pytest.skip("Only root can give a user another shell.")
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"There is no {shell}: install {package}.")
    subprocess.run(["usermod", "-s", program, sshd.user], check=True)
    try:
        opened = place(sshd)
        assert opened.shell == "bash"
        assert ended(opened.start(["printf", "<%s>\\0", *STRANGE]))[1].decode() == "".join(
            f"<{word}>\0" for word in STRANGE
        )
        path = f"{opened.folder}/of {shell}!"
        opened.run('cat >"$1"', path, input=b"a\0b")
        assert opened.run('cat "$1"; rm "$1"', path) == b"a\0b"
        started = opened.start(["bash", "--noprofile", "--norc"])
        opened.signal(started.group, signal.SIGKILL)
        assert gone(started.group)
        ended(started)
    finally:
        subprocess.run(["usermod", "-s", "/bin/bash", sshd.user], check=True)


def test_a_machine_without_bash_will_do(own_sshd: Callable[..., Any], place: Places, agent: Callable[..., Any]) -> None:
    with tempfile.TemporaryDirectory() as programs:
        os.chmod(programs, 0o755)
        os.symlink("/bin/dash", f"{programs}/sh")
        for name in ("cat", "sleep", "rm", "mv", "wc", "readlink", "stat", "chmod", "env"):
            os.symlink(str(shutil.which(name)), f"{programs}/{name}")
        server = own_sshd(f"SetEnv PATH={programs}")
        opened = place(server)
        assert opened.shell == "sh"
        opened.run('cat >"$1"', f"{opened.folder}/plain", input=b"text")
        assert opened.run('cat "$1"', f"{opened.folder}/plain") == b"text"
        me = agent(terminal={"env": "ssh", "ssh": server.settings()})
        me.run("cd /usr; export KEPT=1")
        assert me.run("pwd; echo $KEPT; (exit 4)") == {"output": "/usr\n1\n", "exit_code": 4, "error": None}
        assert me.run("sleep 300", timeout=1)["exit_code"] == 124
        assert me.run("echo again")["output"] == "again\n"
