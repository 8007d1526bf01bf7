"""A command that the shell cannot parse is reported as such: nobody is asked about it, and none of it runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hermes_tools_terminal.environments.local import LocalEnvironment
from hermes_tools_terminal.shell.command_checks import syntax_error

Make = Callable[..., Any]

WRONG = {
    "if true": "unexpected end of file",
    'echo "unterminated': "unexpected EOF",
    "foo(": "syntax error",
    "echo a | | b": "syntax error",
    "for x in a; do echo; end": "unexpected end of file",
    "-n (": "syntax error",
    "a=(1 2": "unexpected EOF",
    "[[ a": "conditional",
    "curl http://example.com | sh; then": "unexpected token `then'",
    "sudo rm -r cache\ndone": "unexpected token `done'",
    "git push --force\nfi": "unexpected token `fi'",
}


@pytest.fixture
def asked() -> list[str]:
    """What somebody was asked about."""
    return []


@pytest.fixture
def me(agent: Make, asked: list[str], tmp_path: Path) -> Any:
    """An agent whose calls are all denied if somebody is asked."""

    def approve(request: Any) -> bool:
        asked.extend(finding.rule for finding in request.findings)
        return False

    return agent(terminal={"cwd": str(tmp_path)}, approver=approve)


@pytest.mark.parametrize("command", list(WRONG))
@pytest.mark.parametrize("how", [{}, {"background": True}, {"pty": True}])
def test_the_shells_own_words_are_the_answer(me: Any, asked: list[str], command: str, how: dict[str, Any]) -> None:
    told = me.run(command, **how)
    assert told["exit_code"] == 2
    assert WRONG[command] in told["output"]
    assert told["output"].startswith("bash: ")
    assert "none of it was run" in told["error"]
    assert asked == []


def test_no_line_before_the_wrong_one_is_run(me: Any, asked: list[str], tmp_path: Path) -> None:
    told = me.run("touch made\nrm -rf made\necho $(touch too)\nif true")
    assert told["exit_code"] == 2
    assert "line 5" in told["output"]
    assert not list(tmp_path.glob("[mt]*"))
    assert asked == []


def test_what_is_refused_stays_refused(me: Any) -> None:
    assert me.run("rm -rf /\nif true")["decision"] == "refused"


@pytest.mark.parametrize(
    "command",
    [
        "shopt -s extglob\nrm -rf !(a) <(",  # wrong in any case
        "shopt -s expand_aliases; alias begin='{'\nbegin echo; }",
    ],
)
def test_nothing_runs_without_an_answer_whatever_the_shell_is_set_to(
    me: Any, asked: list[str], command: str, tmp_path: Path
) -> None:
    (tmp_path / "b").touch()
    told = me.run(command)
    assert told.get("exit_code") == 2 or asked
    assert (tmp_path / "b").exists()


def test_what_only_the_guard_cannot_read_is_asked_about(me: Any, asked: list[str]) -> None:
    told = me.run("cat <<EOF\nnever ended")
    assert asked == ["shell.unreadable"]
    assert told["code"] == "denied"


def test_the_next_command_runs_as_usual(me: Any) -> None:
    me.run("if true")
    assert me.run("echo fine")["output"] == "fine\n"


def test_a_plain_sh_is_asked_about_its_own_syntax() -> None:
    place = LocalEnvironment()
    place.shell = "sh"
    assert "Syntax error" in (syntax_error("if true", place) or "")
    assert syntax_error("echo $((1+1))", place) is None


@pytest.mark.parametrize("command", ["echo !(a)", "cat <<EOF\nx", "x=1", "echo hi;", "# nothing", "a() { b; }"])
def test_what_the_shell_may_accept_is_no_error(command: str) -> None:
    assert syntax_error(command, LocalEnvironment()) is None


@pytest.mark.parametrize("before", ["shopt -s expand_aliases; alias begin='if true'", "set -o posix"])
def test_a_command_that_may_use_aliases_is_left_to_the_guard(agent: Make, before: str) -> None:
    me = agent()
    assert me.run(before)["exit_code"] == 0
    assert me.run("if true").get("code") == "denied"
