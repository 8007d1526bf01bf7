"""Scripts in containers: files carry their calls, and everything else is as on this machine."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import pytest

Make = Callable[..., Any]
Engine = Any  # conftest's TestEngine

PYTHON = "/usr/bin/python3"


@pytest.fixture
def me(only_docker: Engine, agent: Make) -> Callable[..., Any]:
    """Makes agents whose commands run in a container that has this machine's own Python."""
    if not os.path.exists(PYTHON):
        pytest.skip("there is no /usr/bin/python3 to put into a container (Debian: python3)")
    volumes = ["/usr/bin:/usr/bin:ro", "/usr/lib:/usr/lib:ro", "/usr/lib:/lib:ro"]
    if os.path.isdir("/lib64"):
        volumes.append(f"{os.path.realpath('/lib64')}:/lib64:ro")

    def make(*, mounted: bool = True, code: dict[str, Any] | None = None) -> Any:
        settings = asdict(only_docker.settings(volumes=volumes if mounted else []))
        return agent(terminal={**settings, "env": "docker"}, code_execution=code or {})

    return make


def run(agent: Any, code: str, **options: Any) -> dict[str, Any]:
    """What became of a script."""
    found = agent.call("execute_code", {"code": code}, **options)
    assert isinstance(found, dict)
    return found


def test_a_script_runs_in_the_container_and_calls_tools_there(me: Make) -> None:
    agent = me()
    code = (
        "import os\nfrom hermes_tools import terminal, write_file, read_file\n"
        "print(os.getcwd(), os.path.exists('/.dockerenv'))\n"
        "write_file(file_path='note.txt', content='from a script\\n')\n"
        "print(terminal(command='cat note.txt')['output'])\n"
        "print('1|from a script' in read_file(file_path='note.txt')['content'])\n"
    )
    found = run(agent, code)
    assert found["status"] == "success", found
    assert found["output"] == "/workspace True\nfrom a script\n\nTrue\n"
    assert found["tool_calls_made"] == 3
    assert agent.run("ls /tmp")["output"] == ""


def test_it_ends_in_time_with_all_that_it_has_started(me: Make) -> None:
    agent = me(code={"timeout": 2})
    code = (
        "import subprocess, time\nprint('begun')\nsubprocess.Popen(['sleep', '4321'], start_new_session=True)\n"
        "time.sleep(600)"
    )
    found = run(agent, code)
    assert (found["status"], found["output"]) == ("timeout", "begun\n")
    assert agent.run("ps -o args | grep '[s]leep 4321'; ls /tmp")["output"] == ""


def test_calls_of_threads_and_limits_are_the_same(me: Make) -> None:
    code = (
        "from concurrent.futures import ThreadPoolExecutor\nfrom hermes_tools import terminal\n"
        "with ThreadPoolExecutor(4) as pool: answers = list(pool.map(terminal, ['true'] * 8))\n"
        "print(sum(a.get('exit_code') == 0 for a in answers), sum('a script may call 5 tools' in (a.get('error') or "
        "'') for a in answers))"
    )
    found = run(me(code={"max_tool_calls": 5}), code)
    assert found["output"] == "5 3\n", found
    assert found["tool_calls_made"] == 5


def test_an_image_without_python_says_what_to_do(me: Make) -> None:
    found = run(me(mounted=False), "print(1)")
    assert found["status"] == "error"
    assert "no Python in the docker environment" in found["error"]


def test_dangerous_code_is_not_asked_about_where_it_stays_inside(me: Make) -> None:
    agent = me()
    agent.run("mkdir /workspace/src")
    found = run(agent, "import shutil\nshutil.rmtree('/workspace/src')\nprint('gone')")
    assert found["output"] == "gone\n", found
