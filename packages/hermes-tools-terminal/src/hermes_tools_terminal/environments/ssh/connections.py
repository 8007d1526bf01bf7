"""SSH connections that several tasks share, and cleanup of those left by killed processes."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import os
import socket
import stat
import subprocess
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence

from hermes_tools_terminal.environments.base import TerminalEnvironmentError
from hermes_tools_terminal.environments.process_records import Owner
from hermes_tools_terminal.environments.ssh.openssh import PROGRAM, variables

ENVIRONMENTS_PER_CONNECTION = 4
"""sshd allows ten sessions on a connection by default: shells, their signals and background processes."""

MAX_CONNECTING = 4
"""sshd rejects logins when ten connections wait for authentication."""

_SOCKET_LIMIT = 104 - 1 - 17
"""The shortest limit of all systems, minus the terminator and the random suffix that ssh adds while it binds."""

_NAME_LENGTH = 32
_EXIT_SECONDS = 5.0
_FORGOTTEN_SECONDS = 7 * 86_400
"""Records of processes on a machine that was not used again expire after this time."""

_NO_OWNER = Owner(0, 0)

login_slots = threading.BoundedSemaphore(MAX_CONNECTING)


class SharedConnection:
    """One connection, identified by its control socket.

    Attributes:
        path: The socket, which ssh creates when it connects.
        users: How many environments use it.
        lock: Held while connecting, so that others share the connection instead of opening another.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.users = 0
        self.lock = threading.Lock()

    def answers(self) -> bool:
        """Return whether its process is alive; does not contact the other machine."""
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(1.0)
            try:
                line.connect(self.path)
            except OSError:
                return False
        return True

    def exit(self) -> bool:
        """End the connection, and return whether there was one."""
        found = self.answers()
        if found:
            with contextlib.suppress(subprocess.TimeoutExpired, OSError):
                subprocess.run(  # noqa: S603 - ours
                    [PROGRAM, "-F", "/dev/null", "-S", self.path, "-O", "exit", "nowhere"],
                    capture_output=True,
                    stdin=subprocess.DEVNULL,
                    start_new_session=True,
                    timeout=_EXIT_SECONDS,
                    env=variables(),
                    check=False,
                )
        with contextlib.suppress(OSError):
            os.unlink(self.path)
        return found


class ConnectionPool:
    """The connections of this process, by destination."""

    def __init__(self) -> None:
        self._known: defaultdict[str, list[SharedConnection]] = defaultdict(list)
        self._numbers = itertools.count()
        self._lock = threading.Lock()

    def join(self, home: str, key: str) -> SharedConnection:
        """Return a connection that another environment may use, by the connection key of its destination."""
        key = f"{Owner.this()}.{key}"  # not those of a process that this one was forked from
        folder = socket_directory(home)
        with self._lock:
            known = self._known[key]
            found = next((each for each in known if each.users < ENVIRONMENTS_PER_CONNECTION), None)
            if found is None:
                found = SharedConnection(os.path.join(folder, f"{key}{next(self._numbers):x}"))
                known.append(found)
            found.users += 1
            return found

    def leave(self, connection: SharedConnection) -> None:
        """Release a connection; the last user ends it."""
        with self._lock:
            connection.users -= 1
            if connection.users > 0:
                return
            self._forget(connection)
        connection.exit()

    def retire(self, connection: SharedConnection) -> None:
        """End a connection that does not answer, so that nothing else waits for it."""
        with self._lock:
            self._forget(connection)
        connection.exit()

    def _forget(self, connection: SharedConnection) -> None:
        for known in self._known.values():
            if connection in known:
                known.remove(connection)


connection_pool = ConnectionPool()


class RemoteGroups:
    """The process groups that one environment started on the remote machine: they do not end with this process."""

    def __init__(self, home: str, key: str, word: str) -> None:
        self._folder = socket_directory(home)
        self._name = f"{key}.{word}.groups"
        self._path = os.path.join(self._folder, f"{Owner.this()}.{self._name}")

    def add(self, boot: str, group: int, started: int) -> None:
        """Record a group. A record that cannot be written (a full disk) does not prevent the command."""
        with contextlib.suppress(OSError):
            handle = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                os.write(handle, f"{boot} {group} {started}\n".encode())
            finally:
                os.close(handle)

    def forget(self) -> None:
        """Remove the record: all groups have ended."""
        with contextlib.suppress(OSError):
            os.unlink(self._path)

    def abandon(self) -> None:
        """Leave the groups, which could not be ended, to the next process that connects."""
        with contextlib.suppress(OSError):
            os.replace(self._path, os.path.join(self._folder, f"{_NO_OWNER}.{self._name}"))


def find_abandoned_groups(home: str, key: str) -> dict[str, bytes]:
    """Return what dead processes and lost connections left on a machine: record files, with the groups in them."""
    found = {}
    for path, owner in _entries(home):
        name = os.path.basename(path)
        if name.endswith(".groups") and name.split(".")[1] == key and not owner.alive:
            with contextlib.suppress(OSError), open(path, "rb") as file:
                found[path] = file.read()
    return found


def reap(home: str) -> int:
    """End the connections of dead processes, and return how many there were."""
    ended = 0
    for path, owner in _entries(home):
        if owner.alive:
            continue
        with contextlib.suppress(OSError):
            about = os.lstat(path)
            if stat.S_ISSOCK(about.st_mode):
                SharedConnection(path).exit()
                ended += 1
            elif time.time() - about.st_mtime > _FORGOTTEN_SECONDS:
                os.unlink(path)
    return ended


def connection_key(words: Sequence[str]) -> str:
    """Return a short key for the destination of a connection."""
    return hashlib.sha256("\0".join(words).encode(errors="surrogateescape")).hexdigest()[:8]


def socket_directory(home: str) -> str:
    """Return the directory of the sockets: below the state directory, or a temporary one if that path is too long.

    Raises:
        TerminalEnvironmentError: another user could create sockets there.
    """
    first, second = _folders(home)
    folder = first if _fits(first) else second
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        about = os.lstat(folder)
        if stat.S_ISDIR(about.st_mode) and about.st_uid == os.getuid():
            if stat.S_IMODE(about.st_mode) != 0o700:
                os.chmod(folder, 0o700)
            return folder
    except OSError as error:
        raise TerminalEnvironmentError(
            f"There is no place for SSH sockets: {error}", hint="Set HERMES_HOME to a folder that can be written."
        ) from error
    raise TerminalEnvironmentError(
        f"{folder} belongs to another user.", hint="Remove it, or set HERMES_HOME to a short path."
    )


def _folders(home: str) -> tuple[str, str]:
    home = os.path.abspath(home)
    word = hashlib.sha256(home.encode(errors="surrogateescape")).hexdigest()[:8]
    name = f"hermes-ssh-{os.getuid()}-{word}"
    temporary = os.path.join(tempfile.gettempdir(), name)
    return os.path.join(home, "terminal", "ssh"), temporary if _fits(temporary) else f"/tmp/{name}"  # noqa: S108


def _fits(folder: str) -> bool:
    """Return whether the directory can hold sockets, and ssh accepts its name unescaped."""
    return len(os.fsencode(folder)) + 1 + _NAME_LENGTH <= _SOCKET_LIMIT and not set(folder) & set('%${}"\\\n')


def _entries(home: str) -> Iterator[tuple[str, Owner]]:
    for folder in _folders(home):
        with contextlib.suppress(OSError):
            if os.lstat(folder).st_uid != os.getuid():
                continue
            for name in os.listdir(folder):
                if (owner := Owner.named(name.partition(".")[0])) is not None:
                    yield os.path.join(folder, name), owner
