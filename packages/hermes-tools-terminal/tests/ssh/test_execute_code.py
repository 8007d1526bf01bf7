"""Scripts on another machine: files carry their calls, and everything else is as on this one."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

from hermes_tools_terminal.environments.local_processes import all_processes

Make = Callable[..., Any]


@pytest.fixture
def me(sshd: Any, agent: Make) -> Callable[..., Any]:
    """Makes agents whose commands run on the server."""

    def make(**code: Any) -> Any:
        return agent(terminal={"env": "ssh", "ssh": sshd.settings()}, code_execution=code)

    return make


def run(agent: Any, code: str) -> dict[str, Any]:
    """What became of a script."""
    found = agent.call("execute_code", {"code": code})
    assert isinstance(found, dict)
    return found


def until(true: Callable[[], bool]) -> bool:
    for _ in range(2000):
        if true():
            return True
        threading.Event().wait(0.01)
    return False


def running(mark: bytes) -> list[int]:
    """The processes whose command line holds a word."""
    found = []
    for process in all_processes():
        try:
            line = Path(f"/proc/{process.pid}/cmdline").read_bytes()
        except OSError:
            continue
        if mark in line:
            found.append(process.pid)
    return found


def test_a_script_runs_there_and_calls_tools_there(me: Make, sshd: Any) -> None:
    agent = me()
    code = (
        "import getpass, os\nfrom hermes_tools import terminal\n"
        "print(getpass.getuser(), terminal('id -un')['output'])\n"
        "print(oct(os.stat(os.path.dirname(__file__)).st_mode & 0o777), os.getcwd() == os.path.expanduser('~'))\n"
    )
    found = run(agent, code)
    assert found["status"] == "success", found
    assert found["output"] == f"{sshd.user} {sshd.user}\n\n0o700 True\n"
    assert (
        "hermes-"
        not in agent.run("ls -a ${TMPDIR:-/tmp} | grep '^hermes-........$' | xargs -I{} find /tmp/{} -user $(id -un)")[
            "output"
        ]
    )


def test_an_error_is_told_with_the_lines_of_the_script(me: Make) -> None:
    found = run(me(), "import sys\nprint('out')\nraise ValueError('no')  # here")
    assert (found["status"], found["output"], found["exit_code"]) == ("error", "out\n", 1)
    assert 'File "script.py", line 3' in found["error"]
    assert "raise ValueError('no')  # here" in found["error"]


def test_it_ends_in_time(me: Make) -> None:
    code = (
        "import subprocess, time\nprint('begun')\nsubprocess.Popen(['sleep', '4322'], start_new_session=True)\n"
        "time.sleep(600)"
    )
    found = run(me(timeout=2), code)
    assert (found["status"], found["output"]) == ("timeout", "begun\n")
    assert until(lambda: not running(b"sleep\x004322"))


def test_a_cancelled_call_ends_its_script(me: Make) -> None:
    agent = me()

    async def call() -> None:
        async with anyio.create_task_group() as tasks:
            code = "import subprocess\nsubprocess.run(['sleep', '4323'])"
            tasks.start_soon(agent.hermes.acall, "execute_code", {"code": code})
            with anyio.fail_after(30):
                while not running(b"sleep\x004323"):
                    await anyio.sleep(0.02)
            tasks.cancel_scope.cancel()

    anyio.run(call)
    assert until(lambda: not running(b"sleep\x004323"))


def test_a_connection_that_breaks_is_told_and_the_script_ends(own_sshd: Make, agent: Make) -> None:
    server = own_sshd()
    me = agent(terminal={"env": "ssh", "ssh": server.settings()})
    me.run("true")
    told: list[dict[str, Any]] = []
    code = "import subprocess\nsubprocess.run(['sleep', '4324'])"
    thread = threading.Thread(target=lambda: told.append(run(me, code)))
    thread.start()
    try:
        assert until(lambda: bool(running(b"sleep\x004324")))
        server.kill()
        thread.join(40)
    finally:
        thread.join(1)
    assert told[0]["status"] == "error"
    assert "ssh environment was lost" in told[0]["error"]
    assert until(lambda: not running(b"sleep\x004324"))
