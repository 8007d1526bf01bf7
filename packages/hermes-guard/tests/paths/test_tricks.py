"""Paths that an attacker would try, by class: each is detected."""

import pytest

from hermes_guard.paths import judge_path

HOME = "/home/dev"
WORKSPACE = "/home/dev/shop"

DOTS = [
    "/etc/../etc/shadow",
    "/etc/./shadow",
    "//etc//shadow",
    "///etc///shadow///",
    "/etc/shadow/",
    "/etc/shadow/.",
    "/tmp/../etc/shadow",
    "/tmp/x/../../../../etc/shadow",
    "/home/dev/shop/../../../etc/shadow",
    "../../../etc/shadow",
    "./../../../../../../etc/shadow",
    "a/b/../../../../../etc/shadow",
    "/etc/x/../shadow",
    "/./etc/shadow",
    "/../etc/shadow",
]
KERNEL_LINKS = [
    "/proc/self/root/etc/shadow",
    "/proc/1/root/etc/shadow",
    "/proc/thread-self/root/etc/shadow",
    "/proc/self/task/1/root/etc/shadow",
    "/proc/self/root/proc/self/root/etc/shadow",
    "/proc/self/root/../etc/shadow",
    "/proc/self/root/../../etc/shadow",
    "/proc/./self//root/etc/shadow",
    "/proc/self/cwd/../../../etc/shadow",
    "/proc/self/fd/3/etc/shadow",
    "/dev/fd/3/etc/shadow",
    "/dev/fd/../environ",
    "/dev/fd/../root/etc/shadow",
    "/dev/fd/../../etc/shadow",
    "/dev/fd/3/../../../etc/shadow",
    "/PROC/self/root/etc/shadow",
    "/private/etc/shadow",
    "/private/etc/master.passwd",
    "/System/Volumes/Data/private/etc/master.passwd",
]
LETTERS = [
    "/ETC/SHADOW",
    "~/.SSH/ID_RSA",
    "~/.Ssh/Id_Ed25519",
    "~/.AWS/Credentials",
    "/etc/ｓｈａｄｏｗ",
    "／etc／shadow",
    "/etc/sh\u200badow",
    "/etc/\u2060shadow",
    "/etc/shadow\ufeff",
    "/etc/shаdow",
    "~/.ssһ/id_rsa",
    "~/.ssh\u00ad/id_rsa",
    "~∕.ssh∕id_rsa",
    "˜/.ssh/id_rsa",
    "．env",
    ".ｅnv",
    ".env\u200d",
    "\u202e.env",
    ".e\u202anv",
    "/etc/shadow ",
    "/etc/shadow.",
    "/etc/shadow. .",
    "~/.ssh./id_rsa",
    ".env ",
    ".env.",
    ".env...",
    " .env",
    "\t.env",
    '"/etc/shadow"',
    "'.env'",
    "/etc/shadow\u3000",
    "/e\u0301tc\u200b/x\x00",
]
BYTES = [
    "/etc/shadow\0",
    "/etc/shadow\0.txt",
    "notes.txt\0/etc",
    "/etc/sha\rdow",
    "/etc/shadow\n",
    "a\x1b[2Kb",
    "notes\x7f.txt",
    "a\x85b",
    "a\ud800b",
    "",
    " ",
    "\n",
    "a" * 5000,
    "/" * 5000 + "etc/shadow",
    "a/" * 5000,
]
FORMS = [
    "file:///etc/shadow",
    "file://localhost/etc/shadow",
    "FILE:/etc/shadow",
    "file:///etc/%73hadow",
    "/etc/%73hadow",
    "%2e%2e/%2e%2e/%2e%2e/etc/shadow",
    "..\\..\\..\\etc\\shadow",
    "\\etc\\shadow",
    "C:\\Windows\\System32\\config\\SAM",
    "c:/windows/system32/config/sam",
    "C:\\Users\\dev\\.ssh\\id_rsa",
    "\\\\?\\C:\\Users\\dev\\.aws\\credentials",
    "/mnt/c/Users/dev/.ssh/id_rsa",
    "\\.env",
    ".env::$DATA",
    "\\\\.\\PhysicalDrive0",
]
HOMES = [
    "~/.ssh/id_rsa",
    "~dev/.ssh/id_rsa",
    "~root/.ssh/id_rsa",
    "~other/.bash_history",
    "$HOME/.netrc",
    "${HOME}/.aws/credentials",
    "%USERPROFILE%\\.ssh\\id_rsa",
    "$env:USERPROFILE/.ssh/id_rsa",
    "$HERMES_HOME/.env",
    "/root/.bash_history",
    "/home/other/.netrc",
    "/Users/other/.zsh_history",
    "/var/root/.bash_history",
    "/export/home/x/.bash_history",
    ".ssh/id_rsa",
    ".bash_history",
    "../dev/.netrc",
]
GLOBS = [
    "~/.ssh/*",
    "~/.ssh/id_*",
    "/etc/sh?dow",
    "/etc/shad*",
    "/etc/s[h]adow",
    "~/.s*/id_rsa",
    "/e?c/shadow",
    "~/.aw?/credentials",
    ".e?v",
    ".en*",
    ".env*",
    "/dev/sd?",
    "/dev/[s]da",
]


