"""The actual file system: links, pipes, sockets, and other names of the same file."""

import os
import socket
from pathlib import Path

import pytest

from hermes_guard.paths import judge_path


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home" / ".ssh").mkdir(parents=True)
    (tmp_path / "home" / ".ssh" / "deploy").write_text("secret")
    (tmp_path / "home" / ".bashrc").write_text("")
    return tmp_path / "home"


@pytest.fixture
def workspace(home: Path) -> Path:
    folder = home / "shop"
    folder.mkdir()
    return folder


def test_a_link_is_judged_by_where_it_leads(home: Path, workspace: Path) -> None:
    (workspace / "notes.txt").symlink_to(home / ".ssh" / "deploy")
    (workspace / "rc").symlink_to("../.bashrc")
    (workspace / "passwords").symlink_to("/etc/shadow")
    (workspace / "disk").symlink_to("/dev/sda")
    assert judge_path("read", "notes.txt", workspace=workspace, home=home).rules == ("path.ssh-key",)
    assert judge_path("write", "rc", workspace=workspace, home=home).rules == ("path.shell-startup",)
    assert judge_path("write", workspace / "passwords", workspace=workspace, home=home).rules == ("path.shadow",)
    assert judge_path("write", workspace / "disk", workspace=workspace, home=home).refused


def test_a_link_to_a_folder_is_judged_by_what_lies_below(home: Path, workspace: Path) -> None:
    (workspace / "assets").symlink_to(home / ".ssh")
    (workspace / "chain").symlink_to("assets")
    assert not judge_path("read", "assets/deploy", workspace=workspace, home=home).allowed
    assert not judge_path("write", "chain/new-file", workspace=workspace, home=home).allowed


def test_going_up_from_a_link_goes_up_from_where_it_leads(home: Path, workspace: Path) -> None:
    (home / ".ssh" / "deep").mkdir()
    (workspace / "in").symlink_to(home / ".ssh" / "deep")
    assert not judge_path("read", "in/../deploy", workspace=workspace, home=home).allowed


def test_a_link_out_of_the_workspace_is_asked_for_writing_only(workspace: Path) -> None:
    (workspace / "data").symlink_to("/srv")
    assert judge_path("write", "data/x.csv", workspace=workspace, home="/home/dev").rules == ("path.outside-workspace",)
    assert judge_path("read", "data/x.csv", workspace=workspace, home="/home/dev").allowed


def test_a_link_within_the_workspace_is_ordinary(home: Path, workspace: Path) -> None:
    (workspace / "real.txt").write_text("x")
    (workspace / "link.txt").symlink_to("real.txt")
    assert judge_path("write", "link.txt", workspace=workspace, home=home).allowed


def test_a_workspace_behind_a_link_is_the_workspace(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "work").symlink_to("real")
    for path in ("a.txt", tmp_path / "work" / "a.txt", tmp_path / "real" / "a.txt"):
        assert judge_path("write", path, workspace=tmp_path / "work", home="/home/dev").allowed


def test_a_loop_of_links_is_asked(workspace: Path, home: Path) -> None:
    (workspace / "a").symlink_to("b")
    (workspace / "b").symlink_to("a")
    assert judge_path("read", "a/x", workspace=workspace, home=home).rules == ("path.unresolved",)


def test_a_broken_link_is_judged_by_its_target(workspace: Path, home: Path) -> None:
    (workspace / "new").symlink_to(home / ".zshrc")
    assert judge_path("write", "new", workspace=workspace, home=home).rules == ("path.shell-startup",)


