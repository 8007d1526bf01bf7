"""Sandboxes of modal.com, by the official SDK (the extra `modal`).

Tests speak to the real SDK, and it to a gRPC server on loopback that keeps Modal's protocol and runs commands in local
processes. What that cannot show is whether the service itself does the same: that needs an account, and was not tried.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import logging
import math
import os
import secrets
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hermes_tools_terminal.environments.base import TerminalEnvironmentError
from hermes_tools_terminal.environments.client import LABEL, profile_id, safe_name
from hermes_tools_terminal.environments.cloud.channels import Channel, CloudEnvironment, missing_sdk, require_sdk
from hermes_tools_terminal.environments.files import Files
from hermes_tools_terminal.environments.local import COLUMNS, ROWS
from hermes_tools_terminal.environments.process_records import Owner
from hermes_tools_terminal.environments.remote_files import RemoteFiles

if TYPE_CHECKING:
    from hermes_tools_terminal.settings import TerminalSettings

KIND = "modal"

SNAPSHOT_SECONDS = 120
"""How long taking a picture of the files may last."""

_DRAIN_SECONDS = 1.0
"""How long one waits for a process's last words after its end, when others may still print."""

_PIECE = 1 << 19  # the SDK takes 2 MB at once
_FOREVER = ("sh", "-c", "while :; do sleep 86400; done")

