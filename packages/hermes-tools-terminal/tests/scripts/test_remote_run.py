"""Scripts in places that only pipes lead to: the same as here, through a supervisor and files."""

from __future__ import annotations

import contextlib
import glob
import os
import shutil
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest

from hermes_tools_terminal.environments.base import StartedProcess
from hermes_tools_terminal.environments.local import LocalEnvironment
from hermes_tools_terminal.environments.local_processes import all_processes, find_process
from hermes_tools_terminal.scripts.remote_run import RemoteRun
from hermes_tools_terminal.scripts.script import Script, ScriptResult
from hermes_tools_terminal.shell.connection import CommandMonitor
from hermes_tools_terminal.shell.output import Capture

Make = Callable[..., Any]


class Elsewhere(LocalEnvironment):
    """A place that is this machine and does not say so."""

    kind = "elsewhere"


def answer(data: bytes) -> bytes:
    """What the host would say."""
    if b'"want"' in data:
        return b'{"source": "@_tool(\\"echo\\", \\"text\\")\\ndef echo(text): ...\\n"}'
    return b'{"heard": ' + data + b"}"


class Ran:
    """What became of a script."""

    def __init__(
        self, code: str, folder: Path, *, timeout: float = 20, python: str = "", strict: bool = False, **how: Any
    ) -> None:
        self.ended = ScriptResult(Capture(50_000), Capture(10_000))
        self.environment = how.pop("environment", None) or Elsewhere(str(folder))
        self.watch = CommandMonitor()
        script = Script(code, str(folder), timeout, strict)
        self.mark = script.mark
        run = RemoteRun.start(script, self.environment, how.pop("answer", answer), [python] if python else [])
        try:
            anyio.run(run.follow, self.ended, self.watch, lambda: None)
        finally:
            run.close()

    @property
    def output(self) -> str:
        """What it printed."""
        return self.ended.output.text()


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where supervisors make their folders; nothing of them is left."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    yield folder
    assert list(folder.iterdir()) == []


PYTHONS = sorted(
    {
        sys.executable,
        *(["/usr/bin/python3"] if os.path.exists("/usr/bin/python3") else []),
        *glob.glob(os.path.expanduser("~/.pyenv/versions/3.[89]*/bin/python3")),
        *glob.glob(os.path.expanduser("~/.pyenv/versions/3.1[0-9]*/bin/python3")),
    }
)


@pytest.mark.parametrize("python", PYTHONS)
def test_every_python_from_3_8_on_can_run_scripts(python: str, tmp_path: Path) -> None:
    code = (
        "import sys, json\nfrom hermes_tools import echo, retry\n"
        "print(echo('ä')['heard']['args'], __file__[-9:], sys.argv[0][-9:])\n"
        "import xml.dom\nprint(sys.stdin.read() == '', file=sys.stderr)\ndef f():\n    1 / 0  # here\nf()\n"
    )
    ran = Ran(code, tmp_path, python=python)
    assert ran.output == "{'text': 'ä'} script.py script.py\n", ran.ended.errors.text()
    assert "1 / 0  # here" in ran.ended.errors.text()
    assert "supervis" not in ran.ended.errors.text()
    assert ran.ended.status == 1


def test_it_runs_in_its_folder_with_the_variables_of_the_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "C")
    ran = Ran("import os; print(os.getcwd(), os.environ['LANG'], 'ü')", tmp_path)
    assert ran.output == f"{tmp_path} C ü\n"


def test_a_strict_one_is_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("")
    ran = Ran(
        "import os\nprint(os.listdir('.'))\ntry: import mine\nexcept ImportError: print('alone')", tmp_path, strict=True
    )
    assert ran.output == "[]\nalone\n"


def test_calls_of_many_threads_are_all_answered(tmp_path: Path) -> None:
    code = (
        "from concurrent.futures import ThreadPoolExecutor\nfrom hermes_tools import echo\n"
        "with ThreadPoolExecutor(20) as pool: print(sum(int(a['heard']['args']['text']) for a in pool.map(echo, "
        "map(str, range(200)))))"
    )
    assert Ran(code, tmp_path).output == f"{sum(range(200))}\n"


def test_ten_megabytes_go_there_and_back(tmp_path: Path) -> None:
    code = (
        "from hermes_tools import echo\nprint(len(echo('x' * 10_000_000)['heard']['args']['text']))\n"
        "print(echo('x' * 20_000_000))"
    )
    first, second = Ran(code, tmp_path).output.splitlines()
    assert first == "10000000"
    assert "Send less at once" in second


