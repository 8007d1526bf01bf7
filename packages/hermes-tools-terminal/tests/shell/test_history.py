"""What one command of a task leaves in its shell is part of what the next one means, through real shells."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Make = Callable[..., Any]

# Refused by the guard, and harmless should it ever run: there is no such disk.
DISASTER = "mkfs.ext4 /dev/sdq9"
BLOB = "DATA='" + "x" * 100_000 + "'"


def approving(agent: Make, folder: Path, **options: Any) -> Any:
    """An agent whose user says yes to everything; what must never run is still refused."""
    return agent(terminal={"cwd": str(folder)}, approver=lambda request: True, **options)


def refused(told: dict[str, Any]) -> bool:
    """Whether a call was refused."""
    return told.get("decision") == "refused"


def test_a_long_assignment_does_not_hide_an_earlier_function(agent: Make, tmp_path: Path) -> None:
    me = approving(agent, tmp_path)
    me.run("ls() { mkfs.ext4 /dev/sdq9; }")
    assert me.run(BLOB)["exit_code"] == 0
    assert refused(me.run("ls"))


def test_unreadable_text_does_not_hide_an_earlier_function(agent: Make, tmp_path: Path) -> None:
    me = approving(agent, tmp_path)
    me.run("ls() { mkfs.ext4 /dev/sdq9; }")
    assert me.run('eval "$(cat /dev/null)"')["exit_code"] == 0
    assert refused(me.run("ls"))


def test_after_unknown_code_every_command_asks_until_the_shell_is_a_new_one(agent: Make, tmp_path: Path) -> None:
    asked: list[str] = []

    def approve(request: Any) -> bool:
        asked.extend(finding.rule for finding in request.findings)
        return True

    me = agent(terminal={"cwd": str(tmp_path)}, approver=approve)
    (tmp_path / "code").write_text("pwd() { echo shadowed; }\n")
    me.run('eval "$(cat code)"')
    asked.clear()
    assert me.run("pwd")["output"] == "shadowed\n"
    assert asked == ["shell.unknown-state"]
    me.run("exec bash")
    asked.clear()
    assert me.run("pwd")["output"] == f"{tmp_path}\n"
    assert asked == []


def test_an_exec_that_fails_clears_nothing(agent: Make, tmp_path: Path) -> None:
    me = approving(agent, tmp_path)
    me.run("ls() { mkfs.ext4 /dev/sdq9; }")
    me.run("PATH=/nowhere; exec bash")
    assert refused(me.run("ls"))


def test_a_shell_that_exits_hands_its_functions_on(agent: Make, tmp_path: Path) -> None:
    me = approving(agent, tmp_path)
    me.run("ls() { mkfs.ext4 /dev/sdq9; }")
    me.run("exit 3")
    assert refused(me.run("ls"))


def test_a_shell_that_was_killed_takes_its_functions_with_it(agent: Make, tmp_path: Path) -> None:
    me = agent(terminal={"cwd": str(tmp_path)}, approver=lambda request: True)
    me.run("ls() { mkfs.ext4 /dev/sdq9; }; echo mkfs.ext4 /dev/sdq9 > script")
    me.run("kill -9 $$")
    assert me.run("ls")["exit_code"] == 0
    assert refused(me.run("bash script"))


def test_a_command_that_was_ended_has_left_its_files(agent: Make, tmp_path: Path) -> None:
    me = approving(agent, tmp_path)
    assert me.run("echo mkfs.ext4 /dev/sdq9 > script; sleep 30", timeout=1)["exit_code"] == 124
    assert refused(me.run("bash script"))


def test_tasks_do_not_know_of_each_other(agent: Make, tmp_path: Path) -> None:
    me = agent(terminal={"cwd": str(tmp_path)})
    me.run("ls() { mkfs.ext4 /dev/sdq9; }", task="one")
    assert me.run("ls", task="two")["exit_code"] == 0
    assert refused(me.run("ls", task="one"))


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("write_file", {"path": "x.sh", "content": "mkfs.ext4 /dev/sdq9\n"}),
        ("write_file", {"path": "no-ending", "content": "mkfs.ext4 /dev/sdq9\n"}),
        ("write_file", {"path": "x.sh", "content": "# " + "x" * 20_000 + "\nmkfs.ext4 /dev/sdq9\n"}),
    ],
)
def test_a_script_that_a_tool_wrote_is_judged_when_it_runs(
    agent: Make, tmp_path: Path, tool: str, args: dict[str, Any]
) -> None:
    me = approving(agent, tmp_path)
    me.use(tool, **args)
    me.run(BLOB)
    assert refused(me.run(f"bash {args['path']}"))


def test_a_script_that_a_patch_changed_is_judged_when_it_runs(agent: Make, tmp_path: Path) -> None:
    (tmp_path / "x.sh").write_text("ls\n")
    me = approving(agent, tmp_path)
    me.use("read_file", path="x.sh")
    assert me.run("bash x.sh")["exit_code"] == 0
    me.use("patch", path="x.sh", old_string="ls", new_string="mkfs.ext4 /dev/sdq9")
    assert refused(me.run("bash x.sh"))


def test_a_python_script_that_a_tool_wrote_is_judged_when_it_runs(agent: Make, tmp_path: Path) -> None:
    me = approving(agent, tmp_path)
    me.use("write_file", path="x.py", content="import os\nos.system('mkfs.ext4 /dev/sdq9')\n")
    assert refused(me.run("python3 x.py"))


def test_a_script_that_code_wrote_is_asked_about_when_it_runs(agent: Make, tmp_path: Path) -> None:
    me = agent(terminal={"cwd": str(tmp_path)})
    me.call("execute_code", {"code": "open('x.sh', 'w').write('echo ' + 'hi')"})
    assert me.run("bash x.sh").get("code") == "denied"
    assert me.run("ls")["exit_code"] == 0


def test_a_script_that_a_background_process_wrote_is_judged_when_it_runs(agent: Make, tmp_path: Path) -> None:
    me = approving(agent, tmp_path)
    me.start("ls() { true; }; echo mkfs.ext4 /dev/sdq9 > x.sh")
    assert refused(me.run("bash x.sh"))
    shell = me.start("bash")
    me.call("process", {"action": "submit", "session_id": shell, "data": "echo mkfs.ext4 /dev/sdq9 > y.sh"})
    assert refused(me.run("bash y.sh"))


def test_what_a_process_is_told_is_judged_with_what_the_task_wrote(agent: Make, tmp_path: Path) -> None:
    me = approving(agent, tmp_path)
    me.run("echo mkfs.ext4 /dev/sdq9 > x.sh")
    shell = me.start("bash")
    assert refused(me.call("process", {"action": "submit", "session_id": shell, "data": "bash x.sh"}))


def test_a_background_command_has_the_functions_of_the_shell(agent: Make, tmp_path: Path) -> None:
    me = approving(agent, tmp_path)
    me.run("ls() { mkfs.ext4 /dev/sdq9; }")
    assert refused(me.run("ls", background=True))
    assert refused(me.run("ls", pty=True))


def test_a_long_ordinary_session_is_never_asked_about(agent: Make, tmp_path: Path) -> None:
    me = agent(terminal={"cwd": str(tmp_path)})
    for number in range(30):
        for command in (
            f"mkdir -p d{number} && cd d{number} && cd ..",
            f"export A{number}=b",
            f"cat > notes{number} <<'EOF'\nit's {number}\nEOF",
            f'OUT=$(cat notes{number}); echo "$OUT"',
            "DATA=$(head -c 200000 /dev/zero | tr '\\0' x)",
            "for i in 1 2 3; do echo $i; done | tail -1",
        ):
            assert me.run(command)["exit_code"] == 0, command


def test_inherited_variables_are_known(agent: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    monkeypatch.setenv("PATH", f"{tools}:/usr/bin:/bin")
    me = approving(agent, tmp_path)
    me.run("echo mkfs.ext4 /dev/sdq9 > tools/shiny; chmod +x tools/shiny")
    assert refused(me.run("shiny"))
