"""Sandboxes of daytona.io or of a self-hosted Daytona server, using the official SDK (the extra `daytona`).

Tests use the real SDK with a loopback server that speaks Daytona's wire format and runs commands in local processes.
The service itself was not tested, because that needs an account.
"""

from __future__ import annotations

import base64
import contextlib
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from hermes_tools_terminal.environments.base import TerminalEnvironmentError
from hermes_tools_terminal.environments.client import LABEL, profile_id, safe_name
from hermes_tools_terminal.environments.cloud.channels import Channel, CloudEnvironment, missing_sdk, require_sdk
from hermes_tools_terminal.environments.process_records import Owner
from hermes_tools_terminal.text import quoted

if TYPE_CHECKING:
    from daytona import Daytona, DaytonaError, Sandbox

    from hermes_tools_terminal.settings import TerminalSettings

KIND = "daytona"

CREATE_SECONDS = 300.0
"""How long a sandbox may take to start, including the build of its image."""

_STOP_SECONDS = 60.0
_MAX_DISK_GB = 10
"""The limit of an organization without a quota increase; the limit in the settings may be meant for other machines."""

_LEAST_IDLE_MINUTES = 15
_RUN = """{feed} {{ sh -c {script} sh {args} 2>&1; printf '\\036%s' "$?"; }} | base64"""
_LOOK_AROUND = (
    'command -v bash >/dev/null && echo bash || echo sh; [ -d "$1" ] && echo "$1" || { cd 2>/dev/null; pwd; }'
)


