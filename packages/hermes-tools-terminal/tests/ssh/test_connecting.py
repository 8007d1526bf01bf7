"""How a machine is reached, and what is said when it is not."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from hermes_tools_terminal.environments.base import TerminalEnvironmentError
from hermes_tools_terminal.environments.ssh import environment as ssh
from hermes_tools_terminal.environments.ssh.environment import SshEnvironment
from hermes_tools_terminal.settings import TerminalSettings

Places = Callable[..., SshEnvironment]
LIMIT_SECONDS = 8.0
"""Far less than a person needs to type a password, far more than a refusal takes."""


@pytest.fixture
def key_agent(sshd: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An agent that holds the key."""
    path = f"{sshd.folder}/agent"
    process = subprocess.Popen(["ssh-agent", "-D", "-a", path], stdout=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + LIMIT_SECONDS
        monkeypatch.setenv("SSH_AUTH_SOCK", path)
        while subprocess.run(["ssh-add", "-q", sshd.key], check=False).returncode:  # its socket may not listen yet
            assert time.monotonic() < deadline
        yield
    finally:
        process.terminate()
        process.wait(LIMIT_SECONDS)


def failure(places: Places, server: Any, **more: Any) -> TerminalEnvironmentError:
    place = places(server, opened=False, **more)
    began = time.monotonic()
    with pytest.raises(TerminalEnvironmentError) as caught:
        place.open()
    assert time.monotonic() - began < LIMIT_SECONDS
    assert caught.value.hint
    assert not caught.value.gone
    assert not place.alive()
    return caught.value


def test_opening_finds_the_shell_and_the_home_folder(sshd: Any, place: Places) -> None:
    opened = place(sshd)
    assert opened.shell == "bash"
    assert opened.folder == os.path.expanduser(f"~{sshd.user}")
    assert opened.alive()
    assert not opened.isolated
    assert opened.leaks() == ("everything",)


@pytest.mark.parametrize(("cwd", "folder"), [("/tmp", "/tmp"), ("~", ""), ("~/..", "/home"), ("..", "/home")])
def test_commands_start_where_the_settings_say(sshd: Any, place: Places, cwd: str, folder: str) -> None:
    opened = place(sshd, terminal={"cwd": cwd})
    assert opened.folder == (folder or os.path.expanduser(f"~{sshd.user}"))
    assert opened.run("pwd -P")


def test_a_folder_that_is_not_there_is_an_error_that_names_it(sshd: Any, place: Places) -> None:
    unopened = place(sshd, opened=False, terminal={"cwd": "/nowhere/at/all"})
    with pytest.raises(TerminalEnvironmentError, match="/nowhere/at/all") as caught:
        unopened.open()
    assert "terminal.cwd" in caught.value.hint


def test_a_key_of_the_agent_is_enough(sshd: Any, place: Places, key_agent: None) -> None:
    assert place(sshd, key="").run("id -un").decode().strip() == sshd.user


def test_the_agent_is_not_forwarded(sshd: Any, place: Places, key_agent: None) -> None:
    assert place(sshd, key="").run('echo "${SSH_AUTH_SOCK-none}"') == b"none\n"


def test_a_wrong_key_is_refused_with_what_to_do(sshd: Any, place: Places, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", wrong], check=True)
    error = failure(place, sshd, key=str(wrong))
    assert "refused the login" in error.reason
    assert "ssh-add" in error.hint


def test_a_key_with_a_passphrase_does_not_hang(sshd: Any, place: Places, tmp_path: Path) -> None:
    locked = tmp_path / "locked"
    shutil.copy(sshd.key, locked)
    subprocess.run(["ssh-keygen", "-q", "-p", "-P", "", "-N", "secret", "-f", locked], check=True, capture_output=True)
    assert "refused the login" in failure(place, sshd, key=str(locked)).reason


def test_a_server_that_wants_a_password_does_not_hang(own_sshd: Callable[..., Any], place: Places) -> None:
    server = own_sshd("PasswordAuthentication yes\nPubkeyAuthentication no")
    assert "refused the login" in failure(place, server).reason


def test_a_key_that_others_can_read_is_told(sshd: Any, place: Places, tmp_path: Path) -> None:
    loose = tmp_path / "loose"
    shutil.copy(sshd.key, loose)
    loose.chmod(0o644)
    assert "chmod 600" in failure(place, sshd, key=str(loose)).hint


def test_a_key_that_is_not_there_is_told_without_asking_anybody(sshd: Any, place: Places) -> None:
    assert "/nowhere/key" in failure(place, sshd, key="/nowhere/key").reason


def test_a_refused_port_is_told(sshd: Any, place: Places) -> None:
    with socket.socket() as line:  # bound, but nobody listens
        line.bind(("127.0.0.1", 0))
        assert "refused the connection" in failure(place, sshd, port=line.getsockname()[1]).reason


def test_a_machine_that_does_not_exist_is_told(sshd: Any, place: Places) -> None:
    assert "no machine nowhere.invalid" in failure(place, sshd, host="nowhere.invalid").reason


def test_a_machine_that_does_not_answer_is_given_up(sshd: Any, place: Places) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        error = failure(place, sshd, port=silent.getsockname()[1], connect_timeout=1)
    assert "does not answer" in error.reason
    assert "connect_timeout" in error.hint


def test_an_unknown_machine_is_refused_when_only_known_ones_are_wanted(
    sshd: Any, place: Places, tmp_path: Path
) -> None:
    error = failure(place, sshd, known_hosts="strict", known_hosts_file=str(tmp_path / "known"))
    assert "not known" in error.reason
    assert "accept-new" in error.hint


def test_a_machine_is_known_after_the_first_time(sshd: Any, place: Places, tmp_path: Path) -> None:
    known = tmp_path / "known hosts"
    place(sshd, known_hosts="accept-new", known_hosts_file=str(known)).close()
    assert "ssh-ed25519" in known.read_text()
    assert place(sshd, known_hosts="strict", known_hosts_file=str(known)).alive()


def test_another_key_than_the_known_one_is_refused(sshd: Any, place: Places, tmp_path: Path) -> None:
    known = tmp_path / "known"
    kind, key = Path(sshd.key + ".pub").read_text().split()[:2]
    known.write_text(f"[127.0.0.1]:{sshd.port} {kind} {key}\n")
    error = failure(place, sshd, known_hosts="accept-new", known_hosts_file=str(known))
    assert "a different host key" in error.reason
    assert f"ssh-keygen -R '[127.0.0.1]:{sshd.port}'" in error.hint


def test_machines_on_the_way_get_the_same_key_and_the_same_checks(
    sshd: Any, own_sshd: Callable[..., Any], place: Places, tmp_path: Path
) -> None:
    first, second = own_sshd(), own_sshd()
    for other in (first, second):
        shutil.copy(sshd.folder / "authorized_keys", other.folder / "authorized_keys")
    known = tmp_path / "known"
    jump = f"{sshd.user}@127.0.0.1:{first.port},ssh://{sshd.user}@127.0.0.1:{second.port}"
    opened = place(sshd, jump=jump, known_hosts="accept-new", known_hosts_file=str(known))
    assert opened.run("id -un").decode().strip() == sshd.user
    ports = {line.split()[0].partition("]:")[2] for line in known.read_text().splitlines()}
    assert ports == {str(each.port) for each in (sshd, first, second)}


def test_a_machine_on_the_way_that_is_not_there_is_told(sshd: Any, place: Places) -> None:
    with socket.socket() as line:
        line.bind(("127.0.0.1", 0))
        error = failure(place, sshd, jump=f"127.0.0.1:{line.getsockname()[1]}")
    assert "refuse" in error.reason


def test_names_come_from_the_configuration_when_nothing_else_is_set(sshd: Any, place: Places, tmp_path: Path) -> None:
    config = tmp_path / "config"
    config.write_text(
        f"Host there\n HostName 127.0.0.1\n Port {sshd.port}\n User {sshd.user}\n IdentityFile {sshd.key}\n"
        " RemoteCommand false\n LocalForward 1 127.0.0.1:1\n RequestTTY force\n"
    )
    opened = place(sshd, host="there", port=0, user="", key="", config_file=str(config))
    assert opened.run("id -un; tty || :").decode() == f"{sshd.user}\nnot a tty\n"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("host", "-oProxyCommand=touch /tmp/x"),
        ("host", "a`touch x`"),
        ("host", ""),
        ("user", "-v"),
        ("user", "a\nb"),
        ("key", "-x"),
        ("jump", "a,-oProxyCommand=x"),
        ("jump", "a;b"),
        ("jump", "a:b:c"),
        ("jump", "a -v"),
        ("jump", "ssh://-v@a"),
        ("known_hosts_file", 'x" y'),
        ("config_file", "/nowhere/config"),
    ],
)
def test_values_that_would_be_options_are_refused(sshd: Any, place: Places, name: str, value: str) -> None:
    assert f"terminal.ssh.{name}" in failure(place, sshd, **{name: value}).reason


def test_nothing_of_this_machine_goes_over(
    sshd: Any, own_sshd: Callable[..., Any], place: Places, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    config = tmp_path / "config"
    config.write_text("Host *\n SendEnv LANG LC_* *KEY* HERMES_*\n")
    for name in ("LANG", "LC_ALL", "OPENAI_API_KEY", "HERMES_HOME"):
        monkeypatch.setenv(name, "from-here")
    opened = place(own_sshd("AcceptEnv *"), config_file=str(config))
    started = opened.start(["env"], env={"GIVEN": "yes"})
    assert started.child.stdout is not None
    assert started.child.stdin is not None
    with started.child.stdout as out, started.child.stdin:
        printed = out.read().decode()
    assert started.child.wait(LIMIT_SECONDS) == 0
    assert "from-here" not in printed
    assert "GIVEN=yes\n" in printed


def test_the_doctor_tells_why_it_does_not_work(sshd: Any) -> None:
    def why(**more: Any) -> str | None:
        return ssh.check(TypeAdapter(TerminalSettings).validate_python({"ssh": sshd.settings(**more)}))

    assert why() is None
    assert "terminal.ssh.host" in str(why(host=""))
    assert "no machine" in str(why(host="nowhere.invalid"))
