"""Sandboxes of modal.com, using the official SDK (the extra `modal`).

Tests use the real SDK with a gRPC server on loopback that speaks Modal's protocol and runs commands in local
processes. The service itself was not tested, because that needs an account.
"""

from __future__ import annotations

import contextlib
import json
import logging
import math
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hermes_files.atomic import MOVED, file_lock, rename_aside, write_atomic
from hermes_tools_terminal.environments.base import TerminalEnvironmentError
from hermes_tools_terminal.environments.client import LABEL, profile_id, safe_name
from hermes_tools_terminal.environments.cloud.channels import Channel, CloudEnvironment, missing_sdk, require_sdk
from hermes_tools_terminal.environments.local import COLUMNS, ROWS
from hermes_tools_terminal.environments.process_records import Owner

if TYPE_CHECKING:
    from hermes_tools_terminal.settings import TerminalSettings

KIND = "modal"

SNAPSHOT_SECONDS = 120
"""How long a snapshot of the files may take."""

_DRAIN_SECONDS = 1.0
"""How long to wait for the remaining output of an ended process while others may still print."""

_PIECE = 1 << 19  # the SDK accepts 2 MB at once
_FOREVER = ("sh", "-c", "while :; do sleep 86400; done")

# Errors are part of the output. The process must lead its own group: `setsid` makes it the leader if it is not already.
_ENTER = """exec 2>&1; _h_at=$1; shift; _h_own=
until CDPATH= cd -- "$_h_at" 2>/dev/null; do _h_at=${_h_at%/*}; [ -n "$_h_at" ] || _h_at=/; done
if [ -z "$_h_pty" ] && { read -r _h_stat </proc/$$/stat; } 2>/dev/null; then
  _h_stat=${_h_stat##*) }; _h_stat=${_h_stat#* }; _h_stat=${_h_stat#* }
  [ "${_h_stat%% *}" = "$$" ] || _h_own=$(command -v setsid)
fi
[ -z "$_h_pty" ] || stty $_h_pty 2>/dev/null
unset _h_at _h_stat _h_pty; exec $_h_own "$@" """
_LOOK_AROUND = """command -v bash >/dev/null && echo bash || echo sh
[ -n "$1" ] && [ -d "$1" ] && echo "$1" || { cd || cd /; pwd; }"""


