"""What is asked about, and where: in places that keep this machine safe, and in those that do not."""

from __future__ import annotations

import threading
import types
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from hermes_core import ApprovalRequest, hookimpl
from hermes_tools_terminal import command_assessment as guarding
from hermes_tools_terminal.command_assessment import as_heredoc, assess_command
from hermes_tools_terminal.environments.local import LocalEnvironment

Make = Callable[..., Any]


class Box(LocalEnvironment):
    """A place that says of itself that it is isolated; what it lets out is the test's choice."""

    kind = "box"
    isolated = True
    out: Sequence[str] = ()

    def leaks(self) -> Sequence[str]:
        """What can be reached from inside."""
        return self.out


class Boxes:
    """A plugin that brings the box."""

    def __init__(self, *out: str, isolated: bool = True) -> None:
        self.out, self.isolated = out, isolated

    @hookimpl
    def hermes_providers(self) -> Mapping[str, Mapping[str, Callable[[], object]]]:
        """For `terminal.env: box`."""

        def make(settings: Any, *, task: str, home: str) -> Box:
            box = Box(settings.cwd)
            box.out, box.isolated = self.out, self.isolated
            return box

        provider = types.SimpleNamespace(
            KIND="box", check=lambda settings: None, make=make, reap=lambda settings, home: 0
        )
        return {"terminal_environment": {"box": lambda: provider}}