def test_a_request_that_is_no_request_does_no_harm(tmp_path: Path) -> None:
    code = (
        "import hermes_tools, os\nfolder = hermes_tools._tool.__self__._line._folder\n"
        "open(folder + '/req_x', 'wb').write(b'\\0garbage')\nos.mkdir(folder + '/req_folder')\n"
        "os.mkfifo(folder + '/req_pipe')\n"
        "open(folder + '/req_long', 'wb').truncate(1 << 30)\n"
        "os.symlink('/etc/passwd', folder + '/req_link')\nprint(hermes_tools.echo('on')['heard']['args'])"
    )
    ran = Ran(code, tmp_path)
    assert ran.output == "{'text': 'on'}\n", ran.ended.errors.text()


def test_a_flood_is_cut(tmp_path: Path) -> None:
    ran = Ran(
        "import sys\nline = b'x' * 65535 + b'\\n'\nfor _ in range(800): sys.stdout.buffer.write(line)\nprint('last')",
        tmp_path,
    )
    assert ran.output.endswith("last\n")
    assert len(ran.output) < 51_000


@pytest.mark.parametrize(
    "code",
    [
        "import time\nprint('begun')\ntime.sleep(600)",
        "import signal, time\nsignal.signal(15, signal.SIG_IGN)\nprint('begun')\ntime.sleep(600)",
    ],
)
def test_one_that_takes_too_long_is_ended(tmp_path: Path, code: str) -> None:
    ran = Ran(code, tmp_path, timeout=2)
    assert (ran.ended.why, ran.output) == ("timeout", "begun\n")
    assert not _marked(ran.mark)


@pytest.mark.parametrize("how", ["start_new_session=True", "start_new_session=True, env={}"])
def test_what_it_has_started_ends_with_it(tmp_path: Path, how: str, until: Make) -> None:
    ran = Ran(f"import subprocess\nprint(subprocess.Popen(['/bin/sleep', '600'], {how}).pid)", tmp_path)
    until(lambda: find_process(int(ran.output)) is None)
    assert not _marked(ran.mark)


def test_more_calls_at_once_than_can_be_answered_wait(tmp_path: Path) -> None:
    most = [0]

    def watched(data: bytes) -> bytes:
        most[0] = max(most[0], sum(thread.name == "hermes-script-calls" for thread in threading.enumerate()))
        return answer(data)

    code = """
import hermes_tools, os, time
folder = hermes_tools._tool.__self__._line._folder
for number in range(3000):
    with open(f'{folder}/new', 'w') as file: file.write('{"tool": "echo", "args": {}}')
    os.rename(f'{folder}/new', f'{folder}/req_{number}')
while not all(os.path.exists(f'{folder}/res_{number}') for number in range(3000)): time.sleep(0.01)
print('all')
"""
    ran = Ran(code, tmp_path)
    assert ran.output == "all\n", (ran.ended.problem, ran.ended.why)
    assert most[0] <= 64


@pytest.mark.parametrize("forged", ["b'\\xff' * 4", "(b'\\0\\0\\0\\x04C1\\0{' * 5000)"])
def test_who_speaks_in_the_name_of_the_supervisor_ends_the_script(tmp_path: Path, forged: str) -> None:
    def slow(data: bytes) -> bytes:
        if data == b"{":
            threading.Event().wait(3)
        return answer(data)

    code = f"import os, time\nwith open(f'/proc/{{os.getppid()}}/fd/1', 'wb') as o: o.write({forged})\ntime.sleep(600)"
    ran = Ran(code, tmp_path, answer=slow)
    assert "wrote to its supervisor's output" in ran.ended.problem
    assert not _marked(ran.mark)