def test_a_folder_that_may_not_be_looked_into_is_asked(
    workspace: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = os.lstat

    def refused(path: str) -> os.stat_result:
        # Root may look into every folder, and tests may run as root.
        if "/closed/" in path:
            raise PermissionError(path)
        return looked(path)

    (workspace / "closed").mkdir()
    monkeypatch.setattr(os, "lstat", refused)
    assert judge_path("read", "closed/a/b", workspace=workspace, home=home).rules == ("path.unresolved",)


def test_another_name_of_a_secret_is_the_secret(home: Path, workspace: Path) -> None:
    (workspace / "a.txt").hardlink_to(home / ".ssh" / "deploy")
    (workspace / "b.txt").hardlink_to(home / ".bashrc")
    assert judge_path("read", "a.txt", workspace=workspace, home=home).rules == ("path.ssh-key",)
    assert judge_path("write", "b.txt", workspace=workspace, home=home).rules == ("path.shell-startup",)


@pytest.mark.parametrize("name", [".netrc", ".npmrc", ".git-credentials", ".aws/credentials", "shop/.env"])
def test_another_name_of_a_known_credential_is_the_credential(home: Path, workspace: Path, name: str) -> None:
    secret = home / name
    secret.parent.mkdir(exist_ok=True)
    secret.write_text("secret")
    (workspace / "copy.txt").hardlink_to(secret)
    assert not judge_path("read", "copy.txt", workspace=workspace, home=home).allowed
    assert not judge_path("write", "copy.txt", workspace=workspace, home=home).allowed


@pytest.mark.parametrize(
    "name", [".git/hooks/pre-commit", ".git/config", ".husky/pre-push", ".mcp.json", ".vscode/tasks.json"]
)
@pytest.mark.parametrize("known", [True, False])
def test_another_name_of_what_runs_later_is_asked(home: Path, workspace: Path, name: str, known: bool) -> None:
    (workspace / ".git").mkdir()
    later = workspace / name
    later.parent.mkdir(parents=True, exist_ok=True)
    later.write_text("")
    (workspace / "deep").mkdir()
    (workspace / "deep" / "run.sh").hardlink_to(later)
    found = judge_path("write", workspace / "deep" / "run.sh", workspace=workspace if known else None, home=home)
    assert found.severity == "ask"
    assert judge_path("read", workspace / "deep" / "run.sh", workspace=workspace, home=home).allowed


def test_two_names_of_an_ordinary_file_are_ordinary(home: Path, workspace: Path) -> None:
    (workspace / "a.txt").write_text("x")
    (workspace / "b.txt").hardlink_to(workspace / "a.txt")
    assert judge_path("write", "b.txt", workspace=workspace, home=home).allowed


def test_a_pipe_is_asked(workspace: Path, home: Path) -> None:
    os.mkfifo(workspace / "pipe")
    (workspace / "link").symlink_to("pipe")
    assert judge_path("read", "pipe", workspace=workspace, home=home).rules == ("path.fifo",)
    assert judge_path("write", "link", workspace=workspace, home=home).rules == ("path.fifo",)


def test_a_socket_is_asked(workspace: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(workspace)  # the full path would be too long for a socket
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("s")
        assert judge_path("write", workspace / "s", workspace=workspace, home=home).rules == ("path.socket",)


def test_a_link_to_a_device_is_the_device(workspace: Path, home: Path) -> None:
    (workspace / "nothing").symlink_to("/dev/null")
    (workspace / "disk").symlink_to("/dev/sda")
    (workspace / "endless").symlink_to("/dev/zero")
    assert judge_path("write", "nothing", workspace=workspace, home=home).allowed
    assert judge_path("write", "disk", workspace=workspace, home=home).refused
    assert judge_path("read", "endless", workspace=workspace, home=home).rules == ("path.endless-device",)


def test_a_link_into_proc_is_judged_by_its_name(workspace: Path, home: Path) -> None:
    (workspace / "env").symlink_to("/proc/self/environ")
    (workspace / "root").symlink_to("/proc/self/root")
    assert not judge_path("read", "env", workspace=workspace, home=home).allowed
    assert judge_path("write", "root/etc/shadow", workspace=workspace, home=home).rules == ("path.shadow",)
    assert judge_path("write", "root/dev/sda", workspace=workspace, home=home).refused


def test_a_home_behind_a_link_is_the_home(tmp_path: Path, home: Path) -> None:
    (tmp_path / "alias").symlink_to("home")
    assert judge_path("write", tmp_path / "alias" / ".bashrc", home=home).rules == ("path.shell-startup",)
    assert judge_path("write", tmp_path / "home" / ".bashrc", home=tmp_path / "alias").rules == ("path.shell-startup",)