class ModalEnvironment(CloudEnvironment):
    """One sandbox, which starts with the files of the task's previous one.

    These are the files at the time it was closed. If Modal ends a sandbox at its time limit, later changes are lost.

    Attributes:
        notes: Requested features that are not available.
    """

    kind = KIND

    def __init__(self, settings: TerminalSettings, *, task: str, home: str) -> None:
        super().__init__(settings, home)
        self.notes: tuple[str, ...] = ()
        self._task = safe_name(task)
        self._snapshots = SnapshotIndex(home)

    def open(self) -> None:
        """Create the sandbox."""
        require_sdk("modal", "modal")
        import modal.exception

        try:
            self._sandbox = self._created()
            self._gone = False
            output = self.run(_LOOK_AROUND, self.settings.cwd).decode(errors="replace").split("\n")
        except BaseException as error:
            self._terminate()
            if isinstance(error, modal.exception.Error | OSError):
                raise TerminalEnvironmentError(f"The sandbox did not start: {error}", hint=_hint(error)) from error
            if isinstance(error, TerminalEnvironmentError):
                error.gone = False  # it never existed, so a new attempt does not help
            raise
        self.shell = "bash" if output[0] == "bash" else "sh"
        self.folder = output[1]

    def close(self) -> None:
        """End the sandbox, after a snapshot of its files if they are persistent."""
        if self._sandbox is not None and self.settings.modal.persist and not self._gone:
            with contextlib.suppress(Exception):  # the previous snapshot remains
                self._snapshots.put(self._task, _take_snapshot(self._sandbox))
        self._terminate()

    def channel(self, argv: Sequence[str], *, cwd: str | None, env: Mapping[str, str], pty: bool) -> Channel:
        """Start a process with `Sandbox.exec`."""
        given = {**env, **({"_h_pty": f"rows {ROWS} cols {COLUMNS}", "TERM": "xterm-256color"} if pty else {})}
        line = ("sh", "-c", _ENTER, "sh", cwd or self.folder, *argv)
        return _ExecChannel(self._exec(*line, env=given, pty=pty))

    def run(self, script: str, *args: str, input: bytes | None = None, timeout: float = 60.0) -> bytes:
        """Run a small script in the sandbox and return its output."""
        import modal.exception

        process = self._exec("sh", "-c", script, "sh", *args, timeout=math.ceil(timeout))
        try:
            for at in range(0, len(input or b""), _PIECE):
                process.stdin.write((input or b"")[at : at + _PIECE])
                process.stdin.drain()
            process.stdin.write_eof()
            process.stdin.drain()
        except (modal.exception.Error, OSError, ValueError):
            pass  # it ended before it had read everything
        try:
            printed, errors, status = process.stdout.read(), process.stderr.read(), process.wait()
        except (modal.exception.Error, OSError, ValueError) as error:
            raise self._convert_error(error) from error
        if status:
            message = (errors or printed).decode(errors="replace").strip()[-500:]
            raise TerminalEnvironmentError(message or f"It ended with {status}.")
        return bytes(printed)

    def _exec(self, *argv: str, **how: Any) -> Any:
        import modal.exception

        if self._sandbox is None or self._gone:
            raise TerminalEnvironmentError("The sandbox is gone.", gone=True)
        try:
            return self._sandbox.exec(*argv, text=False, **how)
        except (modal.exception.Error, OSError, ValueError) as error:
            raise self._convert_error(error) from error

    def _created(self) -> Any:
        """Create a sandbox from the task's snapshot; from the image when there is none."""
        import modal

        app = modal.App.lookup(self.settings.modal.app, create_if_missing=True)
        persist = self._snapshots.of(self._task) if self.settings.modal.persist else None
        if persist is not None:
            try:
                return self._create(app, modal.Image.from_id(persist))
            except (modal.exception.NotFoundError, modal.exception.InvalidError, modal.exception.RemoteError) as error:
                self.notes += (f"The files of the task are lost: {error}",)
                with contextlib.suppress(OSError):
                    self._snapshots.put(self._task, None)
        return self._create(app, modal.Image.from_registry(self.settings.modal.image))

    def _create(self, app: Any, image: Any) -> Any:
        import modal

        limits = self.settings.container
        return modal.Sandbox.create(
            *_FOREVER,
            app=app,
            image=image,
            timeout=self.settings.modal.lifetime,
            cpu=limits.cpu,
            memory=limits.memory,
            tags={
                LABEL: "1",
                f"{LABEL}-task": self._task,
                f"{LABEL}-profile": profile_id(self.home),
                f"{LABEL}-owner": str(Owner.this()),
                f"{LABEL}-persist": "1" if self.settings.modal.persist else "0",
            },
        )

    def _terminate(self) -> None:
        sandbox, self._sandbox = self._sandbox, None
        if sandbox is not None:
            with contextlib.suppress(Exception):  # the service ends sandboxes at their time limit
                sandbox.terminate()
            with contextlib.suppress(Exception):
                sandbox.detach()

    def _convert_error(self, error: Exception) -> TerminalEnvironmentError:
        """Return the error for an error of the SDK; only the sandbox knows whether it is gone."""
        import modal.exception

        if isinstance(error, modal.exception.ExecTimeoutError):
            return TerminalEnvironmentError("The sandbox did not answer in time.")
        try:
            self._gone = self._sandbox is None or self._sandbox.poll() is not None
        except modal.exception.NotFoundError:
            self._gone = True
        except (modal.exception.Error, OSError, ValueError):
            return TerminalEnvironmentError(f"Modal cannot be reached: {error}", hint=_hint(error))
        if self._gone:
            return TerminalEnvironmentError("The sandbox is gone.", gone=True)
        return TerminalEnvironmentError(str(error), hint=_hint(error))


class _ExecChannel:
    """One process started by `Sandbox.exec`."""

    def __init__(self, process: Any) -> None:
        self._process = process
        self._drained = threading.Event()
        self._ended: Callable[[int], None] | None = None

    def output(self) -> Iterator[bytes]:
        """Yield the output of the process."""
        for data in self._process.stdout:
            yield bytes(data)
        self._drained.set()
        self._report_end(self._process.wait())

    def send(self, data: bytes) -> None:
        """Write to its input."""
        self._process.stdin.write(data)
        self._process.stdin.drain()

    def end_input(self) -> None:
        """Close its input."""
        self._process.stdin.write_eof()
        self._process.stdin.drain()

    def watch(self, ended: Callable[[int], None]) -> None:
        """Wait for the exit code in a thread, because output may continue after it."""
        self._ended = ended
        threading.Thread(target=self._wait, name="hermes-terminal-modal", daemon=True).start()

    def close(self) -> None:
        """Do nothing: a signal ends the process, and its connection with it."""

    def _wait(self) -> None:
        with contextlib.suppress(Exception):  # the reading thread reports a broken connection
            code = self._process.wait()
            self._drained.wait(_DRAIN_SECONDS)
            self._report_end(code)

    def _report_end(self, code: int) -> None:
        if self._ended is not None:
            self._ended(code)


