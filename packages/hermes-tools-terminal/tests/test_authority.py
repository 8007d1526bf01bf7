"""What tools start has the authority of their session: nothing in it approves, and the agent's home is protected."""

from __future__ import annotations

import json
import os
import re
import sys
import sysconfig
import time
from collections.abc import Callable, Iterator
from importlib.metadata import requires
from pathlib import Path
from typing import Any

import pytest

import hermes_core
import hermes_tools_terminal.plugin
from hermes_core import Hermes

HERMES = Path(sysconfig.get_path("scripts"), "hermes")
CALL = f"{HERMES} call --yes terminal command='rm -rf {{target}}'"


@pytest.fixture(autouse=True)
def no_plugins_but_those_of_the_test() -> None:
    """The family is installed, and found as users find it."""


class Session:
    """A host whose user approves everything, and what its tools did to a directory."""

    def __init__(self, hermes: Hermes, target: Path) -> None:
        self.hermes = hermes
        self.target = target

    def run(self, command: str, tool: str = "terminal", **args: Any) -> dict[str, Any]:
        """Run a command; afterwards the directory must still be there."""
        self.target.mkdir(exist_ok=True)
        given = {"code" if tool == "execute_code" else "command": command.replace("{target}", str(self.target))}
        result = json.loads(self.hermes.call(tool, {**given, **args}))
        assert isinstance(result, dict)
        assert self.target.exists(), result
        return result


@pytest.fixture
def session(home: Path, tmp_path: Path) -> Iterator[Session]:
    home.mkdir(exist_ok=True)
    (home / "config.yaml").write_text("terminal: {foreground_guard: false}\n")
    with Hermes.load(home=home, approver=lambda _request: True) as hermes:
        yield Session(hermes, tmp_path / "target")


@pytest.mark.parametrize(
    "command",
    [
        CALL,
        f"env -u HERMES_TOOL_SESSION {CALL}",
        f"env -i {CALL}",
        f"HERMES_APPROVALS__MODE=off {CALL}",
        f"export HERMES_APPROVALS__MODE=off; {CALL}",
        f"unset HERMES_TOOL_SESSION HERMES_HOME; {CALL}",
        f"HERMES_HOME={{target}} {CALL}",
        f"HERMES_HOME={{target}} HERMES_TOOL_SESSION={{target}} {CALL}",
        f"HOME=/ HERMES_HOME= {CALL}",
        f"setsid {CALL}",
        f"({CALL} &) ; sleep 2",
        f"nohup {CALL}",
        f"{HERMES} terminal run --yes 'rm -rf {{target}}'",
        f"{sys.executable} -m hermes_core call --yes terminal command='rm -rf {{target}}'",
        f"{sys.executable} -c \"import os, subprocess; subprocess.run('{HERMES} call --yes terminal "
        "command=rm\\ -rf\\ {target}', shell=True, env={})\"",
    ],
)
def test_hermes_in_a_tools_shell_approves_nothing(session: Session, command: str) -> None:
    session.target.mkdir()
    (session.target / "config.yaml").write_text("approvals: {mode: 'off'}\n")
    result = session.run(command)
    assert "tool started this process" in result["output"], result


def test_a_detached_process_with_a_forged_home_approves_nothing(session: Session, tmp_path: Path) -> None:
    forged = tmp_path / "forged"
    forged.mkdir()
    (forged / "config.yaml").write_text("approvals: {mode: 'off'}\n")
    out = tmp_path / "out"
    environ = f"env -i HERMES_HOME={forged} HERMES_TOOL_SESSION={forged}"
    session.run(f"setsid -f {environ} {CALL} >{out} 2>&1")
    until = time.monotonic() + 30
    while "session cannot be determined" not in out.read_text() and time.monotonic() < until:
        time.sleep(0.05)
    assert "session cannot be determined" in out.read_text()
    assert session.target.exists()


@pytest.mark.parametrize("options", [{"pty": True}, {"background": True}, {"background": True, "pty": True}])
def test_terminals_and_background_processes_approve_nothing(session: Session, options: dict[str, Any]) -> None:
    result = session.run(CALL, **options)
    if options.get("background"):
        waited = json.loads(
            session.hermes.call("process", {"action": "wait", "session_id": result["session_id"], "timeout": 60})
        )
        assert "A tool started this process" in json.dumps(waited)
    assert session.target.exists()


def test_scripts_approve_nothing(session: Session) -> None:
    code = f"import subprocess\nprint(subprocess.run(['{HERMES}', 'call', '--yes', 'terminal', "
    code += "'command=rm -rf {target}'], capture_output=True, text=True).stdout)"
    assert "A tool started this process" in session.run(code, "execute_code")["output"]
    inside = "from hermes_core import Hermes\n"
    inside += "print(Hermes.load(approver=lambda r: True).call('terminal', {'command': 'rm -rf {target}'}))"
    assert "A tool started this process" in session.run(inside, "execute_code")["output"]


