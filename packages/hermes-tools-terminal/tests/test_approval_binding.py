"""An approval for longer holds for what was approved: the same words somewhere else are asked about again."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from hermes_approval import Approval
from hermes_approval.grants.grant_set import GrantSet
from hermes_approval.grants.grant_store import GrantStore
from hermes_core import ApprovalRequest, Hermes
from hermes_tools_terminal.approval_binding import Links, TooMany, shown_value

Agents = Callable[..., Any]


@pytest.fixture(autouse=True)
def no_plugins_but_those_of_the_test() -> None:
    """The family is installed, and found as users find it."""


class Asked(list[ApprovalRequest]):
    """Approves everything for as long as possible, and remembers what it was asked."""

    def __init__(self, choice: str = "always") -> None:
        super().__init__()
        self.choice = choice

    def __call__(self, request: ApprovalRequest) -> str:
        self.append(request)
        return self.choice

    def count(self, act: Callable[[], Any]) -> int:  # type: ignore[override]  # what a list counts nobody needs
        """How often it is asked during something."""
        before = len(self)
        act()
        return len(self) - before


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """Two directories that look alike."""
    made = tmp_path.resolve() / "one", tmp_path.resolve() / "other"
    for folder in made:
        (folder / "build").mkdir(parents=True)
        (folder / "build" / "file").write_text("x")
    return made


@pytest.fixture
def asked() -> Asked:
    return Asked()


@pytest.fixture
def run(agent: Agents, asked: Asked, folders: tuple[Path, Path]) -> Callable[..., int]:
    """Runs a command in the first directory, and says how often that was asked about."""
    made = agent(approver=asked, terminal={"cwd": str(folders[0])})

    def run(command: str, **args: Any) -> int:
        return asked.count(lambda: made.run(command, **args))

    return run


# -- where ----------------------------------------------------------------------------------------------------------


def test_always_in_one_directory_does_not_delete_in_another(
    run: Callable[..., int], folders: tuple[Path, Path], asked: Asked
) -> None:
    one, other = folders
    assert run("rm -rf build") == 1
    (one / "build").mkdir()
    assert run("rm -rf build") == 0
    assert not (one / "build").exists()
    asked.choice = "deny"
    assert run(f"cd {other}") == 0
    assert run("rm -rf build") == 1
    assert run("rm -rf build", workdir=str(one)) == 1  # another argument than the one that was approved
    assert (other / "build" / "file").exists()
    assert run(f"cd {one}") == 0
    assert run("rm -rf build") == 0


def test_the_request_says_what_is_bound(run: Callable[..., int], folders: tuple[Path, Path], asked: Asked) -> None:
    run("rm -rf build")
    facts = dict(asked[0].bound)
    assert facts["in this directory"] == str(folders[0])
    assert facts["in this environment"] == "this machine"
    assert facts["in this project"] == str(folders[0])
    assert asked[0].once == ""


def test_another_project_or_environment_is_asked_about(
    agent: Agents, home: Path, folders: tuple[Path, Path], asked: Asked
) -> None:
    one, other = map(str, folders)

    def run(cwd: str, **settings: Any) -> int:
        with GrantedHost(home, asked, {"cwd": cwd, **settings}) as hermes:
            return asked.count(lambda: hermes.call("terminal", {"command": "rm -rf build", "workdir": one}))

    assert run(one) == 1
    assert run(one) == 0
    assert run(other) == 1
    asked.choice = "deny"
    assert run(one, env="ssh", ssh={"host": "nowhere.invalid"}) == 1
    assert run(one) == 0


class GrantedHost:
    """A host whose grants are stored, as those of `Hermes.load()` are."""

    def __init__(self, home: Path, approver: Any, terminal: dict[str, Any]) -> None:
        import hermes_tools_terminal.plugin

        self._hermes = Hermes(
            plugins=[
                hermes_tools_terminal.plugin,
                Approval(approver=approver, grants=GrantSet(store=GrantStore(home))),
            ],
            config={"terminal": terminal},
            home=home,
        )

    def __enter__(self) -> Hermes:
        return self._hermes

    def __exit__(self, *_: object) -> None:
        self._hermes.close()


def test_projects_are_repositories(agent: Agents, asked: Asked, folders: tuple[Path, Path]) -> None:
    one, _ = folders
    (one / ".git").mkdir()
    (one / "src" / "build").mkdir(parents=True)
    agent(approver=asked, terminal={"cwd": str(one / "src")}).run("rm -rf build")
    assert dict(asked[0].bound)["in this project"] == str(one)


# -- links ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command", ["rm -rf build/", "rm -rf build/file", "rm -rf ./build/file", "chmod -R 777 build", "rm -rf buil*/file"]
)
def test_a_link_that_is_swapped_in_is_asked_about(
    run: Callable[..., int], folders: tuple[Path, Path], asked: Asked, command: str
) -> None:
    one, other = folders
    assert run(command) == 1
    assert run(command) == 0
    asked.choice = "deny"
    subprocess.run(["rm", "-rf", str(one / "build")], check=True)
    (one / "build").symlink_to(other / "build")
    assert run(command) == 1
    assert any(str(other / "build") in value for _, value in asked[-1].bound)
    assert (other / "build" / "file").exists()
    (one / "build").unlink()
    (one / "build").mkdir()
    assert run(command) == 0


def test_a_link_that_leads_elsewhere_now_is_asked_about(
    run: Callable[..., int], folders: tuple[Path, Path], tmp_path: Path
) -> None:
    one, other = folders
    (one / "link").symlink_to(other / "build")
    assert run("rm -rf link/file") == 1
    assert run("rm -rf link/file") == 0
    (one / "link").unlink()
    (one / "link").symlink_to(tmp_path)
    assert run("rm -rf link/file") == 1


def test_a_directory_that_is_replaced_by_a_link_is_another_one(
    run: Callable[..., int], folders: tuple[Path, Path], asked: Asked
) -> None:
    one, other = folders
    (one / "sub" / "build").mkdir(parents=True)
    (other / "sub").mkdir()
    assert run("cd sub && rm -rf build && cd ..") == 1
    asked.choice = "deny"
    (one / "sub").rmdir()
    (one / "sub").symlink_to(other)
    assert run("cd sub && rm -rf build && cd ..") == 1
    assert (other / "build" / "file").exists()


def test_what_is_changed_while_somebody_is_asked_is_not_run(agent: Agents, folders: tuple[Path, Path]) -> None:
    one, other = folders

    def swap(_request: ApprovalRequest) -> str:
        subprocess.run(["rm", "-rf", str(one / "build")], check=True)
        (one / "build").symlink_to(other / "build")
        return "once"

    found = agent(approver=swap, terminal={"cwd": str(one)}).run("rm -rf build/file")
    assert "has changed" in found["error"]
    assert (other / "build" / "file").exists()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("link", ["link"]),
        ("./link/x", ["./link/x"]),
        ("--out=link/x", ["link/x"]),
        ("-Clink", ["link"]),
        ("if=link", ["if=link", "link"][1:]),
        ("@link", ["link"]),
        ("host:link", ["link"]),
        ("open('link/x').write('y')", ["link/x"]),
        ("plain/x", []),
        ("-rf", []),
        ("sub/../link", ["sub/../link"]),
        ("sub/../plain", []),
        ("nul\0byte", []),
    ],
)
def test_links_are_found_in_words(tmp_path: Path, text: str, found: list[str]) -> None:
    for name in ("plain", "sub"):
        (tmp_path / name).mkdir()
    (tmp_path / "link").symlink_to("plain")
    assert [path for path, _ in Links().targets(str(tmp_path), text)] == found


def test_more_files_than_can_be_looked_at_are_too_many(tmp_path: Path) -> None:
    with pytest.raises(TooMany):
        list(Links().targets(str(tmp_path), " ".join(f"file{number}" for number in range(5_000))))


# -- variables, functions, aliases ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command",
    ["rm -rf $(cat list)", "xargs rm -rf < list", "cat list | xargs rm -rf", 'read -r F < list; rm -rf "$F"'],
)
def test_a_file_that_was_written_with_other_content_is_asked_about(
    run: Callable[..., int], folders: tuple[Path, Path], asked: Asked, command: str
) -> None:
    run("echo build/file > list")
    assert run(command) == 1
    assert ("with the file " + str(folders[0] / "list"), "build/file\n") in asked[-1].bound
    assert run(command) == 0
    run("echo build > list")
    asked.choice = "deny"
    assert run(command) == 1
    assert (folders[0] / "build").exists()


@pytest.mark.parametrize("command", ["rm -rf ~1/build", "pushd && rm -rf build", "pushd +1 && rm -rf build"])
def test_a_directory_of_the_stack_is_approved_once(
    run: Callable[..., int], folders: tuple[Path, Path], command: str
) -> None:
    run(f"pushd {folders[1]}")
    assert run(command) == 1
    run(f"cd {folders[1]}")
    assert run(command) == 1


@pytest.mark.parametrize("runner", ["bash ./do", ". ./do", "chmod +x do; ./do"])
def test_a_script_that_was_written_with_other_content_is_asked_about(
    run: Callable[..., int], asked: Asked, runner: str
) -> None:
    run("echo 'rm -rf build/file' > do")
    assert (run(runner), run(runner)) == (1, 0)
    asked.choice = "deny"
    run("echo 'rm -rf build' > do")
    assert run(runner) == 1


@pytest.mark.parametrize(
    "change",
    ["F=other", "export F=other", "read -r F <<< other", "printf -v F other", "f() { F=other; }; f", "source ./set.sh"],
)
def test_a_variable_with_another_value_is_asked_about(
    run: Callable[..., int], folders: tuple[Path, Path], change: str
) -> None:
    (folders[0] / "set.sh").write_text("F=other\n")
    run("F=file")
    assert run('rm -rf "$F"') == 1
    assert run('rm -rf "$F"') == 0
    run(change)
    assert run('rm -rf "$F"') == 1


@pytest.mark.parametrize(
    ("first", "then", "command"),
    [
        ("set -- a", "set -- b", 'rm -rf "$1"'),
        ("set -- a", "set -- b", 'rm -rf "$@"'),
        ("set -- a", "set -- b", 'for each; do rm -rf "$each"; done'),
        ("set -- x a", "set -- x b", 'shift; rm -rf "$1"'),
        ("set -- x a", "set -- x b", 'rm -rf "${@:2}"'),
        ("cd a; cd ..", "cd b; cd ..", "cd - && rm -rf build"),
        ("N=1", "IFS=/", "rm -rf $HOME/build"),
        ("shopt -u dotglob", "shopt -s dotglob", "rm -rf *"),
        ("unset GLOBIGNORE", "GLOBIGNORE=x", "rm -rf *"),
        ("LC_ALL=C", "LC_ALL=en_US.UTF-8", "rm -rf [a-c]*"),
        ("set +P", "set -P", "cd a/.. && rm -rf build"),
        ("set +o physical", "set -o physical", "cd a/.. && rm -rf build"),
        ("USER=a", "USER=b", 'rm -rf "$USER"'),
        ("HOSTNAME=a", "HOSTNAME=b", 'rm -rf "$HOSTNAME"'),
        ("OSTYPE=a", "export OSTYPE=b", "f() { rm -rf $OSTYPE; }; f"),
        ("BASH=a", "BASH=b", 'rm -rf "$BASH"'),
        ("OPTIND=1", "OPTIND=2", 'rm -rf "$OPTIND"'),
        ("cd a; cd ..", "PWD=$PWD/b", 'rm -rf "$PWD/build"'),
        ("cd a; cd ..", "PWD=$PWD/b", "rm -rf ~+/build"),
        ("cd a", f"cd a; PWD={os.environ.get('PWD', os.getcwd())}", "rm -rf ~+/build"),  # as Hermes itself inherited
    ],
)
def test_what_else_a_shell_remembers_is_bound(
    run: Callable[..., int], folders: tuple[Path, Path], first: str, then: str, command: str
) -> None:
    for name in ("a", "b"):
        (folders[0] / name).mkdir()
    back = f"cd {folders[0]}; "
    run(back + first)
    assert run(command) == 1
    run(back + first)
    assert run(command) == 0
    run(back + then)
    assert run(command) == 1


def test_a_secret_that_is_read_by_a_variable_is_not_another_one(run: Callable[..., int], asked: Asked) -> None:
    run("F=/etc/shadow")
    assert run('cat "$F"') == 1
    assert run('cat "$F"') == 0
    asked.choice = "deny"
    run("F=$HOME/.ssh/id_rsa")
    assert run('cat "$F"') == 1


def test_a_command_that_sets_its_own_variable_depends_on_no_other(run: Callable[..., int]) -> None:
    for count in (1, 0, 0):
        assert run('F=file; rm -rf "$F"') == count
    run("F=other")
    assert run('F=file; rm -rf "$F"') == 0


@pytest.mark.parametrize(
    "command",
    [
        'rm -rf "$UNKNOWN"',
        "rm -rf $(cat list)",
        "rm -rf x.$$",
        "rm -rf $RANDOM",
        "cat list | xargs rm -rf",
        "rm -rf $1",
    ],
)
def test_what_is_not_known_is_approved_once(run: Callable[..., int], asked: Asked, command: str) -> None:
    for _ in range(2):
        assert run(command) == 1
        assert asked[-1].once


def test_a_function_or_alias_of_the_same_name_is_another_one(run: Callable[..., int]) -> None:
    run("clean() { rm -rf build; }")
    assert run("clean") == 1
    assert run("clean") == 0
    run("clean() { rm -rf src; }")
    assert run("clean") == 1
    run("clean() { rm -rf build; }")
    assert run("clean") == 0
    run("shopt -s expand_aliases")
    run("alias wipe='rm -rf build'")
    assert run("wipe") == 1
    run("alias wipe='rm -rf src'")
    assert run("wipe") == 1


def test_a_command_depends_on_what_its_program_is_given(run: Callable[..., int]) -> None:
    assert run("git push --force") == 1
    assert run("git push --force") == 0
    run("export GIT_DIR=/elsewhere")
    assert run("git push --force") == 1
    assert run("rm -rf build") == 1
    run("export UNRELATED=1")
    assert run("rm -rf build") == 0  # it does the same whatever it is given
    run("PATH=/elsewhere:$PATH")
    assert run("rm -rf build") == 1


def test_a_sourced_file_that_defines_nothing_of_it_does_not_matter(
    run: Callable[..., int], folders: tuple[Path, Path]
) -> None:
    (folders[0] / "set.sh").write_text("OTHER=1\nhelper() { :; }\n")
    assert run("rm -rf build") == 1
    run(". ./set.sh")
    assert run("rm -rf build") == 0
    (folders[0] / "shadow.sh").write_text("rm() { echo no; }\n")
    run(". ./shadow.sh")
    assert run("rm -rf build") == 1


def test_start_up_files_may_define_anything(agent: Agents, asked: Asked, folders: tuple[Path, Path]) -> None:
    start = folders[0] / "start.sh"
    start.write_text("F=file\nclean() { rm -rf build; }\n")
    made = agent(approver=asked, terminal={"cwd": str(folders[0]), "shell_init_files": [str(start)]})
    for command in ('rm -rf "$F"', "sudo clean"):
        made.run(command)
        assert asked[-1].once
    made.run("rm -rf build")
    assert not asked[-1].once


def test_secrets_are_compared_by_their_digest() -> None:
    secret = "ghp_" + "a1B2" * 9
    assert secret not in shown_value("TOKEN", secret)
    assert shown_value("TOKEN", secret) != shown_value("TOKEN", secret + "x")
    assert shown_value("F", "/etc/hosts") == "/etc/hosts"
    assert len(shown_value("F", "x" * 5_000)) < 400
    assert shown_value("F", "x" * 5_000) != shown_value("F", "x" * 4_999 + "y")


# -- every path that a call can take ---------------------------------------------------------------------------------


def _script(command: str) -> tuple[str, dict[str, Any]]:
    code = f"from hermes_tools import terminal\nprint(terminal(command={command!r}))"
    return "execute_code", {"code": code}


PATHS: dict[str, Callable[[Hermes, str], object]] = {
    "direct": lambda hermes, command: hermes.call("terminal", {"command": command}),
    "batch": lambda hermes, command: hermes.batch([("terminal", {"command": command})]),
    "script": lambda hermes, command: hermes.call(*_script(command)),
}


@pytest.mark.parametrize("granted_by", PATHS)
def test_every_path_is_bound(agent: Agents, asked: Asked, folders: tuple[Path, Path], granted_by: str) -> None:
    one, other = folders
    hermes = agent(approver=asked, terminal={"cwd": str(one)}).hermes
    assert asked.count(lambda: PATHS[granted_by](hermes, "rm -rf build")) == 1
    for path in PATHS.values():
        assert asked.count(partial(path, hermes, "rm -rf build")) == 0
    asked.choice = "deny"
    PATHS["direct"](hermes, f"cd {other}")
    for path in PATHS.values():
        assert asked.count(partial(path, hermes, "rm -rf build")) == 1
    assert (other / "build" / "file").exists()


def test_the_command_line_shows_and_keeps_what_is_bound(home: Path, folders: tuple[Path, Path]) -> None:
    one, other = folders
    hermes = str(Path(sysconfig.get_path("scripts")) / "hermes")
    call = [hermes, "call", "terminal", "command=rm -rf build"]
    shown = _at_a_terminal(call, one, b"f\na\n")
    assert f"in this directory: {one}" in shown.replace("\r\n  : ", "")
    assert not (one / "build").exists()
    (one / "build").mkdir()
    assert subprocess.run(call, cwd=one, stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode == 0
    assert subprocess.run(call, cwd=other, stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode == 4
    assert (other / "build" / "file").exists()
    listed = subprocess.run([hermes, "approvals", "list", "--json"], capture_output=True, check=True, text=True)
    (grant,) = json.loads(listed.stdout)["grants"]
    assert ["in this directory", str(one)] in grant["bound"]
    assert f"in this directory: {one}" in grant["allows"]


def _at_a_terminal(argv: list[str], cwd: Path, typed: bytes) -> str:
    ours, theirs = pty.openpty()
    launch = "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
    words = [sys.executable, "-c", launch, *argv]
    child = subprocess.Popen(words, cwd=cwd, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True)
    os.close(theirs)
    shown, answers = b"", typed.splitlines(keepends=True)
    try:
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
            if not piece:
                break
            shown += piece
            if shown.rstrip().endswith(b"Your answer:") and answers:
                os.write(ours, answers.pop(0))
                shown += b"\n"
    finally:
        os.close(ours)
        assert child.wait(30) is not None
    return shown.decode(errors="replace")


# -- scripts, files, processes --------------------------------------------------------------------------------------


def test_a_script_is_bound_to_its_directory_its_python_and_its_files(
    agent: Agents, asked: Asked, folders: tuple[Path, Path]
) -> None:
    one, other = folders
    made = agent(approver=asked, terminal={"cwd": str(one)})
    code = {"code": "import shutil\nshutil.rmtree('build', ignore_errors=True)"}
    assert asked.count(lambda: made.call("execute_code", code)) == 1
    assert asked.count(lambda: made.call("execute_code", code)) == 0
    assert dict(asked[0].bound)["with this Python"] == os.path.realpath(sys.executable)
    asked.choice = "deny"
    (one / "build").symlink_to(other / "build")
    assert asked.count(lambda: made.call("execute_code", code)) == 1
    (one / "build").unlink()
    made.run(f"cd {other}")
    assert asked.count(lambda: made.call("execute_code", code)) == 1
    assert (other / "build" / "file").exists()


def test_a_file_is_bound_by_where_its_path_leads(agent: Agents, asked: Asked, folders: tuple[Path, Path]) -> None:
    one, other = folders
    made = agent(approver=asked, terminal={"cwd": str(one)})
    for folder in folders:
        (folder / ".env").write_text("KEY=value\n")
    reading = {"file_path": ".env"}
    assert asked.count(lambda: made.call("read_file", reading)) == 1
    assert dict(asked[0].bound)["for this file"] == str(one / ".env")
    assert asked.count(lambda: made.call("read_file", reading)) == 0
    asked.choice = "deny"
    (one / ".env").unlink()
    (one / ".env").symlink_to(other / ".env")
    assert asked.count(lambda: made.call("read_file", reading)) == 1
    made.run(f"cd {other}")
    assert asked.count(lambda: made.call("read_file", reading)) == 1


def test_what_a_process_is_told_is_approved_once(agent: Agents, asked: Asked, folders: tuple[Path, Path]) -> None:
    made = agent(approver=asked, terminal={"cwd": str(folders[0])})
    process = made.start("bash")
    for _ in range(2):
        assert asked.count(lambda: made.process("submit", process, data="rm -rf build")) == 1
        assert asked[-1].once


# -- rules of others, and grants made by hand -----------------------------------------------------------------------


def test_a_policy_that_asks_about_harmless_commands_is_bound_as_well(
    agent: Agents, asked: Asked, folders: tuple[Path, Path]
) -> None:
    policy = [{"name": "all", "match": {"tool": "terminal"}, "action": "ask", "reason": "it is a command"}]
    made = agent(approver=asked, terminal={"cwd": str(folders[0])}, policy=policy)
    made.run("F=one")
    assert asked.count(lambda: made.run('cat "$F"')) == 1
    assert asked.count(lambda: made.run('cat "$F"')) == 0
    made.run("F=other")
    assert asked.count(lambda: made.run('cat "$F"')) == 1


def test_a_command_allowlist_holds_everywhere(asked: Asked, home: Path, folders: tuple[Path, Path]) -> None:
    home.mkdir()
    (home / "config.yaml").write_text("command_allowlist:\n  - rm -rf build\n")
    with Hermes.load(home=home, approver=asked) as hermes:
        for folder in folders:
            hermes.call("terminal", {"command": "rm -rf build", "workdir": str(folder)})
            assert not (folder / "build").exists()
    assert asked == []
