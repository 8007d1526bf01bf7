"""Scripts in a sandbox: a socket that both sides can use where there is one, files elsewhere, and the same walls."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .conftest import SECRET

Make = Callable[..., Any]


@pytest.fixture
def me(own: Path, engine: str, agent: Make) -> Callable[..., Any]:
    """Makes agents whose commands run in a sandbox."""

    def make(**code: Any) -> Any:
        terminal = {"env": "sandbox", "cwd": str(own / "work"), "sandbox": {"engine": engine}}
        return agent(terminal=terminal, code_execution=code, approver=lambda request: True)

    return make


def run(agent: Any, code: str) -> dict[str, Any]:
    """What became of a script."""
    found = agent.call("execute_code", {"code": code})
    assert isinstance(found, dict)
    return found


def test_a_script_calls_tools_through_the_walls(me: Make, own: Path, engine: str) -> None:
    agent = me()
    code = (
        "import hermes_tools, os\nfrom hermes_tools import terminal\n"
        "print(os.getcwd(), type(hermes_tools._tool.__self__._line).__name__)\n"
        "print([terminal(f'echo {n}')['output'] for n in range(3)])\n"
    )
    found = run(agent, code)
    assert found["status"] == "success", found
    line = "SocketChannel" if engine == "bubblewrap" else "FileChannel"
    assert found["output"] == f"{own / 'work'} {line}\n['0\\n', '1\\n', '2\\n']\n"
    assert "calls-" not in agent.run("ls -a $TMPDIR")["output"]


def test_a_script_sees_no_more_than_a_command(me: Make, own: Path) -> None:
    code = f"""
import os
for name in ('.ssh/id_rsa', '.aws/credentials'):
    try: print(open({str(own / "home")!r} + '/' + name).read())
    except OSError as error: print('hidden')
try: open('/etc/hermes-was-here', 'w')
except OSError: print('closed')
open('mine.txt', 'w').write('mine')
"""
    found = run(me(), code)
    assert found["output"] == "hidden\nhidden\nclosed\n", found
    assert SECRET not in str(found)
    assert (own / "work" / "mine.txt").read_text() == "mine"


def test_it_ends_in_time(me: Make) -> None:
    found = run(me(timeout=1.5), "import time\nprint('begun')\ntime.sleep(600)")
    assert (found["status"], found["output"]) == ("timeout", "begun\n")


def test_a_python_that_cannot_be_seen_from_inside_is_not_missed(me: Make) -> None:
    assert os.path.exists(sys.executable)
    assert run(me(), "import sys; print(sys.version_info >= (3, 8))")["output"] == "True\n"


def test_a_python_of_the_project_is_never_tried_outside_of_the_walls(me: Make, own: Path) -> None:
    python = own / "work" / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\necho escaped > {own}/home/escaped\nexec /usr/bin/python3 "$@"\n')
    python.chmod(0o755)
    assert run(me(), "print('inside')")["output"] == "inside\n"
    assert not (own / "home" / "escaped").exists()


def test_a_link_put_in_the_place_of_the_socket_s_folder_is_not_followed(me: Make, own: Path) -> None:
    outside = own / "home" / "outside"
    (outside / "deep").mkdir(parents=True)
    (outside / "deep").chmod(0o750)
    (outside / "script.py").write_text("mine\n")
    code = f"""
import hermes_tools, os
folder = os.path.dirname(getattr(hermes_tools._tool.__self__._line, '_path', '') or '/nowhere/s')
if os.path.isdir(folder):
    os.rename(folder, folder + '-moved')
    os.symlink({str(outside)!r}, folder)
print('done')
"""
    assert run(me(), code)["output"] == "done\n"
    assert (outside / "script.py").read_text() == "mine\n"
    assert (outside / "deep").stat().st_mode & 0o777 == 0o750


def test_a_process_without_variables_or_group_of_the_script_ends_with_it(me: Make) -> None:
    agent = me()
    code = "import subprocess\nsubprocess.Popen(['/bin/sleep', '54321'], start_new_session=True, env={})\nprint('left')"
    assert run(agent, code)["output"] == "left\n"
    assert agent.run("ps ax -o args | grep '[s]leep 54321'")["output"] == ""