class DaytonaEnvironment(CloudEnvironment):
    """One sandbox: that of the task, stopped and resumed, or a new one that is deleted at the end."""

    kind = KIND

    def __init__(self, settings: TerminalSettings, *, task: str, home: str) -> None:
        super().__init__(settings, home)
        self._labels = {
            LABEL: "1",
            f"{LABEL}.task": safe_name(task),
            f"{LABEL}.profile": profile_id(home),
            f"{LABEL}.persist": "1" if settings.daytona.persist else "0",
        }
        self._daytona: Daytona | None = None

    @property
    def sandbox(self) -> Sandbox:
        """The SDK's object."""
        if self._sandbox is None:
            raise TerminalEnvironmentError("The sandbox is not open.", gone=True)
        sandbox: Sandbox = self._sandbox
        return sandbox

    def open(self) -> None:
        """Resume the task's sandbox, or create one."""
        self._daytona = connected(self.settings)
        from daytona import DaytonaError

        try:
            self._sandbox = self._resumed(self._daytona) or self._created(self._daytona)
            self._gone = False
            output = self.run(_LOOK_AROUND, self.settings.cwd or ".").decode(errors="replace").split("\n")
        except BaseException as error:
            self.close()
            if isinstance(error, DaytonaError):
                raise TerminalEnvironmentError(f"The sandbox did not start: {error}", hint=_hint(error)) from error
            if isinstance(error, TerminalEnvironmentError):
                error.gone = False  # it never existed, so a new attempt does not help
            raise
        self.shell = "bash" if output[0] == "bash" else "sh"
        self.folder = output[1] if output[1].startswith("/") else self.sandbox.get_work_dir()

    def close(self) -> None:
        """Stop a persistent sandbox; delete others."""
        sandbox, self._sandbox = self._sandbox, None
        if sandbox is not None:
            with contextlib.suppress(Exception):  # the service may not answer; it stops idle sandboxes itself
                _release(sandbox, persist=self.settings.daytona.persist)
        if self._daytona is not None:
            disconnect(self._daytona)
            self._daytona = None

    def channel(self, argv: Sequence[str], *, cwd: str | None, env: Mapping[str, str], pty: bool) -> Channel:
        """Start a process in its own pseudo-terminal."""
        from daytona import DaytonaError

        from hermes_tools_terminal.environments.cloud.daytona_pty import PtyChannel

        try:
            return PtyChannel(self.sandbox, argv, folder=cwd or self.folder, env=env, pty=pty)
        except (DaytonaError, OSError, ValueError) as error:
            raise self._convert_error(error) from error

    def run(self, script: str, *args: str, input: bytes | None = None, timeout: float = 60.0) -> bytes:
        """Run a small script in the sandbox and return its combined output."""
        from daytona import DaytonaError

        feed = "</dev/null" if input is None else f"printf %s {base64.b64encode(input).decode()} | base64 -d |"
        message = " ".join(map(quoted, args))
        inner = _RUN.format(feed=feed if input is not None else "", script=quoted(script), args=message)
        if input is None:
            inner = f"exec {feed}; {inner}"
        try:
            answer = self.sandbox.process.exec(f"sh -c {quoted(inner)}", timeout=math.ceil(timeout))
            printed, mark, status = base64.b64decode(answer.result or "").rpartition(b"\x1e")
        except (DaytonaError, OSError, ValueError) as error:
            raise self._convert_error(error) from error
        if not mark:
            raise TerminalEnvironmentError(f"The sandbox did not answer: {answer.result!r}"[:500])
        if status != b"0":
            message = printed.decode(errors="replace").strip()[-500:]
            raise TerminalEnvironmentError(message or f"It ended with {status.decode()}.")
        return printed

    def _resumed(self, daytona: Daytona) -> Sandbox | None:
        if not self.settings.daytona.persist:
            return None
        for found in _sandboxes(daytona, self._labels):
            if (owner := _owner(found)) is not None and owner.alive:
                continue  # another process uses it, and would stop it during our commands
            state = _state(found)
            if state in ("error", "build_failed", "destroyed", "destroying"):
                with contextlib.suppress(Exception):  # the service keeps what cannot be deleted
                    found.delete(_STOP_SECONDS)
                continue
            found.set_labels({**found.labels, f"{LABEL}.owner": str(Owner.this())})
            if state != "started":
                found.start(CREATE_SECONDS)
            return found
        return None

    def _created(self, daytona: Daytona) -> Sandbox:
        from daytona import CreateSandboxFromImageParams, DaytonaTimeoutError, Resources

        limits, persist = self.settings.container, self.settings.daytona.persist
        idle = max(_LEAST_IDLE_MINUTES, math.ceil(self.settings.lifetime_seconds / 60) + 5)
        request = CreateSandboxFromImageParams(
            image=self.settings.daytona.image,
            labels={**self._labels, f"{LABEL}.owner": str(Owner.this())},
            resources=Resources(
                cpu=math.ceil(limits.cpu),
                memory=_gigabytes(limits.memory),
                disk=min(_MAX_DISK_GB, _gigabytes(limits.disk)) if limits.disk else None,
            ),
            auto_stop_interval=idle,  # if this process cannot stop it
            auto_delete_interval=-1 if persist else 0,
        )
        try:
            return daytona.create(request, timeout=CREATE_SECONDS)
        except DaytonaTimeoutError as error:
            if error.sandbox_id:
                with contextlib.suppress(Exception):  # the service stops it when it is idle
                    daytona.get(error.sandbox_id).delete(_STOP_SECONDS)
            raise

    def _convert_error(self, error: Exception) -> TerminalEnvironmentError:
        """Return the error for an error of the SDK; only the state of the sandbox tells whether it is gone."""
        from daytona import DaytonaError, DaytonaNotFoundError

        try:
            self.sandbox.refresh_data()
            self._gone = _state(self.sandbox) != "started"
        except DaytonaNotFoundError:
            self._gone = True
        except (DaytonaError, OSError, ValueError):
            return TerminalEnvironmentError(f"Daytona cannot be reached: {error}", hint=_hint(error))
        if self._gone:
            return TerminalEnvironmentError("The sandbox is gone or stopped.", gone=True)
        return TerminalEnvironmentError(str(error), hint=_hint(error))