def test_an_isolated_place_is_not_asked_about_what_stays_inside(agent: Make, tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    me = agent(plugins=[Boxes()], terminal={"env": "box", "cwd": str(tmp_path)})
    assert me.run("rm -rf src")["exit_code"] == 0
    assert not (tmp_path / "src").exists()


def test_an_isolated_place_is_asked_about_when_the_user_wants_that(agent: Make, tmp_path: Path) -> None:
    me = agent(plugins=[Boxes()], terminal={"env": "box", "cwd": str(tmp_path), "guard_isolated": True})
    assert me.run("rm -rf src")["code"] == "denied"


def test_a_place_that_is_not_isolated_is_asked_about(agent: Make, tmp_path: Path) -> None:
    me = agent(plugins=[Boxes(isolated=False)], terminal={"env": "box", "cwd": str(tmp_path)})
    assert me.run("rm -rf src")["code"] == "denied"


@pytest.mark.parametrize("command", ["rm -rf /", "mkfs.ext4 /dev/sda", "reboot", ":(){ :|:& };:"])
def test_what_is_refused_is_refused_everywhere(agent: Make, command: str) -> None:
    me = agent(plugins=[Boxes()], terminal={"env": "box"}, approver=lambda request: True, approvals="off")
    assert me.run(command)["decision"] == "refused"


@pytest.mark.parametrize(
    ("leak", "command", "asked"),
    [
        ("folder:/data", "rm -rf /data/old", True),
        ("folder:/data", "rm -rf old", True),
        ("folder:/data", "rm -rf /tmp/../data/old", True),
        ("network", "git push --force", True),
        ("network", "aws s3 rb s3://bucket --force", True),
        ("network", "kubectl delete namespace shop", True),
        ("network", "rm -rf /data/old", False),
        ("socket:/var/run/docker.sock", "rm -rf old", True),
        ("host", "rm -rf old", True),
    ],
)
def test_what_leaves_the_box_is_asked_about(leak: str, command: str, asked: bool) -> None:
    box = Box("/")
    box.out = (leak,)
    severities = {finding.severity for finding in assess_command(command, cwd="/work", environment=box)}
    assert severities == ({"ask"} if asked else {"note"})


def test_an_approval_shows_the_part_that_is_meant(agent: Make, tmp_path: Path) -> None:
    seen: list[ApprovalRequest] = []

    def approve(request: ApprovalRequest) -> bool:
        seen.append(request)
        return False

    agent(approver=approve, terminal={"cwd": str(tmp_path)}).run("ls && rm -rf build && ls")
    assert [finding.span for finding in seen[0].findings] == ["rm -rf build"]
    assert seen[0].findings[0].rule == "delete.recursive"


def test_where_a_command_runs_is_part_of_what_it_does(agent: Make, tmp_path: Path) -> None:
    me = agent(terminal={"cwd": str(tmp_path)})
    me.run("cd /")
    assert me.run("rm -rf *")["decision"] == "refused"
    assert me.run("rm -rf *", workdir=str(tmp_path / "x"))["decision"] == "no-approver"


def test_what_a_process_is_told_is_one_text_with_its_program() -> None:
    assert as_heredoc("bash", "ls") == "{ bash\n} <<'HERMES_INPUT'\nls\nHERMES_INPUT\n"
    assert "HERMES_INPUT_\n" in as_heredoc("bash", "HERMES_INPUT")


@pytest.mark.parametrize(
    ("before", "command"),
    [
        ('ls() { rm -rf "$HOME/x"; }', "ls"),
        ('d() { rm "$@"; }', "d -rf ~/x"),
        ("shopt -s expand_aliases; alias a=rm", "a -rf ~/x"),
        ("hash -p /bin/rm ls", "ls -rf ~/x"),
        ("set -- -rf ~/x", "rm $*"),
        ("IFS=,", "c=rm,-rf,$HOME/x; $c"),
        ("x='a[$(rm -rf ~/x)]'", "echo $((x))"),
        ("x='$(rm -rf ~/x)'", 'echo "${x@P}"'),
        ("cp /bin/rm ./l", "./l -rf ~/x"),
        ("echo 'rm -rf ~/x' > s", "sh s"),
        ("printf 'rm -rf ~/x' > s", ". ./s"),
        ("export HOME=~/.ssh", "echo evil >> ~/rc"),
    ],
)
def test_what_an_earlier_command_left_behind_is_part_of_what_a_command_means(
    agent: Make, tmp_path: Path, before: str, command: str
) -> None:
    me = agent(terminal={"cwd": str(tmp_path)})
    assert me.run(before).get("exit_code") == 0
    assert me.run("echo between").get("exit_code") == 0
    assert me.run(command).get("code") == "denied"


def test_what_earlier_commands_left_behind_does_not_make_harmless_ones_dangerous(agent: Make, tmp_path: Path) -> None:
    me = agent(terminal={"cwd": str(tmp_path)}, approver=lambda request: True)
    me.run("mkdir build src; rm -rf build; export NAME=x; f() { echo f; }; echo 'echo hi' > s.sh")
    quiet = agent(terminal={"cwd": str(tmp_path)})
    quiet.run("export NAME=x; f() { echo f; }; echo 'echo hi' > s.sh")
    for command in ("ls", "f", "sh s.sh", "echo $NAME", "git status || true", "cd src && pwd", "rm s.sh"):
        assert "exit_code" in quiet.run(command), command


def test_a_folder_under_another_name_is_the_folder(agent: Make, tmp_path: Path) -> None:
    secrets = tmp_path / ".ssh"
    secrets.mkdir()
    me = agent(terminal={"cwd": str(tmp_path)})
    me.run(f"cd {secrets}; PWD=/tmp")
    assert me.run("echo evil >> authorized_keys").get("code") == "denied"


def test_nobody_speaks_to_what_keeps_the_shell_running(agent: Make) -> None:
    me = agent()
    assert me.run("_h_at_exit='echo gone'")["code"] == "denied"
    assert me.run("my_h_value=1")["exit_code"] == 0


def test_a_command_is_judged_once_more_when_another_one_came_between(agent: Make, tmp_path: Path) -> None:
    (tmp_path / ".ssh").mkdir()
    me = agent(terminal={"cwd": str(tmp_path)})
    me.run("true")
    first = threading.Thread(target=me.run, args=("sleep 1; cd .ssh",))
    first.start()
    while not any(task.busy for task in me.hermes._dispatcher.default_session.state["terminal"]):
        pass
    told = me.run("echo evil >> rc")
    first.join()
    assert told["exit_code"] == -1
    assert "has changed the shell" in told["error"]
    assert not (tmp_path / ".ssh" / "rc").exists()


def test_a_command_that_names_a_file_is_judged_by_what_the_file_is_now(tmp_path: Path) -> None:
    place, notes = LocalEnvironment(str(tmp_path)), tmp_path / "notes"
    notes.write_text("nothing")
    for _ in range(3):
        assert assess_command("cat notes", cwd=str(tmp_path), environment=place) == []
    notes.unlink()
    notes.symlink_to("/etc/shadow")
    assert [found.severity for found in assess_command("cat notes", cwd=str(tmp_path), environment=place)] == ["ask"]


def test_harmless_words_are_kept_in_mind_and_not_too_many_of_them(tmp_path: Path) -> None:
    place = LocalEnvironment(str(tmp_path))
    for number in range(guarding._MAX_HARMLESS + 10):
        assert assess_command(f"echo {number}", cwd="/", environment=place) == []
    assert 0 < len(guarding._harmless) <= guarding._MAX_HARMLESS
    before = len(guarding._harmless)
    assert assess_command("echo " + "x" * guarding._MAX_CHARACTERS, cwd="/", environment=place) == []
    assert assess_command("rm -rf /", cwd="/", environment=place)
    assert len(guarding._harmless) == before


@pytest.mark.parametrize("command", ["rm -rf *", "cd x && rm -rf *", "echo evil >> authorized_keys"])
def test_the_same_words_elsewhere_are_judged_anew(tmp_path: Path, command: str) -> None:
    place = LocalEnvironment(str(tmp_path))
    worst = {
        cwd: {found.severity for found in assess_command(command, cwd=cwd, environment=place)} for cwd in ("/srv", "/")
    }
    again = {
        cwd: {found.severity for found in assess_command(command, cwd=cwd, environment=place)} for cwd in ("/", "/srv")
    }
    assert worst == again


def test_what_is_judged_with_a_memory_is_what_the_guard_says() -> None:
    from hermes_guard import judge

    place = LocalEnvironment("/")
    for command in ("true", "ls -la", "rm -rf build", "cat ~/.ssh/id_rsa", "git push --force", "echo a > /etc/passwd"):
        for _ in range(2):
            found = [each.rule for each in assess_command(command, cwd="/srv", environment=place)]
            assert found == [each.rule for each in judge(command, cwd="/srv").findings]
