"""Secrets that are replaced and removed while a sandbox is built: it is built all the same."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from hermes_tools_terminal.environments.base import TerminalEnvironmentError
from hermes_tools_terminal.environments.sandbox import environment as sandbox
from hermes_tools_terminal.settings import TerminalSettings

from .conftest import needs

# As programs do that keep passwords and sockets: written beside and renamed, removed, made anew, and so are
# folders. It says when it has begun, and ends with its input.
_RESTLESS = """
import os, select, sys
secret, folder = sys.argv[1:]
print(flush=True)
while not select.select([sys.stdin], [], [], 0)[0]:
    with open(secret + "+", "w") as file:
        file.write("secret")
    os.rename(secret + "+", secret)
    os.makedirs(folder, exist_ok=True)
    os.rename(secret, secret + "-")
    os.rmdir(folder)
    os.rename(secret + "-", secret)
    os.unlink(secret)
"""


@pytest.fixture
def opened(own: Path) -> Iterator[sandbox.SandboxEnvironment]:
    """A sandbox that hides a file and a folder, which come and go all the time from then on."""
    needs("bubblewrap")
    secret, folder = own / "home" / "restless", own / "home" / "restless-folder"
    secret.write_text("secret")
    folder.mkdir()
    hidden = [str(secret), str(folder)]
    settings = TypeAdapter(TerminalSettings).validate_python(
        {"cwd": str(own / "work"), "sandbox": {"engine": "bubblewrap", "hidden": hidden}}
    )
    place = sandbox.make(settings, task="t", home=str(own / "home" / ".hermes"))
    place.open()
    restless = [sys.executable, "-c", _RESTLESS, *hidden]
    with subprocess.Popen(restless, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield place
        process.communicate()
    place.close()


def test_processes_start_while_secrets_come_and_go(opened: sandbox.SandboxEnvironment) -> None:
    for turn in range(25):
        started = opened.start(["sh", "-c", "echo $0", str(turn)])
        assert isinstance(started.child, subprocess.Popen)
        printed, _ = started.child.communicate(timeout=60)
        assert (started.child.returncode, printed) == (0, b"%d\n" % turn)


def test_scripts_run_while_secrets_come_and_go(opened: sandbox.SandboxEnvironment) -> None:
    for turn in range(25):
        assert opened.run("cat; echo $1", str(turn), input=b"in ") == b"in %d\n" % turn


def test_what_a_script_did_is_not_done_again(opened: sandbox.SandboxEnvironment, own: Path) -> None:
    for turn in range(1, 11):
        with pytest.raises(TerminalEnvironmentError, match="failed so"):
            opened.run('echo x >> "$1"; echo failed so >&2; exit 3', str(own / "work/done"))
        assert (own / "work/done").read_text() == "x\n" * turn


def test_a_sandbox_that_cannot_be_built_says_why(opened: sandbox.SandboxEnvironment, own: Path) -> None:
    (own / "work").rename(own / "elsewhere")
    for attempt in (lambda: opened.start(["true"]), lambda: opened.start(["true"], pty=True), lambda: opened.run(":")):
        with pytest.raises(TerminalEnvironmentError, match="work"):
            attempt()
    (own / "elsewhere").rename(own / "work")
    assert opened.run("echo back") == b"back\n"