# Errors go where output goes. The process is to lead a group of its own: `setsid` makes it one unless it is already.
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
    """One sandbox, which begins with what the task's last one left.

    That is what it had when it was closed. A sandbox that Modal ends at its time takes what it has since with it.

    Args:
        settings: The section `terminal`.
        task: Whose it is.
        home: `$HERMES_HOME`.

    Attributes:
        notes: What was asked for and could not be had.
    """

    kind = KIND
    isolated = True

    def __init__(self, settings: TerminalSettings, *, task: str, home: str) -> None:
        super().__init__(settings, home)
        self.files: Files = RemoteFiles(self)
        self.notes: tuple[str, ...] = ()
        self._task, self._home = safe_name(task), home
        self._snapshots = SnapshotIndex(home)
        self._sandbox: Any = None

    def open(self) -> None:
        """Create the sandbox."""
        require_sdk("modal", "modal")
        import modal.exception

        try:
            self._sandbox = self._created()
            self._gone = False
            seen = self.run(_LOOK_AROUND, self._settings.cwd).decode(errors="replace").split("\n")
        except BaseException as error:
            self._terminate()
            if isinstance(error, modal.exception.Error | OSError):
                raise TerminalEnvironmentError(f"The sandbox did not start: {error}", hint=_hint(error)) from error
            if isinstance(error, TerminalEnvironmentError):
                error.gone = False  # it never was there: another attempt is no remedy
            raise
        self.shell = "bash" if seen[0] == "bash" else "sh"
        self.folder = seen[1]

    def close(self) -> None:
        """End the sandbox; take a picture of its files first when they are kept."""
        if self._sandbox is not None and self._settings.modal.persist and not self._gone:
            with contextlib.suppress(Exception):  # then the last picture stays, which is better than none
                self._snapshots.put(self._task, _picture(self._sandbox))
        self._terminate()

    def alive(self) -> bool:
        """Whether it was there when it was last used."""
        return self._sandbox is not None and not self._gone

    def channel(self, argv: Sequence[str], *, cwd: str | None, env: Mapping[str, str], pty: bool) -> Channel:
        """Start a process by `Sandbox.exec`."""
        given = {**env, **({"_h_pty": f"rows {ROWS} cols {COLUMNS}", "TERM": "xterm-256color"} if pty else {})}
        line = ("sh", "-c", _ENTER, "sh", cwd or self.folder, *argv)
        return _ExecChannel(self._exec(*line, env=given, pty=pty))

    def run(self, script: str, *args: str, input: bytes | None = None, timeout: float = 60.0) -> bytes:
        """Run a small script in the sandbox and get what it printed."""
        import modal.exception

        process = self._exec("sh", "-c", script, "sh", *args, timeout=math.ceil(timeout))
        try:
            for at in range(0, len(input or b""), _PIECE):
                process.stdin.write((input or b"")[at : at + _PIECE])
                process.stdin.drain()
            process.stdin.write_eof()
            process.stdin.drain()
        except (modal.exception.Error, OSError, ValueError):
            pass  # it ended before it had read everything: why, its end tells
        try:
            printed, errors, status = process.stdout.read(), process.stderr.read(), process.wait()
        except (modal.exception.Error, OSError, ValueError) as error:
            raise self._trouble(error) from error
        if status:
            words = (errors or printed).decode(errors="replace").strip()[-500:]
            raise TerminalEnvironmentError(words or f"It ended with {status}.")
        return bytes(printed)

    def leaks(self) -> Sequence[str]:
        """The network: it is another machine's."""
        return ("network",)

    def _exec(self, *argv: str, **how: Any) -> Any:
        import modal.exception

        if self._sandbox is None or self._gone:
            raise TerminalEnvironmentError("The sandbox is gone.", gone=True)
        try:
            return self._sandbox.exec(*argv, text=False, **how)
        except (modal.exception.Error, OSError, ValueError) as error:
            raise self._trouble(error) from error

    def _created(self) -> Any:
        """A sandbox with the task's files; with the image's own when there are none, or none any more."""
        import modal

        app = modal.App.lookup(self._settings.modal.app, create_if_missing=True)
        kept = self._snapshots.of(self._task) if self._settings.modal.persist else None
        if kept is not None:
            try:
                return self._create(app, modal.Image.from_id(kept))
            except (modal.exception.NotFoundError, modal.exception.InvalidError, modal.exception.RemoteError) as error:
                self.notes += (f"What the task had written is not there any more: {error}",)
                with contextlib.suppress(OSError):
                    self._snapshots.put(self._task, None)
        return self._create(app, modal.Image.from_registry(self._settings.modal.image))

    def _create(self, app: Any, image: Any) -> Any:
        import modal

        limits = self._settings.container
        return modal.Sandbox.create(
            *_FOREVER,
            app=app,
            image=image,
            timeout=self._settings.modal.lifetime,
            cpu=limits.cpu,
            memory=limits.memory,
            tags={
                LABEL: "1",
                f"{LABEL}-task": self._task,
                f"{LABEL}-profile": profile_id(self._home),
                f"{LABEL}-owner": str(Owner.this()),
                f"{LABEL}-persist": "1" if self._settings.modal.persist else "0",
            },
        )

    def _terminate(self) -> None:
        sandbox, self._sandbox = self._sandbox, None
        if sandbox is not None:
            with contextlib.suppress(Exception):  # the service may not answer; it ends sandboxes at their time itself
                sandbox.terminate()
            with contextlib.suppress(Exception):
                sandbox.detach()

    def _trouble(self, error: Exception) -> TerminalEnvironmentError:
        """What an error of the SDK means: only the sandbox itself tells whether it is gone."""
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
    """One process that `Sandbox.exec` started.

    Args:
        process: The SDK's own object.
    """

    def __init__(self, process: Any) -> None:
        self._process = process
        self._drained = threading.Event()
        self._ended: Callable[[int], None] | None = None

    def output(self) -> Iterator[bytes]:
        """What it prints."""
        for data in self._process.stdout:
            yield bytes(data)
        self._drained.set()
        self._tell(self._process.wait())

    def send(self, data: bytes) -> None:
        """Give it something to read."""
        self._process.stdin.write(data)
        self._process.stdin.drain()

    def end_input(self) -> None:
        """Tell it that nothing more comes."""
        self._process.stdin.write_eof()
        self._process.stdin.drain()

    def watch(self, ended: Callable[[int], None]) -> None:
        """Have its end told; by a thread, because output may go on."""
        self._ended = ended
        threading.Thread(target=self._wait, name="hermes-terminal-modal", daemon=True).start()

    def close(self) -> None:
        """Nothing to let go of: a process is ended by a signal, and its connection with it."""

    def _wait(self) -> None:
        with contextlib.suppress(Exception):  # a connection that breaks is told by who reads
            code = self._process.wait()
            self._drained.wait(_DRAIN_SECONDS)
            self._tell(code)

    def _tell(self, code: int) -> None:
        if self._ended is not None:
            self._ended(code)


def check(settings: TerminalSettings) -> str | None:  # noqa: ARG001 - a provider's function
    """Why no sandbox can be had; None when one can, as far as can be told without asking the service."""
    if (why := missing_sdk("modal", "modal")) is not None:
        return why
    names = ("MODAL_TOKEN_ID", "MODAL_TOKEN_SECRET")
    lacking = [name for name in names if not os.environ.get(name)]
    profile = os.environ.get("MODAL_CONFIG_PATH") or os.path.expanduser("~/.modal.toml")
    if not lacking or os.path.isfile(profile):
        return None
    return f"{' and '.join(lacking)} not set, and there is no {profile}: run `modal setup`, or set them."


