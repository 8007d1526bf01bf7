"""A script is a program like any other: its folder, its modules, what it prints, and how it ends."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hermes_tools_terminal.environments.process_records import Owner

Make = Callable[..., Any]


def test_what_a_script_prints_comes_back(coder: Make) -> None:
    found = coder().run("print('hello'); print('wörld')")
    assert (found["status"], found["output"], found["tool_calls_made"]) == ("success", "hello\nwörld\n", 0)
    assert found["duration_seconds"] > 0
    assert "error" not in found


def test_it_is_the_main_program_and_knows_its_own_name(coder: Make) -> None:
    said = coder().says("import sys, os\nprint(__name__, os.path.basename(__file__), sys.argv, sorted(globals()))")
    assert said.startswith("__main__ script.py ['script.py'] ['__annotations__', '__builtins__', '__doc__', '__file__'")
    assert "given" not in said
    assert "marshal" not in said


def test_it_runs_in_the_folder_of_the_task_and_imports_from_there(coder: Make, tmp_path: Path) -> None:
    me = coder()
    (tmp_path / "project" / "mine.py").write_text("VALUE = 7\n")
    assert me.says("import os, mine\nprint(os.getcwd(), mine.VALUE)") == f"{tmp_path / 'project'} 7\n"


def test_it_runs_where_the_shell_of_the_task_is(coder: Make) -> None:
    me = coder()
    me.hermes.call("terminal", {"command": "mkdir deeper && cd deeper"}, task_id="t")
    assert me.says("import os; print(os.path.basename(os.getcwd()))", task_id="t") == "deeper\n"


def test_installed_packages_are_there_and_so_is_what_tells_of_them(coder: Make) -> None:
    code = (
        "import importlib.metadata\nprint(importlib.metadata.version('pydantic'))\nimport pydantic\n"
        "print(pydantic.VERSION)"
    )
    first, second = coder().says(code).split()
    assert first == second


def test_a_folder_of_the_project_does_not_hide_an_installed_package(coder: Make, tmp_path: Path) -> None:
    me = coder()
    (tmp_path / "project" / "pydantic").mkdir()
    assert me.says("import pydantic; print(pydantic.__file__ is not None)") == "True\n"


def test_files_of_the_project_do_not_stand_in_for_what_the_tools_need(coder: Make, tmp_path: Path) -> None:
    me = coder()
    for name in ("json", "socket", "threading", "hermes_tools"):
        (tmp_path / "project" / f"{name}.py").write_text("raise SystemExit('wrong one')\n")
    assert "'limit': 5" in me.says("import hermes_tools\nprint(hermes_tools.web_search('x'))")


def test_a_traceback_shows_the_lines_of_the_script_and_no_others(coder: Make) -> None:
    found = coder().run("def f():\n    return 1 / 0  # here\n\nf()\n")
    assert found["status"] == "error"
    assert found["exit_code"] == 1
    lines = found["error"].splitlines()
    assert lines[:3] == ["Traceback (most recent call last):", '  File "script.py", line 4, in <module>', "    f()"]
    assert "return 1 / 0  # here" in found["error"]
    assert lines[-1] == "ZeroDivisionError: division by zero"
    assert "hermes" not in found["error"]


def test_code_that_cannot_be_read_is_told_and_nobody_is_asked(coder: Make) -> None:
    found = coder().run("import os\nprint((1\n")
    assert found["status"] == "error"
    assert "SyntaxError" in found["error"]
    assert 'File "script.py", line 2' in found["error"]


@pytest.mark.parametrize(
    ("code", "status", "exit_code"), [("exit(3)", "error", 3), ("import sys; sys.exit(0)", "success", 0)]
)
def test_how_it_exits_is_told(coder: Make, code: str, status: str, exit_code: int) -> None:
    found = coder().run(code)
    assert found["status"] == status
    assert found.get("exit_code", 0) == exit_code


def test_what_exit_says_is_the_error(coder: Make) -> None:
    assert coder().run("import sys; sys.exit('no such thing')")["error"] == "no such thing"


@pytest.mark.parametrize(
    ("code", "word"),
    [
        ("", "is empty"),
        (" \n\t", "is empty"),
        ("print('a\0b')", "NUL"),
        ("x = '\ud800'", "surrogate"),
        ("#" * 10_000_000, "1,000,000"),
    ],
)
def test_what_is_no_code_is_refused_with_a_reason(coder: Make, code: str, word: str) -> None:
    found = coder().run(code)
    assert found["status"] == "error"
    assert word in found["error"]


def test_what_is_not_even_a_text_is_refused(coder: Make) -> None:
    found = json.loads(coder().hermes.call("execute_code", {"code": ["print(1)"]}))
    assert found["code"] == "invalid_arguments"


def test_code_too_deep_for_python_is_told(coder: Make) -> None:
    for code in ("(" * 50_000 + ")" * 50_000, "x = " + "-" * 100_000 + "1", "x" + "+x" * 100_000):
        found = coder().run(code)
        assert found["status"] == "error"
        assert 20 < len(found["error"]) < 2_000


def test_there_is_nothing_to_read(coder: Make) -> None:
    assert (
        coder().says("import sys; print(repr(sys.stdin.read()))\ntry: input()\nexcept EOFError: print('end')")
        == "''\nend\n"
    )


def test_bytes_that_are_no_text_are_readable_and_colours_are_gone(coder: Make) -> None:
    said = coder().says("import sys; sys.stdout.buffer.write(b'a\\xff\\x00b \\x1b[31mred\\x1b[0m\\n')")
    assert said == "a\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}b red\n"


def test_secrets_that_are_printed_are_not_told(coder: Make) -> None:
    key = "sk-" + "ant-api03-" + "abcDEF123456" * 4
    found = coder().run(f"import sys; print({key!r}); print({key!r}, file=sys.stderr); sys.exit(1)")
    assert key not in json.dumps(found)


def test_what_is_printed_as_an_error_is_told_beside_the_output(coder: Make) -> None:
    found = coder().run("import sys; print('out'); print('careful', file=sys.stderr)")
    assert (found["output"], found["stderr"], found["status"]) == ("out\n", "careful\n", "success")


def test_a_variable_that_is_secret_or_unknown_is_not_there(coder: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MY_SECRET", "OPENAI_API_KEY", "SOMETHING", "PYTHONSTARTUP", "PYTHONINSPECT", "SSH_AUTH_SOCK"):
        monkeypatch.setenv(name, "x")
    names = json.loads(coder().says("import os, json; print(json.dumps(sorted(os.environ)))"))
    assert {"PATH", "HOME"} <= set(names)
    assert not {"MY_SECRET", "OPENAI_API_KEY", "SOMETHING", "PYTHONSTARTUP", "PYTHONINSPECT", "SSH_AUTH_SOCK"} & set(
        names
    )
    assert not [name for name in names if "TOKEN" in name or "SOCKET" in name]


def test_a_variable_that_the_user_lets_through_is_there(coder: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_SETTING", "blue")
    me = coder(terminal={"env_passthrough": ["MY_SETTING"]})
    assert me.says("import os; print(os.environ['MY_SETTING'])") == "blue\n"


def test_a_temporary_folder_that_is_not_there_is_not_named(coder: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    me = coder()
    monkeypatch.setenv("TMPDIR", "/nowhere/at/all")
    assert me.says("import tempfile; print(tempfile.gettempdir())") == "/tmp\n"


def test_a_strict_script_is_alone_in_an_empty_folder(
    coder: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "project"))
    me = coder(code={"mode": "strict"})
    (tmp_path / "project" / "mine.py").write_text("")
    said = me.says(
        "import os, sys\nprint(os.listdir('.'), os.getcwd(), sys.executable)\nopen('left', 'w').write('x')\n"
        "try: import mine\nexcept ImportError: print('alone')"
    )
    assert said.startswith("[] ")
    assert said.endswith("alone\n")
    folder, python = said.split()[1:3]
    assert python == sys.executable
    assert not os.path.exists(folder)
    assert "'limit': 5" in me.says("from hermes_tools import web_search; print(web_search('x'))")


def test_the_python_of_the_project_is_used(coder: Make, tmp_path: Path) -> None:
    me = coder()
    venv.create(tmp_path / "project" / ".venv", symlinks=True)
    said = me.says("import sys; print(sys.executable)\ntry: import pydantic\nexcept ImportError: print(sys.prefix)")
    assert said.split() == [str(tmp_path / "project/.venv/bin/python"), str(tmp_path / "project/.venv")]


def test_a_python_of_the_project_that_does_not_work_is_not_used(coder: Make, tmp_path: Path) -> None:
    me = coder()
    binaries = tmp_path / "project" / ".venv" / "bin"
    binaries.mkdir(parents=True)
    (binaries / "python").write_text("#!/bin/sh\nexit 1\n")
    (binaries / "python").chmod(0o755)
    assert me.says("import sys; print(sys.executable)") == f"{sys.executable}\n"


def test_what_calls_itself_python_gets_no_secrets_when_it_is_tried(
    coder: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "sk-nobody-may-know")
    me = coder()
    binaries = tmp_path / "project" / ".venv" / "bin"
    binaries.mkdir(parents=True)
    (binaries / "python").write_text(f"#!/bin/sh\nenv >> {tmp_path}/seen\nexit 1\n")
    (binaries / "python").chmod(0o755)
    me.says("print(1)")
    assert "PATH=" in (tmp_path / "seen").read_text()
    assert "nobody-may-know" not in (tmp_path / "seen").read_text()


def test_other_processes_can_do_a_part_of_the_work(coder: Make) -> None:
    code = (
        "import multiprocessing as m\ndef double(x): return 2 * x\n"
        "with m.get_context('fork').Pool(2) as pool: print(pool.map(double, range(4)))\n"
        "def ask(x):\n    from hermes_tools import web_search\n    return web_search(str(x))['query']\n"
        "from hermes_tools import web_search\nweb_search('mine')\n"
        "with m.get_context('fork').Pool(2) as pool: print(pool.map(ask, range(4)))\n"
    )
    assert coder().says(code) == "[0, 2, 4, 6]\n['0', '1', '2', '3']\n"


def test_a_script_without_its_guard_for_spawned_children_still_works_with_one(coder: Make) -> None:
    code = (
        "import multiprocessing as m\ndef double(x): return 2 * x\n"
        "if __name__ == '__main__':\n    with m.get_context('spawn').Pool(1) as pool: print(pool.map(double, [21]))\n"
    )
    assert coder().says(code) == "[42]\n"


def test_nothing_stays_behind(coder: Make, tmp_path: Path, until: Callable[..., Any]) -> None:
    me = coder()
    rooms = Path(tempfile.gettempdir()) / f"hermes-{os.geteuid()}"
    mine = f"{Owner.this()}-"
    me.run("pass")
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        me.run("import hermes_tools; hermes_tools.web_search('x'); 1 / 0")
    until(lambda: len(os.listdir("/proc/self/fd")) <= before)  # connections are let go of by threads of their own
    assert list((tmp_path / "project").iterdir()) == []
    assert [name for name in os.listdir(rooms) if name.startswith(mine)] == []
    assert rooms.stat().st_mode & 0o777 == 0o700


def test_a_project_whose_python_lacks_modules_can_call_tools(
    coder: Callable[..., Any], stripped_python: Path, tmp_path: Path
) -> None:
    host = coder()
    (tmp_path / "project" / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / "project" / ".venv" / "bin" / "python").symlink_to(stripped_python)
    code = "from hermes_tools import web_search\nimport json, sys\nprint(web_search('é')['query'], sys.prefix)"
    assert host.says(code) == f"é {stripped_python.parent.parent}\n"
    assert "lacks shutil, a standard library module" in host.run("import shutil")["error"]
