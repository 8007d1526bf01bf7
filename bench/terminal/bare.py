"""The same things done by hand: a shell behind a pipe, a connection, a sandbox, and nothing around them."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from bench.terminal.servers import LOOPBACK, MissingError, SshServer, program

CONNECT_SECONDS = 30.0


class BareShell:
    """A shell that stays, with the least that tells where an answer ends.

    Args:
        argv: What starts it.
    """

    def __init__(self, argv: Sequence[str]) -> None:
        self._child = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)

    def run(self, command: str) -> bytes:
        """Run a command; what it printed."""
        stdin, stdout = self._child.stdin, self._child.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(f"{command}\necho :END:\n".encode())
        said = b""
        while not said.endswith(b":END:\n"):
            part = stdout.read(65_536)
            assert part, "the shell ended"
            said += part
        return said[: -len(b":END:\n")]

    def close(self) -> None:
        """End it."""
        self._child.kill()
        self._child.communicate()


@contextmanager
def bare_ssh(server: SshServer) -> Iterator[list[str]]:
    """`ssh` on a connection that is open already; what is to run there comes behind it."""
    with tempfile.TemporaryDirectory(prefix="hb-", dir="/tmp") as folder:  # a socket's path has to be short
        path = f"{folder}/s"
        words = [program("ssh"), "-F", "none", "-p", str(server.port), "-i", server.key, "-S", path]
        for option in ("BatchMode=yes", "StrictHostKeyChecking=no", "UserKnownHostsFile=/dev/null", "LogLevel=ERROR"):
            words += ["-o", option]
        goal = f"{server.user}@{LOOPBACK}"
        master = subprocess.Popen([*words, "-M", "-N", goal], stdin=subprocess.DEVNULL)
        try:
            deadline = time.monotonic() + CONNECT_SECONDS
            while not os.path.exists(path):
                if master.poll() is not None or time.monotonic() > deadline:
                    raise MissingError("no login is possible")
                time.sleep(0.02)
            yield [*words, "-n", goal]
        finally:
            master.terminate()
            master.wait()


def bare_bwrap(workspace: str, hidden: Iterable[str] = ()) -> list[str]:
    """`bwrap` with what a careful user would type: files to look at, one folder to work in, no network.

    Args:
        workspace: The folder to work in.
        hidden: Files and folders that are not to be seen, if they are there: homes of users come and go.
    """
    words = [program("bwrap"), "--unshare-all", "--die-with-parent", "--cap-drop", "ALL"]
    words += ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
    for folder in ("/run", "/tmp", "/var/tmp"):
        words += ["--tmpfs", folder]
    for path in sorted(filter(os.path.lexists, hidden)):
        words += ["--tmpfs", path] if os.path.isdir(path) else ["--ro-bind", "/dev/null", path]
    return [*words, "--bind", workspace, workspace, "--chdir", workspace, "--"]
