"""A real sshd on loopback, with keys and a user that are thrown away."""

from __future__ import annotations

import contextlib
import getpass
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from hermes_tools_terminal.environments.local_processes import all_processes, descendants
from hermes_tools_terminal.environments.ssh import environment as ssh
from hermes_tools_terminal.environments.ssh.environment import SshEnvironment
from hermes_tools_terminal.settings import TerminalSettings

SSHD = shutil.which("sshd", path="/usr/sbin:/usr/local/sbin:/sbin:" + os.environ.get("PATH", ""))
START_SECONDS = 10.0


@dataclass
class Server:
    """One sshd, started as a child of the tests.

    Attributes:
        folder: Its keys.
        port: Where it listens.
        user: Who may log in, with the key in `key`.
        extra: Further lines of its configuration; they go first, and so they count.
    """

    folder: Path
    port: int
    user: str
    extra: str = ""
    process: subprocess.Popen[bytes] | None = None
    log: Path = field(init=False)

    def __post_init__(self) -> None:
        self.log = self.folder / "log"

    @property
    def key(self) -> str:
        return str(self.folder / "id")

    def start(self) -> None:
        """Start it and wait until it listens."""
        assert SSHD is not None
        (self.folder / "sshd_config").write_text(
            f"{self.extra}\nPort {self.port}\nListenAddress 127.0.0.1\nHostKey {self.folder}/hostkey\nPidFile none\n"
            f"AuthorizedKeysFile {self.folder}/authorized_keys\nPasswordAuthentication no\nUsePAM no\nStrictModes no\n"
            "PermitRootLogin prohibit-password\nSubsystem sftp internal-sftp\nMaxSessions 64\nMaxStartups 100\n"
            "KexAlgorithms curve25519-sha256\nPrintMotd no\nPrintLastLog no\n"
        )
        with self.log.open("ab") as log:
            argv = [SSHD, "-D", "-e", "-f", str(self.folder / "sshd_config")]
            self.process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stderr=log)
        deadline = time.monotonic() + START_SECONDS
        while True:
            with socket.socket() as line:
                if not line.connect_ex(("127.0.0.1", self.port)):
                    return
            if self.process.poll() is not None or time.monotonic() > deadline:
                pytest.fail(f"sshd did not start: {self.log.read_text()}")

    def kill(self) -> None:
        """Kill it and its connections at once, but not what runs in them."""
        assert self.process is not None
        for pid in [self.process.pid, *descendants(self.process.pid)]:
            try:
                if Path(f"/proc/{pid}/comm").read_text().startswith("sshd"):
                    os.kill(pid, signal.SIGKILL)
            except OSError:
                continue
        self.process.wait(START_SECONDS)
        self.process = None

    def settings(self, **more: Any) -> dict[str, Any]:
        """The section `terminal.ssh` that leads there."""
        return {
            "host": "127.0.0.1",
            "port": self.port,
            "user": self.user,
            "key": self.key,
            "known_hosts": "ignore",
            "config_file": "none",
            "keep": 30,
            **more,
        }


def free_port() -> int:
    with socket.socket() as line:
        line.bind(("127.0.0.1", 0))
        return int(line.getsockname()[1])


def new_server(user: str, extra: str = "") -> Server:
    folder = Path(tempfile.mkdtemp(prefix="hs-"))
    folder.chmod(0o755)  # the user who logs in reads the keys
    for name in ("hostkey", "id"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name], check=True)
    shutil.copy(folder / "id.pub", folder / "authorized_keys")
    return Server(folder, free_port(), user, extra)


def end(server: Server) -> None:
    if server.process is not None:
        server.kill()
    shutil.rmtree(server.folder)


def add_user(shell: str) -> str:
    name = f"hermes-{secrets.token_hex(4)}"
    subprocess.run(["useradd", "-m", "-s", shell, name], check=True, capture_output=True)
    subprocess.run(["usermod", "-p", "*", name], check=True)
    return name


def remove_user(name: str) -> None:
    owner = pwd.getpwnam(name).pw_uid
    deadline = time.monotonic() + START_SECONDS
    while left := [found.pid for found in all_processes() if _uid(found.pid) == owner]:
        assert time.monotonic() < deadline, f"{name} still runs {left}"
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    subprocess.run(["userdel", "-r", name], check=True, capture_output=True)


def _uid(pid: int) -> int:
    try:
        return os.stat(f"/proc/{pid}").st_uid
    except OSError:
        return -1


@pytest.fixture(scope="session")
def account() -> Iterator[str]:
    """Somebody who may log in: a user that is thrown away, or whoever runs the tests where no user can be added."""
    if SSHD is None:
        pytest.skip("There is no sshd: install openssh-server.")
    if shutil.which("ssh") is None:
        pytest.skip("There is no ssh: install openssh-client.")
    if os.geteuid():
        yield getpass.getuser()
        return
    Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
    name = add_user("/bin/bash")
    yield name
    remove_user(name)


@pytest.fixture(scope="session")
def sshd(account: str) -> Iterator[Server]:
    """The server that most tests use, and leave alone."""
    server = new_server(account)
    server.start()
    yield server
    end(server)


@pytest.fixture
def own_sshd(account: str) -> Iterator[Callable[..., Server]]:
    """Servers that a test may kill, or that are set up in another way."""
    made: list[Server] = []

    def start(extra: str = "") -> Server:
        made.append(new_server(account, extra))
        made[-1].start()
        return made[-1]

    yield start
    for server in made:
        end(server)


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A scratch `HERMES_HOME` whose name is short enough for sockets."""
    with tempfile.TemporaryDirectory(prefix="hh-") as folder:
        monkeypatch.setenv("HERMES_HOME", folder)
        yield Path(folder)


@pytest.fixture
def place(home: Path) -> Iterator[Callable[..., SshEnvironment]]:
    """Makes places on a server; they are closed in the end."""
    made: list[SshEnvironment] = []

    def make(
        server: Server, *, opened: bool = True, terminal: dict[str, Any] | None = None, **more: Any
    ) -> SshEnvironment:
        settings = TypeAdapter(TerminalSettings).validate_python(
            {"env": "ssh", "ssh": server.settings(**more), **(terminal or {})}
        )
        made.append(ssh.make(settings, task="test", home=str(home)))
        if opened:
            made[-1].open()
        return made[-1]

    yield make
    for each in made:
        each.close()