def make(settings: TerminalSettings, *, task: str, home: str) -> ModalEnvironment:
    """A new environment, not yet open."""
    return ModalEnvironment(settings, task=task, home=home)


def reap(settings: TerminalSettings, home: str) -> int:
    """End the sandboxes of processes of this machine that died, with a picture of their files where they are kept."""
    if check(settings) is not None:
        return 0
    import modal
    import modal.exception

    ended = 0
    with contextlib.suppress(modal.exception.Error, OSError):  # the next start tries again, and they end at their time
        app = modal.App.lookup(settings.modal.app)
        for sandbox in modal.Sandbox.list(app_id=app.app_id, tags={LABEL: "1", f"{LABEL}-profile": profile_id(home)}):
            tags = sandbox.get_tags()
            owner = Owner.named(tags.get(f"{LABEL}-owner", ""))
            if owner is not None and not owner.alive:
                if tags.get(f"{LABEL}-persist") == "1":
                    with contextlib.suppress(modal.exception.Error, OSError):  # it is ended all the same
                        SnapshotIndex(home).put(tags[f"{LABEL}-task"], _picture(sandbox))
                sandbox.terminate()
                ended += 1
    return ended


def _picture(sandbox: Any) -> str:
    """Have the service keep a sandbox's files; the picture's name."""
    return str(sandbox.snapshot_filesystem(SNAPSHOT_SECONDS).object_id)


def _hint(error: Exception) -> str:
    """What to do about an error of the SDK."""
    import modal.exception

    if isinstance(error, modal.exception.AuthError | modal.exception.PermissionDeniedError):
        return "Look at MODAL_TOKEN_ID and MODAL_TOKEN_SECRET, or run `modal setup`."
    if isinstance(error, modal.exception.RemoteError):
        return "Look at terminal.modal.image."
    if isinstance(error, modal.exception.ConnectionError | OSError):
        return "Look at the network, and at MODAL_SERVER_URL if it is set."
    return ""


_PREFIX = "direct:"
_log = logging.getLogger("hermes.terminal")


class SnapshotIndex:
    """The pictures by task, in `modal_snapshots.json`.

    Args:
        home: `$HERMES_HOME`.
    """

    def __init__(self, home: str) -> None:
        self._path = os.path.join(home, "modal_snapshots.json")

    def of(self, task: str) -> str | None:
        """The name of a task's picture; None when there is none."""
        return self._read().get(_PREFIX + task)

    def put(self, task: str, image: str | None) -> None:
        """Take note of a task's picture, or forget it. Others may do the same at the same time."""
        with self._alone():
            known = self._read(repair=True)
            if image is None:
                known.pop(_PREFIX + task, None)
            else:
                known[_PREFIX + task] = image
            beside = os.path.join(os.path.dirname(self._path), f".hermes-{os.getpid()}-{secrets.token_hex(8)}.tmp")
            try:
                with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
                    json.dump(known, file, indent=2, sort_keys=True)
                    file.flush()
                    os.fsync(file.fileno())
                os.replace(beside, self._path)
            except BaseException as error:
                with contextlib.suppress(OSError):
                    os.unlink(beside)
                if isinstance(error, OSError) and error.filename is None:
                    error.filename = self._path
                raise

    def _read(self, *, repair: bool = False) -> dict[str, str]:
        """What is known. A file that cannot be read counts as none: sandboxes start from their image then.

        Args:
            repair: Whether a damaged file is moved aside, because a new one is about to be written.
        """
        try:
            with open(self._path, encoding="utf-8") as file:
                known = json.load(file)
        except OSError:
            return {}
        except (ValueError, RecursionError):
            known = None
        if not isinstance(known, dict):
            if repair:
                os.replace(self._path, f"{self._path}.broken")
                _log.warning("%s is damaged. It was moved to %s.broken.", self._path, self._path)
            return {}
        return {str(task): image for task, image in known.items() if isinstance(image, str)}

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        os.makedirs(os.path.dirname(self._path), mode=0o700, exist_ok=True)
        handle = os.open(f"{self._path}.lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)
