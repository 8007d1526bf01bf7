"""Run the engine's command line client: `docker`, `podman`, or a compatible one."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
from dataclasses import dataclass
from shutil import which

from hermes_tools_terminal.environments.base import TerminalEnvironmentError
from hermes_tools_terminal.environments.client import find_engine
from hermes_tools_terminal.environments.env_vars import command_variables

PROGRAMS = ("docker", "podman")
ANSWER_SECONDS = 5.0
"""How long a running engine may take to answer."""

CALL_SECONDS = 60.0
RUN_SECONDS = 600.0
"""How long a container may take to start, including the download of its image."""

# Configure the client; commands in containers never get these.
_ITS_OWN = ("DOCKER_", "CONTAINER_", "CONTAINERS_", "STORAGE_", "REGISTRY_AUTH_FILE", "PODMAN_")

_UNREACHABLE = re.compile(
    r"cannot connect to (?:the docker daemon|podman)|error during connect|failed to connect to the docker api"
    r"|is the docker daemon running|unable to connect to podman",
    re.IGNORECASE,
)
_NO_CONTAINER = re.compile(r"no such container|no container with name or id", re.IGNORECASE)
_STOPPED = re.compile(
    r"container \S+ is (?:not running|restarting|paused)|container state improper|cannot exec in a stopped",
    re.IGNORECASE,
)
_TAKEN = re.compile(r"name .* is already in use", re.IGNORECASE)
_FORBIDDEN = re.compile(r"permission denied.*(?:docker|podman|sock)", re.IGNORECASE)

_sockets: dict[str, str] = {}
"""The socket of each engine, by address."""


class EngineError(TerminalEnvironmentError):
    """Raised when the engine refused, or did not answer."""

    def __init__(self, reason: str, *, hint: str = "", unreachable: bool = False) -> None:
        self.unreachable = unreachable or bool(_UNREACHABLE.search(reason))
        self.missing = bool(_NO_CONTAINER.search(reason))
        self.stopped = bool(_STOPPED.search(reason))
        self.taken = bool(_TAKEN.search(reason))
        super().__init__(reason, hint=hint, gone=self.unreachable or self.missing or self.stopped)


@dataclass(frozen=True, slots=True)
class Engine:
    """An engine, by the path of its client."""

    program: str

    @classmethod
    def found(cls, wanted: str) -> Engine:
        """Return the engine named in the settings, or the first one installed.

        Raises:
            TerminalEnvironmentError: there is none.
        """
        hint = "Install one (Debian: `apt install docker.io`, or `podman`), or set terminal.docker.engine."
        return cls(find_engine(wanted, PROGRAMS, hint))

    @property
    def name(self) -> str:
        """Return its name."""
        return os.path.basename(self.program)

    @property
    def address(self) -> str:
        """Identify the engine that the client talks to."""
        named = (os.environ.get(name, "") for name in ("DOCKER_HOST", "DOCKER_CONTEXT", "CONTAINER_HOST"))
        return "\0".join((self.program, *named))

    @property
    def socket(self) -> str:
        """Return the socket of an engine on this machine; empty when the client uses another connection.

        Contexts, variables and wrapper scripts select the engine, so only the client knows. It is asked once, because
        that takes as long as any call.
        """
        known = _sockets.get(self.address)
        if known is None:
            known = _sockets[self.address] = "" if self.is_podman else self._socket()
        return known

    def _socket(self) -> str:
        try:
            answer = self.call("context", "inspect", "--format", "{{.Endpoints.docker.Host}}", timeout=ANSWER_SECONDS)
        except EngineError:  # it has no contexts, which are docker's own
            return ""
        path = answer.strip().removeprefix("unix://")
        return path if path.startswith("/") and os.path.exists(path) else ""

    @property
    def is_podman(self) -> bool:
        """Return whether it is podman, which maps user ids for users other than root."""
        return "podman" in self.name

    def variables(self) -> dict[str, str]:
        """Return the variables of the client."""
        own = {name: value for name, value in os.environ.items() if name.startswith(_ITS_OWN)}
        return {**command_variables(), **own, "DOCKER_CLI_HINTS": "false"}

    def call(self, *args: str, timeout: float = CALL_SECONDS) -> str:
        """Call the engine and return its output. Raise `EngineError` if it refused, or did not answer in time."""
        try:
            done = subprocess.run(  # noqa: S603 - the user's engine, our arguments
                [self.program, *args],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=timeout,
                env=self.variables(),
                cwd="/",
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            text = f"{self.name} {args[0]} did not answer for {timeout:g} seconds."
            raise EngineError(text, unreachable=True, hint=self.remedy("")) from error
        except OSError as error:
            raise EngineError(f"{self.program} cannot be started: {error}", unreachable=True) from error
        if done.returncode:
            words = (
                clean_message(done.stderr.decode(errors="replace"))
                or f"{self.name} {args[0]} ended with {done.returncode}."
            )
            raise EngineError(words, hint=self.remedy(words))
        return done.stdout.decode(errors="replace")

    def remove(self, *containers: str) -> None:
        """Remove containers with their processes and anonymous volumes. A missing one is not an error."""
        if containers:
            with contextlib.suppress(EngineError):
                self.call("rm", "--force", "--volumes", *containers)

    def check(self) -> str | None:
        """Return why the engine cannot be used and what to do; None when it can."""
        try:
            self.call("ps", "--quiet", "--last", "1", timeout=ANSWER_SECONDS)
        except EngineError as error:
            return f"{self.name} does not work: {error.reason} {error.hint}".strip()
        return None

    def remedy(self, words: str) -> str:
        """Return a hint for a message of the engine."""
        if _FORBIDDEN.search(words):
            return "Add this user to the group `docker` and log in again, or use podman (terminal.docker.engine)."
        if not words or _UNREACHABLE.search(words):
            other = next((name for name in PROGRAMS if name != self.name and which(name)), None)
            start = "Start the engine (`systemctl start docker`) and look at DOCKER_HOST"
            return f"{start}, or set terminal.docker.engine to {other}." if other else f"{start}."
        return ""


def clean_message(text: str) -> str:
    """Strip boilerplate from a message of the engine."""
    lines = [line.strip() for line in text.splitlines()]
    kept = [line for line in lines if line and not line.startswith(("Run 'docker", "See 'docker", "time=", "WARNING:"))]
    return re.sub(r"^(?:docker: )?(?:Error response from daemon|Error): ", "", " ".join(kept))[-800:]
