"""Places that belong to the benchmark: an sshd and a dockerd of its own, which leave nothing behind."""

from __future__ import annotations

import contextlib
import getpass
import io
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

IMAGE = "hermes-bench:1"
LOOPBACK = "127.0.0.1"
START_SECONDS = 30.0
END_SECONDS = 30.0

_PATH = f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin"
"""Daemons are not in everybody's search path."""


class MissingError(Exception):
    """Raised when a place's program is not installed, or does not start here."""


@dataclass(frozen=True, slots=True)
class SshServer:
    """An sshd on loopback.

    Attributes:
        folder: Its keys.
        port: Where it listens.
        user: Who may log in.
    """

    folder: Path
    port: int
    user: str

    @property
    def key(self) -> str:
        """The private key that opens it."""
        return str(self.folder / "id")

    @property
    def settings(self) -> dict[str, Any]:
        """The section `terminal` that leads there."""
        ssh = {"host": LOOPBACK, "port": self.port, "user": self.user, "key": self.key}
        return {"env": "ssh", "ssh": {**ssh, "known_hosts": "ignore", "config_file": "none"}}


def program(name: str) -> str:
    """Where a program is. Raises `MissingError` when it is not installed."""
    found = shutil.which(name, path=_PATH)
    if found is None:
        raise MissingError(name)
    return found


@contextlib.contextmanager
def sshd() -> Iterator[SshServer]:
    """A real sshd, with keys and, where one can be made, a user that are thrown away."""
    daemon, keygen = program("sshd"), program("ssh-keygen")
    program("ssh")
    with _folder("hb-ssh-") as folder, _account() as user:
        folder.chmod(0o755)  # the user who logs in reads the keys
        for name in ("hostkey", "id"):
            subprocess.run([keygen, "-q", "-t", "ed25519", "-N", "", "-f", folder / name], check=True)
        shutil.copy(folder / "id.pub", folder / "authorized_keys")
        server = SshServer(folder, _free_port(), user)
        (folder / "config").write_text(
            f"Port {server.port}\nListenAddress {LOOPBACK}\nHostKey {folder}/hostkey\nPidFile none\n"
            f"AuthorizedKeysFile {folder}/authorized_keys\nPasswordAuthentication no\nUsePAM no\nStrictModes no\n"
            "PrintMotd no\nPrintLastLog no\n"
        )
        with _daemon([daemon, "-D", "-e", "-f", str(folder / "config")], folder / "log", lambda: _listens(server.port)):
            yield server


@contextlib.contextmanager
def dockerd() -> Iterator[str]:
    """A private dockerd that `docker` finds by itself meanwhile; gives the image that it has: busybox, and no more."""
    daemon, client, busybox = program("dockerd"), program("docker"), program("busybox")
    if os.geteuid():
        raise MissingError("dockerd needs root")
    with _folder("hb-dk-") as folder, _variable("DOCKER_HOST", f"unix://{folder}/s"):
        (folder / "daemon.json").write_text("{}")  # not the one of this machine's own engine
        argv = [daemon, "-H", f"unix://{folder}/s", "--data-root", f"{folder}/data", "--exec-root", f"{folder}/exec"]
        argv += ["--pidfile", f"{folder}/pid", "--config-file", f"{folder}/daemon.json"]
        argv += ["--iptables=false", "--ip6tables=false", "--bridge=none"]

        def answers() -> bool:
            return subprocess.run([client, "version"], capture_output=True, check=False).returncode == 0

        try:
            with _daemon(argv, folder / "log", answers):
                image = _packed(busybox)
                subprocess.run([client, "import", "-", IMAGE], input=image, capture_output=True, check=True)
                yield IMAGE
        finally:
            subprocess.run(["umount", f"{folder}/exec/netns/default"], capture_output=True, check=False)


@contextlib.contextmanager
def _daemon(argv: list[str], log: Path, ready: Callable[[], bool]) -> Iterator[None]:
    """A daemon that is ready; out of reach of Ctrl-C, so that what needs it can be put away first."""
    with log.open("wb") as said:
        process = subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.STDOUT, start_new_session=True
        )
    try:
        deadline = time.monotonic() + START_SECONDS
        while not ready():
            if process.poll() is not None or time.monotonic() > deadline:
                raise MissingError(log.read_text(errors="replace")[-600:])
            time.sleep(0.02)
        yield
    finally:
        process.terminate()
        try:
            process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextlib.contextmanager
def _account() -> Iterator[str]:
    """Return the user who logs in: a new user if one can be created, otherwise the current one."""
    if os.geteuid():
        yield getpass.getuser()
        return
    add, change, remove = program("useradd"), program("usermod"), program("userdel")
    Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)  # sshd wants it; where it is a service, it is always there
    name = f"hermes-{secrets.token_hex(4)}"
    try:
        subprocess.run([add, "-m", "-s", shutil.which("bash") or "/bin/sh", name], capture_output=True, check=True)
        subprocess.run([change, "-p", "*", name], capture_output=True, check=True)  # not locked, and no password
        yield name
    finally:
        _remove(name, remove)


def _remove(name: str, remover: str) -> None:
    """Remove a user. Not at the first attempt, maybe: sessions outlive their sshd, and others change users, too."""
    deadline = time.monotonic() + END_SECONDS
    while (number := _number(name)) is not None:
        assert time.monotonic() < deadline, f"the user {name} is still there"
        for pid in _processes():
            if _owner(pid) == number:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        subprocess.run([remover, "-r", name], capture_output=True, check=False)


def _number(name: str) -> int | None:
    try:
        return pwd.getpwnam(name).pw_uid
    except KeyError:
        return None


def _processes() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def _owner(pid: int) -> int:
    try:
        return os.stat(f"/proc/{pid}").st_uid
    except OSError:
        return -1


@contextlib.contextmanager
def _folder(prefix: str) -> Iterator[Path]:
    # A socket's path has room for 108 characters, so it is not where TMPDIR may be.
    with tempfile.TemporaryDirectory(prefix=prefix, dir="/tmp", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@contextlib.contextmanager
def _variable(name: str, value: str) -> Iterator[None]:
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


def _free_port() -> int:
    with socket.socket() as line:
        line.bind((LOOPBACK, 0))
        return int(line.getsockname()[1])


def _listens(port: int) -> bool:
    with socket.socket() as line:
        return not line.connect_ex((LOOPBACK, port))


def _packed(busybox: str) -> bytes:
    """An image from nothing but busybox: there is no registry that everybody reaches."""
    names = subprocess.run([busybox, "--list"], capture_output=True, text=True, check=True).stdout.split()
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for name in ("bin", "tmp", "proc", "sys", "dev", "etc", "root"):
            folder = tarfile.TarInfo(name)
            folder.type, folder.mode = tarfile.DIRTYPE, 0o1777 if name == "tmp" else 0o755
            tar.addfile(folder)
        tar.add(os.path.realpath(busybox), "bin/busybox")
        for name in names:
            if name != "busybox":
                link = tarfile.TarInfo(f"bin/{name}")
                link.type, link.linkname = tarfile.SYMTYPE, "busybox"
                tar.addfile(link)
        users = b"root:x:0:0:root:/root:/bin/sh\n"
        entry = tarfile.TarInfo("etc/passwd")
        entry.size = len(users)
        tar.addfile(entry, io.BytesIO(users))
    return packed.getvalue()
