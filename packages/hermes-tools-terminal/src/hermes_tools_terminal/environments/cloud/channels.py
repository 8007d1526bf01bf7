"""Processes behind a vendor's SDK, presented as child processes with pipes."""

from __future__ import annotations

import os
import subprocess
import threading
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import IO, TYPE_CHECKING, Any, Protocol

from hermes_tools_terminal.environments.base import StartedProcess, TerminalEnvironmentError
from hermes_tools_terminal.environments.client import ANNOUNCE, ClientEnvironment, variables_to_pass

if TYPE_CHECKING:
    from hermes_tools_terminal.settings import TerminalSettings

KILLED = -9
LOST = 255
"""The exit code of a process whose end was not seen because the connection broke."""

_READ_SIZE = 1 << 16


class Channel(Protocol):
    """One process of an SDK. One thread reads its output and another writes its input."""

    def output(self) -> Iterator[bytes]:
        """Yield its output until nothing can write to it."""

    def send(self, data: bytes) -> None:
        """Write to its input."""

    def end_input(self) -> None:
        """Close its input."""

    def watch(self, ended: Callable[[int], None]) -> None:
        """Call back once with the exit code, after the output of the process itself; descendants may still print."""

    def close(self) -> None:
        """Release it, whether it runs or not: `output` ends. Never raises."""


class ChannelProcess:
    """A process behind a channel, with two pipes and a thread for each."""

    def __init__(self, channel: Channel) -> None:
        self.pid = 0  # no process of this machine represents it
        self._channel = channel
        self._code: int | None = None
        self._over = threading.Event()
        self._lock = threading.Lock()
        source, ours_in = os.pipe()
        ours_out, sink = os.pipe()
        self.stdin: IO[bytes] | None = os.fdopen(ours_in, "wb", buffering=0)
        self.stdout: IO[bytes] | None = os.fdopen(ours_out, "rb", buffering=0)
        channel.watch(self._end)
        for target, pipe in ((self._write_input, source), (self._read_output, sink)):
            threading.Thread(target=target, args=(pipe,), name="hermes-terminal-channel", daemon=True).start()

    def poll(self) -> int | None:
        """Return the exit code; None while it runs."""
        return self._code

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end."""
        if not self._over.wait(timeout):
            raise subprocess.TimeoutExpired("a process elsewhere", timeout or 0.0)
        return self._code if self._code is not None else LOST

    def kill(self) -> None:
        """Release the channel at once."""
        self._channel.close()
        self._end(KILLED)

    def _write_input(self, source: int) -> None:
        """Forward what is written to the process. The reading thread reports a broken connection."""
        try:
            while data := os.read(source, _READ_SIZE):
                self._channel.send(data)
            self._channel.end_input()
        except Exception:  # noqa: S110 - the SDK's own errors, of any kind
            pass
        finally:
            os.close(source)

    def _read_output(self, sink: int) -> None:
        try:
            for data in self._channel.output():
                view = memoryview(data)
                while view:
                    view = view[os.write(sink, view) :]
        except Exception:  # noqa: S110 - the pipe is closed, or an error of the SDK: both end it
            pass
        finally:
            self._channel.close()
            self._end(LOST)
            os.close(sink)

    def _end(self, code: int) -> None:
        with self._lock:
            if self._code is None:
                self._code = code
        self._over.set()


class CloudEnvironment(ClientEnvironment):
    """An environment behind a vendor's SDK. A subclass opens channels and runs scripts."""

    isolated = True

    def __init__(self, settings: TerminalSettings, home: str) -> None:
        super().__init__(settings.cwd or "/")
        self.settings = settings
        self.home = home
        self._sandbox: Any = None
        self._gone = False

    @abstractmethod
    def channel(self, argv: Sequence[str], *, cwd: str | None, env: Mapping[str, str], pty: bool) -> Channel:
        """Start a process. Raise `TerminalEnvironmentError` if it cannot be started."""

    @abstractmethod
    def run(self, script: str, *args: str, input: bytes | None = None, timeout: float = 60.0) -> bytes:
        """Run a small script in the environment and return its output."""

    def client(self, argv: Sequence[str], **_: object) -> list[str]:
        """Return the command unchanged: there is no client program."""
        return list(argv)

    def alive(self) -> bool:
        """Return whether it existed when it was last used."""
        return self._sandbox is not None and not self._gone

    def leaks(self) -> Sequence[str]:
        """Return the network of the remote machine."""
        return ("network",)

    def start(
        self, argv: Sequence[str], *, cwd: str | None = None, env: Mapping[str, str] | None = None, pty: bool = False
    ) -> StartedProcess:
        """Start a process with the variables that the settings pass, and wait until it runs."""
        try:
            given = {**variables_to_pass(self.settings, self.home), **(env or {})}
            inner = ["sh", "-c", ANNOUNCE, "sh", *argv]
            return self.announced(ChannelProcess(self.channel(inner, cwd=cwd, env=given, pty=pty)), given)
        except TerminalEnvironmentError as error:
            self._gone = self._gone or error.gone
            raise


def missing_sdk(distribution: str, extra: str) -> str | None:
    """Return how to install a missing SDK; None when it is installed."""
    from importlib.util import find_spec

    if find_spec(distribution) is not None:
        return None
    from hermes_core.families import install_command

    command = install_command(f"hermes-tools-terminal[{extra}]")
    return f"The package {distribution} is not installed: {command}"


def require_sdk(distribution: str, extra: str) -> None:
    """Require an SDK. Raise `TerminalEnvironmentError` if it is missing."""
    if (why := missing_sdk(distribution, extra)) is not None:
        reason, _, line = why.partition(": ")
        raise TerminalEnvironmentError(f"{reason}.", hint=line)