@pytest.mark.parametrize("moment", ["tried", "run"])
def test_a_projects_interpreter_approves_nothing(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    target, seen, inner = tmp_path / "target", tmp_path / "seen", tmp_path / "inner"
    target.mkdir()
    inner.write_text(f"{CALL.format(target=target)} >{seen} 2>&1\n")
    python = tmp_path / "project/.venv/bin/python"
    python.parent.mkdir(parents=True)
    attack = f"env -i HERMES_HOME={home} setsid -f sh {inner}; until [ -s {seen} ]; do sleep 0.1; done"
    tried, run = (attack, "exit 1") if moment == "tried" else ("exit 0", attack)
    python.write_text(f'#!/bin/sh\ncase "$*" in *version_info*) {tried};; *) {run};; esac\n')
    python.chmod(0o755)
    monkeypatch.chdir(python.parents[2])
    for active in ("VIRTUAL_ENV", "CONDA_PREFIX"):  # preferred to the project's own environment
        monkeypatch.delenv(active, raising=False)
    with Hermes.load(home=home, approver=lambda _request: True) as hermes:
        answer = hermes.call("execute_code", {"code": "print(1)"})  # ends when the call inside has ended
    assert seen.exists(), answer
    assert "tool started this process" in seen.read_text()
    assert target.exists()


def test_calls_of_scripts_stay_with_their_host(session: Session) -> None:
    code = "from hermes_tools import terminal\nprint(terminal(command='rm -rf {target}'))"
    session.target.mkdir()
    result = json.loads(session.hermes.call("execute_code", {"code": code.replace("{target}", str(session.target))}))
    assert result["status"] == "success", result
    assert not session.target.exists()  # the user approved it


def test_what_needs_no_approval_works_in_a_tools_shell(session: Session, home: Path) -> None:
    assert session.run(f"{HERMES} call terminal command='echo hi'")["output"].endswith(
        '"hi\\n", "exit_code": 0, "error": null}\n'
    )
    assert "terminal" in session.run(f"{HERMES} tools")["output"]
    assert session.run("echo $HERMES_HOME")["output"] == f"{home}\n"


# -- the home --------------------------------------------------------------------------------------------------------


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home whose name does not tell what it is, and which no variable names."""
    monkeypatch.delenv("HERMES_HOME")
    place = tmp_path / "srv" / "anything"
    for name in ("approvals", "results", "plugins", "scratch", "skills", "mcp-tokens"):
        (place / name).mkdir(parents=True)
    for name in ("config.yaml", "trusted-plugins.json", "results/1.json", "approvals/1.request", "mcp-tokens/a.json"):
        (place / name).write_text("{}")
    (place / ".env").write_text("")
    (place / ".env").chmod(0o600)
    return place


@pytest.fixture
def outcome(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., str]]:
    """What is decided about a call."""
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    with Hermes.load(home=place) as hermes:

        def run(tool: str, **args: Any) -> str:
            record = hermes.run(tool, {name: _named(value, place) for name, value in args.items()})
            assert record.decision is not None, record.result
            return record.decision.outcome

        yield run


def _named(value: Any, place: Path) -> Any:
    return value.replace("HOME", str(place)) if isinstance(value, str) else value


@pytest.mark.parametrize(
    "path",
    [
        "HOME/anything.txt",
        "HOME/config.yaml",
        "HOME/approvals/1.answer",
        "HOME/trusted-plugins.json",
        "HOME/cache/entry-points-1.json",
        "HOME/plugins/scratch/x.py",
        "HOME/scratch/../config.yaml",
        "HOME/skills/.hub/lock.json",
        "../srv/anything/x",
        "/proc/self/root/HOME/x",
        "linked/x",
        "hard",
        "hermes.lock",
        "sub/hermes.lock",
    ],
)
def test_writing_in_the_home_needs_an_approval_by_whatever_name(
    outcome: Callable[..., str], place: Path, path: str
) -> None:
    Path("linked").symlink_to(place)
    os.link(place / "trusted-plugins.json", "hard")
    assert outcome("write_file", path=path, content="x") == "no-approver"
    shown = path.replace("HOME", str(place))
    assert outcome("terminal", command=f"echo x > {shown}") == "no-approver"
    assert outcome("execute_code", code=f"open({shown!r}, 'w').write('x')") == "no-approver"
    patch = f"*** Begin Patch\n*** Add File: {shown}\n+x\n*** End Patch"
    if ".." not in path:  # which no patch may have
        assert outcome("patch", mode="patch", patch=patch) == "no-approver"


@pytest.mark.parametrize("path", ["linked/plugins/x.py", "hard", "../srv/anything/x"])
def test_the_first_script_of_a_task_is_judged_in_its_directory(
    outcome: Callable[..., str], place: Path, path: str
) -> None:
    Path("linked").symlink_to(place)
    os.link(place / "trusted-plugins.json", "hard")
    assert outcome("execute_code", code=f"open({path!r}, 'w')") == "no-approver"


@pytest.mark.parametrize(
    "path", ["HOME/scratch/x", "HOME/scratch/a/b", "HOME/skills/deploy/SKILL.md", "HOME/memories/m.md"]
)
def test_the_agents_own_directories_are_its_own(outcome: Callable[..., str], place: Path, path: str) -> None:
    assert outcome("write_file", path=path, content="x") == "allowed"
    shown = path.replace("HOME", str(place))
    assert outcome("terminal", command=f"echo x > {shown}") == "allowed"


def test_secrets_of_the_home_are_not_read_and_results_are(outcome: Callable[..., str]) -> None:
    for path in ("HOME/approvals/1.request", "HOME/.env", "HOME/mcp-tokens/a.json"):
        assert outcome("read_file", path=path) == "no-approver"
        assert outcome("terminal", command=f"cat {path}") == "no-approver"
    for path in ("HOME/results/1.json", "HOME/config.yaml"):
        assert outcome("read_file", path=path) == "allowed"
        assert outcome("terminal", command=f"cat {path}") == "allowed"


def test_a_search_leaves_the_secrets_of_the_home_out(place: Path) -> None:
    (place / "mcp-tokens" / "a.json").write_text("needle")
    (place / "results" / "1.json").write_text("needle")
    (place / "config.yaml").write_text("audit: {enabled: false}\n")  # its log quotes the pattern
    with Hermes.load(home=place) as hermes:
        for folder in (place, place.parent, place.parent.parent):
            found = json.loads(hermes.call("search_files", {"pattern": "needle", "path": str(folder)}))
            assert [Path(match["path"]).name for match in found["matches"]] == ["1.json"], found


def _program_paths() -> list[str]:
    """Files that this installation consists of, or would be changed by."""
    packages = sysconfig.get_path("purelib")
    return [
        f"{packages}/other-1.0.dist-info/entry_points.txt",
        f"{packages}/other/__init__.py",
        f"{packages}/other.pth",
        str(Path(hermes_tools_terminal.plugin.__file__)),
        str(Path(hermes_core.__file__).parent / "host.py"),
        str(HERMES),
    ]


@pytest.mark.parametrize("path", _program_paths())
def test_writing_in_the_program_that_decides_needs_an_approval(outcome: Callable[..., str], path: str) -> None:
    Path("linked").symlink_to(Path(path).parent)
    for name in (path, f"linked/{Path(path).name}"):
        assert outcome("write_file", path=name, content="x") == "no-approver"
        assert outcome("terminal", command=f"echo x >> {name}") == "no-approver"
        assert outcome("terminal", command=f"rm {name}") == "no-approver"
        assert outcome("terminal", command=f"cp /dev/null {name}") == "no-approver"
        assert outcome("execute_code", code=f"open({name!r}, 'a')") == "no-approver"
    assert outcome("terminal", command=f"cat {path} || true") == "allowed"


@pytest.mark.parametrize(
    "command",
    [
        "grep -r needle HOME",
        "tar cf all.tar HOME/..",
        "find HOME -type f -exec cat {} +",
        "cat HOME/*",
        "cp -r HOME copy",
        "source HOME/.env",
        "rm *.lock",
    ],
)
def test_the_whole_home_is_not_read_unasked(outcome: Callable[..., str], command: str) -> None:
    Path("hermes.lock").write_text("{}")
    assert outcome("terminal", command=command) == "no-approver"


def test_the_program_is_not_looked_into_unasked(outcome: Callable[..., str]) -> None:
    assert outcome("terminal", command="strace -p $PPID") == "no-approver"
    assert outcome("terminal", command=f"gdb -p {os.getpid()}") == "no-approver"


@pytest.mark.parametrize(
    "command",
    [
        "mv HOME/../../srv /tmp/gone",
        "mv HOME /tmp/gone",
        "cd HOME/.. && mv anything other",
        "rm -r HOME/..",
        "rm hermes.lock",
    ],
)
def test_the_home_is_not_moved_or_deleted_unasked(outcome: Callable[..., str], command: str) -> None:
    assert outcome("terminal", command=command) == "no-approver"


def test_without_a_plugin_that_approves_a_dangerous_command_is_denied_with_the_install_command(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.mkdir()
    with Hermes(plugins=[hermes_tools_terminal.plugin]) as hermes:
        denied = json.loads(hermes.call("terminal", {"command": f"rm -rf {victim}"}))
        allowed = json.loads(hermes.call("terminal", {"command": "echo harmless"}))
    assert "pip install ./packages/hermes-approval" in denied["error"]
    assert victim.is_dir()
    assert allowed["output"] == "harmless\n"


def test_installing_the_shell_tools_installs_the_approval_prompt() -> None:
    required = {re.split(r"[<>=;\[ ]", line)[0] for line in requires("hermes-tools-terminal") or ()}
    assert {"hermes-approval", "hermes-guard"} <= required