def test_a_supervisor_that_is_stopped_does_not_make_the_script_immortal(
    tmp_path: Path, temporary: Path, until: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hermes_tools_terminal.scripts.remote_run.END_REPORT_SECONDS", 0.5)
    all_asked = threading.Barrier(8)

    def late(data: bytes) -> bytes:
        with contextlib.suppress(threading.BrokenBarrierError, AssertionError):  # it was ended before, by its time
            if b'"want"' not in data:
                all_asked.wait(20)
                (tmp_path / "asked").touch()
                until((tmp_path / "stopped").exists)
        return answer(data)

    code = """
import hermes_tools, os, signal, threading, time
for _ in range(8): threading.Thread(target=hermes_tools.echo, args=('x' * 100_000,), daemon=True).start()
while not os.path.exists('asked'): time.sleep(0.01)
os.kill(os.getppid(), signal.SIGSTOP)
open('stopped', 'w').close()
time.sleep(600)
"""
    ran = Ran(code, tmp_path, timeout=4, answer=late)
    assert ran.ended.why == "timeout"
    until(lambda: not _marked(ran.mark))
    for left in temporary.iterdir():
        shutil.rmtree(left)


def test_a_script_that_kills_its_supervisor_ends_with_it(tmp_path: Path, temporary: Path, until: Make) -> None:
    ran = Ran("import os, time\nos.kill(os.getppid(), 9)\ntime.sleep(600)", tmp_path)
    assert "was lost" in ran.ended.problem
    until(lambda: not _marked(ran.mark))
    for left in temporary.iterdir():
        shutil.rmtree(left)


def _marked(mark: str) -> list[int]:
    found = []
    for process in all_processes():
        try:
            environ = Path(f"/proc/{process.pid}/environ").read_bytes()
        except OSError:
            continue
        if f"HERMES_SCRIPT={mark}".encode() in environ:
            found.append(process.pid)
    return found


def test_one_that_dies_is_told(tmp_path: Path) -> None:
    assert Ran("import os; os.kill(os.getpid(), 9)", tmp_path).ended.status == -9
    assert Ran("import os; os._exit(7)", tmp_path).ended.status == 7


class Bare(Elsewhere):
    """A place without any Python: nothing is found on its path, and what has a full name is left out."""

    def start(
        self, argv: Sequence[str], *, cwd: str | None = None, env: Mapping[str, str] | None = None, pty: bool = False
    ) -> StartedProcess:
        """Start with a shell that is found all the same."""
        words = [word for word in argv[1:] if not word.endswith("/python3")]
        return super().start(["/bin/sh", *words], cwd=cwd, env={**(env or {}), "PATH": "/nowhere"}, pty=pty)


def test_a_place_without_python_says_what_to_do(tmp_path: Path) -> None:
    ran = Ran("print(1)", tmp_path, environment=Bare(str(tmp_path)))
    assert "no Python in the elsewhere environment" in ran.ended.problem
    assert "apt-get install python3" in ran.ended.problem


def test_a_place_that_is_lost_is_told(tmp_path: Path, temporary: Path, until: Make) -> None:
    place = Elsewhere(str(tmp_path))
    groups: list[int] = []

    def killing(data: bytes) -> bytes:
        if b'"want"' not in data:
            os.killpg(groups[0], 9)
        return answer(data)

    ended = ScriptResult(Capture(1000), Capture(1000))
    script = Script("from hermes_tools import echo\necho('x')", str(tmp_path), 20, False)
    run = RemoteRun.start(script, place, killing)
    groups.append(run.group)
    try:
        anyio.run(run.follow, ended, CommandMonitor(), lambda: None)
    finally:
        run.close()
    assert "was lost" in ended.problem
    until(lambda: not _marked(script.mark))  # the script notices that nobody carries its calls any more
    for left in temporary.iterdir():
        shutil.rmtree(left)


def test_a_host_that_is_gone_ends_the_script(tmp_path: Path) -> None:
    place = Elsewhere(str(tmp_path))
    script = Script("import time\ntime.sleep(600)", str(tmp_path), 600, False)
    run = RemoteRun.start(script, place, answer)
    stdin, child = run._started.child.stdin, run._started.child
    assert stdin is not None
    stdin.close()  # as a host that is killed does
    assert child.wait(20) == 0
    assert not _marked(script.mark)
    run.close()


def test_a_python_that_lacks_modules_runs_scripts_that_call_tools(stripped_python: Path, tmp_path: Path) -> None:
    code = (
        "from hermes_tools import echo, json_parse\n"
        "print(echo('ä \\U0001f600')['heard']['args'], json_parse('[1.5]'))\n"
        "import json\nprint(json.loads(json.dumps({'a': [None, True, 'é']})))\nimport shutil\n"
    )
    ran = Ran(code, tmp_path, python=str(stripped_python))
    assert ran.output == "{'text': 'ä \U0001f600'} [1.5]\n{'a': [None, True, 'é']}\n", ran.ended
    assert "lacks shutil, a standard library module" in ran.ended.errors.text()
    assert "python3-minimal" in ran.ended.errors.text()


def test_a_python_without_what_a_supervisor_needs_says_what_it_lacks(tmp_path: Path, stripped_python: Path) -> None:
    python = tmp_path / "python3"
    taken = "import sys; sys.modules['subprocess'] = None; exec(sys.argv.pop(1))"
    python.write_text(f'#!/bin/sh\nshift; case $1 in -B) shift;; esac\nexec {stripped_python} -S -c "{taken}" "$2"\n')
    python.chmod(0o755)
    ran = Ran("print(1)", tmp_path, python=str(python))
    assert "lacks the module subprocess, which scripts need" in ran.ended.problem
    assert "apt-get install python3" in ran.ended.problem