def check(settings: TerminalSettings) -> str | None:  # noqa: ARG001 - a provider's function
    """Return why no sandbox can be started; None when it can, as far as is known without asking the service."""
    if (why := missing_sdk("modal", "modal")) is not None:
        return why
    names = ("MODAL_TOKEN_ID", "MODAL_TOKEN_SECRET")
    lacking = [name for name in names if not os.environ.get(name)]
    profile = os.environ.get("MODAL_CONFIG_PATH") or os.path.expanduser("~/.modal.toml")
    if not lacking or os.path.isfile(profile):
        return None
    return f"{' and '.join(lacking)} not set, and there is no {profile}: run `modal setup`, or set them."


def make(settings: TerminalSettings, *, task: str, home: str) -> ModalEnvironment:
    """Return a new environment that is not open yet."""
    return ModalEnvironment(settings, task=task, home=home)


def reap(settings: TerminalSettings, home: str) -> int:
    """End the sandboxes of dead processes of this machine, after a snapshot of persistent ones."""
    if check(settings) is not None:
        return 0
    import modal
    import modal.exception

    ended = 0
    with contextlib.suppress(modal.exception.Error, OSError):  # the next start tries again
        app = modal.App.lookup(settings.modal.app)
        for sandbox in modal.Sandbox.list(app_id=app.app_id, tags={LABEL: "1", f"{LABEL}-profile": profile_id(home)}):
            tags = sandbox.get_tags()
            owner = Owner.named(tags.get(f"{LABEL}-owner", ""))
            if owner is not None and not owner.alive:
                if tags.get(f"{LABEL}-persist") == "1":
                    with contextlib.suppress(modal.exception.Error, OSError):  # end it anyway
                        SnapshotIndex(home).put(tags[f"{LABEL}-task"], _take_snapshot(sandbox))
                sandbox.terminate()
                ended += 1
    return ended


def _take_snapshot(sandbox: Any) -> str:
    """Take a snapshot of a sandbox's files, and return its id."""
    return str(sandbox.snapshot_filesystem(SNAPSHOT_SECONDS).object_id)


def _hint(error: Exception) -> str:
    """Return a hint about an error of the SDK."""
    import modal.exception

    if isinstance(error, modal.exception.AuthError | modal.exception.PermissionDeniedError):
        return "Check MODAL_TOKEN_ID and MODAL_TOKEN_SECRET, or run `modal setup`."
    if isinstance(error, modal.exception.RemoteError):
        return "Check terminal.modal.image."
    if isinstance(error, modal.exception.ConnectionError | OSError):
        return "Check the network, and MODAL_SERVER_URL if it is set."
    return ""


_PREFIX = "direct:"
_log = logging.getLogger("hermes.terminal")


class SnapshotIndex:
    """The snapshot of each task, stored in `modal_snapshots.json`."""

    def __init__(self, home: str) -> None:
        self._path = Path(home, "modal_snapshots.json")

    def of(self, task: str) -> str | None:
        """Return the image id of a task's snapshot; None when there is none."""
        return self._read().get(_PREFIX + task)

    def put(self, task: str, image: str | None) -> None:
        """Store or remove the snapshot of a task. Concurrent processes are safe."""
        with file_lock(self._path):
            known = self._read(repair=True)
            known.pop(_PREFIX + task, None)
            if image is not None:
                known[_PREFIX + task] = image
            write_atomic(self._path, json.dumps(known, indent=2, sort_keys=True).encode())

    def _read(self, *, repair: bool = False) -> dict[str, str]:
        """Read the snapshots. An unreadable file counts as empty: sandboxes then start from their image.

        Args:
            repair: Whether to move a damaged file aside, because a new one is about to be written.
        """
        try:
            known = json.loads(self._path.read_bytes())
        except OSError:
            return {}
        except (ValueError, RecursionError):
            known = None
        if not isinstance(known, dict):
            if repair:
                _log.warning(MOVED, self._path, "it is not an object", rename_aside(self._path))
            return {}
        return {str(task): image for task, image in known.items() if isinstance(image, str)}