@pytest.mark.parametrize("path", [*DOTS, *KERNEL_LINKS, *LETTERS, *BYTES, *FORMS, *HOMES, *GLOBS])
@pytest.mark.parametrize("workspace", [None, WORKSPACE])
def test_a_disguised_secret_is_noticed(path: str, workspace: str | None) -> None:
    assert not judge_path("read", path, workspace=workspace, home=HOME).allowed
    assert not judge_path("write", path, workspace=workspace, home=HOME).allowed


@pytest.mark.parametrize(
    "path",
    [
        "/dev/sda",
        "//dev//sda",
        "/dev/./sda",
        "/tmp/../dev/sda",
        "/proc/self/root/dev/sda",
        "../../../dev/sda",
        "../../../../../../dev/nvme0n1",
        "/dev/ｓda",
        "/dev/s\u200bda",
        "/DEV/SDA",
        "file:///dev/sda",
        "/dev/sda ",
        "/dev/sda\0",
        "/dev/sd*",
        "/dev/s?a",
        "/dev/disk/by-id/ata-X",
        "/dev/fd/../../../dev/sda",
        "/proc/sysrq-trigger",
        "/proc/self/root/proc/sysrq-trigger",
        "/proc//sysrq-trigger",
    ],
)
def test_a_disguise_does_not_lift_a_refusal(path: str) -> None:
    assert judge_path("write", path, workspace=WORKSPACE, home=HOME).refused


@pytest.mark.parametrize(
    "path",
    ["/etc/shadow", "/etc/./shadow", "/proc/1/root/etc/shadow", "/dev/mem", "/dev/./mem", "/dev/port", "/proc/kcore"],
)
def test_what_the_hardline_does_not_name_is_asked(path: str) -> None:
    assert judge_path("write", path, workspace=WORKSPACE, home=HOME).severity == "ask"


WRITES = [
    "~/.bashrc",
    "~/.zshrc",
    "/home/dev/shop/../.bashrc",
    "../.bashrc",
    "../.config/fish/config.fish",
    ".git/hooks/pre-commit",
    ".git/./hooks/../hooks/pre-push",
    ".GIT/HOOKS/pre-commit",
    ".git/config",
    "~/.gitconfig",
    ".husky/pre-commit",
    ".envrc",
    ".vscode/tasks.json",
    "~/.config/systemd/user/x.service",
    "~/.config/autostart/x.desktop",
    "~/Library/LaunchAgents/x.plist",
    "~/.local/bin/git",
    "/usr/local/bin/ls",
    "/etc/cron.d/x",
    "/etc/ld.so.preload",
    "/etc/profile.d/x.sh",
    "/var/spool/cron/crontabs/dev",
    "~/.hermes/config.yaml",
    "~/.hermes/plugins/x.py",
    "~/.claude/settings.json",
    ".mcp.json",
    "sitecustomize.py",
    ".venv/lib/python3.12/site-packages/x.pth",
    ".npmrc",
    "~/.ssh/authorized_keys",
    "~root/.profile",
    "/opt/tool/bin/x",
    "/new-file",
    "/srv/x",
    "/home/other/notes.txt",
    "file:///srv/x",
    "D:\\data\\x.txt",
    "\\\\server\\share\\x.txt",
    "../../other/x",
]


@pytest.mark.parametrize("path", WRITES)
def test_a_write_that_runs_later_or_lies_elsewhere_is_asked(path: str) -> None:
    assert judge_path("write", path, workspace=WORKSPACE, home=HOME).severity == "ask"


@pytest.mark.parametrize("path", ["/home/dev/.s*/id_*", "~/.s*/id_*", "$HOME/.s*/id_*", "/home/dev/.net*"])
def test_a_glob_in_the_home_is_tried_on_what_lies_there(path: str) -> None:
    assert judge_path("read", path, home=HOME).severity == "ask"


def test_a_name_that_begins_with_a_tilde_is_no_home() -> None:
    assert judge_path("write", "~weird.txt", workspace=WORKSPACE, home=HOME).allowed
    assert judge_path("write", "~other/weird.txt", workspace=WORKSPACE, home=HOME).severity == "ask"


def test_the_agents_home_is_known_wherever_it_lies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HERMES_HOME", "/data/agent")
    assert judge_path("write", "/data/agent/config.yaml", home=HOME).rules == ("path.hermes-config",)
    assert judge_path("read", "/data/agent/auth.json", home=HOME).rules == ("path.hermes-secret",)
    assert judge_path("write", "/data/other/config.yaml", home=HOME).allowed


def test_the_temporary_folder_of_the_environment_is_ordinary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", "/scratch/me")
    assert judge_path("write", "/scratch/me/x", home=HOME, workspace=WORKSPACE).allowed
    assert judge_path("write", "/scratch/you/x", home=HOME, workspace=WORKSPACE).rules == ("path.outside-workspace",)