def check(settings: TerminalSettings) -> str | None:
    """Return why no sandbox can be started; None when it can, as far as is known without asking the service."""
    if (why := missing_sdk("daytona", "daytona")) is not None:
        return why
    if os.environ.get("DAYTONA_API_KEY"):
        return None
    if os.environ.get("DAYTONA_JWT_TOKEN"):
        if os.environ.get("DAYTONA_ORGANIZATION_ID"):
            return None
        return "DAYTONA_ORGANIZATION_ID is not set: DAYTONA_JWT_TOKEN needs it."
    where = settings.daytona.api_url or "https://app.daytona.io/dashboard/keys"
    return f"DAYTONA_API_KEY is not set: make a key at {where}"


def make(settings: TerminalSettings, *, task: str, home: str) -> DaytonaEnvironment:
    """Return a new environment that is not open yet."""
    return DaytonaEnvironment(settings, task=task, home=home)


def reap(settings: TerminalSettings, home: str) -> int:
    """Stop or delete the sandboxes of dead processes of this machine."""
    if check(settings) is not None:
        return 0
    from daytona import DaytonaError

    ended = 0
    daytona = connected(settings)
    with contextlib.suppress(
        DaytonaError, OSError
    ):  # the next start tries again, and idle sandboxes stop by themselves
        for found in _sandboxes(daytona, {LABEL: "1", f"{LABEL}.profile": profile_id(home)}):
            if (owner := _owner(found)) is not None and not owner.alive:
                _release(found, persist=found.labels.get(f"{LABEL}.persist") == "1")
                ended += 1
    disconnect(daytona)
    return ended


def connected(settings: TerminalSettings) -> Daytona:
    """Return the SDK's client. Raise `TerminalEnvironmentError` if the SDK or the credentials are missing."""
    require_sdk("daytona", "daytona")
    from daytona import Daytona, DaytonaConfig, DaytonaError

    given = settings.daytona
    try:
        return Daytona(DaytonaConfig(api_url=given.api_url or None, target=given.target or None))
    except DaytonaError as error:
        raise TerminalEnvironmentError(str(error), hint=check(settings) or "") from error


def disconnect(daytona: Daytona) -> None:
    """End the client's threads. The SDK has no public method for that, so a missing one is not an error."""
    with contextlib.suppress(Exception):
        dispatcher = getattr(daytona, "_event_dispatcher", None)
        if dispatcher is not None:
            dispatcher.disconnect()


def _sandboxes(daytona: Daytona, labels: Mapping[str, str]) -> Iterator[Sandbox]:
    from daytona import ListSandboxesQuery

    yield from daytona.list(ListSandboxesQuery(labels=dict(labels)))


def _release(sandbox: Sandbox, *, persist: bool) -> None:
    if not persist:
        sandbox.delete(_STOP_SECONDS)
        return
    sandbox.refresh_data()
    sandbox.set_labels({**sandbox.labels, f"{LABEL}.owner": "none"})
    if _state(sandbox) in ("started", "starting"):
        sandbox.stop(_STOP_SECONDS, force=True)


def _owner(sandbox: Sandbox) -> Owner | None:
    return Owner.named(sandbox.labels.get(f"{LABEL}.owner", ""))


def _state(sandbox: Sandbox) -> str:
    return str(getattr(sandbox.state, "value", sandbox.state))


def _gigabytes(megabytes: int) -> int:
    return max(1, math.ceil(megabytes / 1024))


def _hint(error: Exception | DaytonaError) -> str:
    status = getattr(error, "status_code", None)
    if status in (401, 403):
        return "Check DAYTONA_API_KEY and the permissions of the key."
    if status in (400, 422):
        return "Check terminal.daytona.image and the limits in terminal.container."
    if status == 429:
        return "Daytona limits the request rate; try again later."
    return "" if status else "Check terminal.daytona.api_url and the network."
