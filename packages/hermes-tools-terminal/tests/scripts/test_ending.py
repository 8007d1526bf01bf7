"""Scripts end, whatever they do: in time, when they are told to, and with all that they have started."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import anyio
import pytest

from hermes_tools_terminal.environments.local_processes import find_process
from hermes_tools_terminal.session_state import interrupt

Make = Callable[..., Any]
ScriptResult = Callable[[int], None]

LEAVE_A_CHILD = """
import os, subprocess, sys
child = subprocess.Popen([sys.executable, '-S', '-c', 'import time; time.sleep(600)'], start_new_session=True)
print(child.pid, flush=True)
"""
DAEMON = """
import os
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        open('pid', 'w').write(str(os.getpid()))
        import time
        time.sleep(600)
    os._exit(0)
os.wait()
while not os.path.exists('pid') or not open('pid').read(): pass
print(open('pid').read())
"""

# Neither the group nor any variable tells whose it is.
STRANGER = """
import subprocess, sys
code = 'import time; time.sleep(600)'
child = subprocess.Popen([sys.executable, '-I', '-S', '-c', code], start_new_session=True, env={})
print(child.pid, flush=True)
"""


def test_a_script_that_takes_too_long_is_ended_and_what_it_printed_is_told(coder: Make) -> None:
    found = coder(code={"timeout": 0.5}).run("import time; print('begun'); time.sleep(600)")
    assert (found["status"], found["output"]) == ("timeout", "begun\n")
    assert "after 0.5 seconds" in found["error"]


def test_a_script_that_does_not_want_to_end_is_ended(coder: Make, ended: ScriptResult) -> None:
    code = "import os, signal, time\nsignal.signal(15, signal.SIG_IGN)\nprint(os.getpid())\nwhile True: time.sleep(60)"
    found = coder(code={"timeout": 0.5}).run(code)
    assert found["status"] == "timeout"
    ended(int(found["output"]))


@pytest.mark.parametrize("code", [LEAVE_A_CHILD, DAEMON, STRANGER])
def test_what_a_script_has_started_ends_with_it(coder: Make, ended: ScriptResult, code: str) -> None:
    ended(int(coder().says(code)))


def test_what_a_script_has_started_ends_with_it_in_time_too(coder: Make, ended: ScriptResult) -> None:
    found = coder(code={"timeout": 0.5}).run(LEAVE_A_CHILD + "\nimport time; time.sleep(600)")
    assert found["status"] == "timeout"
    ended(int(found["output"]))


def test_a_child_that_holds_the_output_open_does_not_hold_up_the_end(coder: Make, ended: ScriptResult) -> None:
    code = (
        "import os\npid = os.fork()\nif not pid:\n    os.setsid()\n    os.execve('/bin/sleep', ['sleep', '600'], {})\n"
        "while open(f'/proc/{pid}/environ').read(): pass\nprint(pid)"  # nothing tells that it is the script's any more
    )
    pid = int(coder(approver=lambda request: True).says(code))
    os.kill(pid, signal.SIGKILL)
    ended(pid)


def test_a_script_that_forks_without_end_is_ended(coder: Make) -> None:
    code = (
        "import os, time, resource\nprint(os.getpgid(0), flush=True)\n"
        "for _ in range(100):\n    if os.fork() == 0:\n        os.setpgid(0, 0)\n        time.sleep(600)\n"
        "time.sleep(600)\n"
    )
    found = coder(code={"timeout": 0.8}).run(code)
    assert found["status"] == "timeout"
    session = int(found["output"])
    left = [each for each in map(find_process, map(int, filter(str.isdigit, os.listdir("/proc")))) if each]
    assert [each for each in left if each.session == session] == []


@pytest.mark.parametrize(
    ("code", "word"),
    [
        ("import os; os._exit(7)", "exit code 7"),
        ("import os; os.kill(os.getpid(), 9)", "SIGKILL"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "SIGSEGV"),
        ("import os; os.killpg(0, 9)", "SIGKILL"),
    ],
)
def test_a_script_that_dies_is_told_so(coder: Make, code: str, word: str) -> None:
    found = coder(approvals="off", approver=lambda request: True).run(code)
    assert found["status"] == "error"
    assert word in found["error"]


def test_a_flood_is_cut_and_never_held(coder: Make) -> None:
    code = (
        "import sys\nprint('first')\nline = b'x' * 65535 + b'\\n'\n"
        "for _ in range(1600): sys.stdout.buffer.write(line)\nprint('last')"
    )
    before = _memory()
    found = coder().run(code)
    assert found["status"] == "success"
    assert found["output"].startswith("first\n")
    assert found["output"].endswith("last\n")
    assert "TRUNCATED" in found["output"]
    assert len(found["output"]) < 51_000
    assert _memory() - before < 30_000_000


def test_a_flood_of_errors_is_cut_too(coder: Make) -> None:
    found = coder().run(
        "import sys\nfor _ in range(100_000): print('e' * 100, file=sys.stderr)\nsys.exit('the reason')"
    )
    assert found["status"] == "error"
    assert len(found["error"]) < 11_000
    assert found["error"].endswith("the reason")


def _memory() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def test_a_cancelled_call_ends_its_script(coder: Make, tmp_path: Path, ended: ScriptResult) -> None:
    me = coder()
    pid = tmp_path / "project" / "pid"

    async def call() -> None:
        code = "import os, time\nopen('new', 'w').write(str(os.getpid())); os.rename('new', 'pid')\ntime.sleep(600)"
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(me.hermes.acall, "execute_code", {"code": code})
            with anyio.fail_after(20):
                while not pid.exists():
                    await anyio.sleep(0.01)
            tasks.cancel_scope.cancel()

    anyio.run(call)
    ended(int(pid.read_text()))


def test_an_interrupt_ends_a_script_and_says_so(coder: Make, tmp_path: Path, until: Make, ended: ScriptResult) -> None:
    pid = tmp_path / "project" / "pid"
    with coder().hermes.session() as session, ThreadPoolExecutor(1) as pool:
        code = (
            "import os, time\nprint('begun')\nopen('new', 'w').write(str(os.getpid())); os.rename('new', 'pid')\n"
            "time.sleep(600)"
        )
        call = pool.submit(session.call, "execute_code", {"code": code})
        until(pid.exists)
        assert interrupt(session)
        found = json.loads(call.result(20))
    assert (found["status"], found["output"]) == ("interrupted", "begun\n")
    ended(int(pid.read_text()))
    assert not interrupt(session)


def test_the_end_of_a_session_ends_its_scripts(coder: Make, tmp_path: Path, until: Make, ended: ScriptResult) -> None:
    pid = tmp_path / "project" / "pid"
    session = coder().hermes.session()
    code = "import os, time\nopen('new', 'w').write(str(os.getpid())); os.rename('new', 'pid')\ntime.sleep(600)"
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(session.call, "execute_code", {"code": code})
        until(pid.exists)
        session.close()
        ended(int(pid.read_text()))
        assert json.loads(call.result(20))["status"] in ("interrupted", "error")


def test_a_call_that_still_runs_when_the_script_ends_is_told(coder: Make, until: Make) -> None:
    code = (
        "import threading, os\nfrom hermes_tools import terminal\n"
        "threading.Thread(target=terminal, args=('touch begun; sleep 600',), daemon=True).start()\n"
        "while not os.path.exists('begun'): pass\n"
    )
    began = time.monotonic()
    found = coder().run(code)
    assert found["status"] == "success"
    assert found["tool_calls_made"] == 1
    assert time.monotonic() - began < 60


HOST = """
import hermes_tools_terminal.tools.execute_code as tool, sys
from hermes_core import Hermes
hermes = Hermes(tools=[tool.execute_code], config={"terminal": {"cwd": sys.argv[1]}})
hermes.call("execute_code", {"code": '''
import os, time
for _ in range(2):
    if os.fork() == 0: break
open('new%d' % os.getpid(), 'w').write(str(os.getpid())); os.rename('new%d' % os.getpid(), 'pid%d' % os.getpid())
while True: time.sleep(60)
'''})
"""


def test_a_script_does_not_outlive_a_host_that_is_killed(tmp_path: Path, until: Make, ended: ScriptResult) -> None:
    (tmp_path / "host.py").write_text(HOST)
    folder = tmp_path / "work"
    folder.mkdir()
    host = subprocess.Popen([sys.executable, str(tmp_path / "host.py"), str(folder)])
    try:
        pids = until(lambda: len(found := [int(path.read_text()) for path in folder.glob("pid*")]) == 3 and found, 40)
        host.kill()
        host.wait()
        for pid in pids:
            ended(pid)
    finally:
        with contextlib.suppress(OSError):
            host.kill()
        host.wait()


def test_many_scripts_run_side_by_side(coder: Make) -> None:
    me = coder()
    barrier = threading.Barrier(6)

    def one(number: int) -> str:
        barrier.wait(20)
        said = me.says(
            f"from hermes_tools import web_search\nprint(web_search('{number}')['query'])", task_id=f"t{number % 2}"
        )
        return str(said)

    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(one, range(6))) == [f"{number}\n" for number in range(6)]


def test_ending_is_not_asked_of_others(coder: Make) -> None:
    bystander = subprocess.Popen(["sleep", "600"], start_new_session=True)
    try:
        coder(code={"timeout": 0.5}).run("import time; time.sleep(600)")
        assert bystander.poll() is None
    finally:
        bystander.send_signal(signal.SIGKILL)
        bystander.wait()
