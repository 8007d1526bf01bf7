"""The background processes of one session: started, read by one thread for all, told of, and ended."""

from __future__ import annotations

import contextlib
import os
import secrets
import selectors
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Sequence
from typing import Any

from hermes_tools_terminal.environments.base import Environment
from hermes_tools_terminal.environments.ledger import Ledger
from hermes_tools_terminal.processes.process import BackgroundProcess
from hermes_tools_terminal.processes.watching import Breaker, Watching

MOST_PROCESSES = 64
KEPT_SECONDS = 1800.0
"""How long an ended process can be asked about."""

_MOST_NOTICES = 1000
_TICK_SECONDS = 0.25
"""How often processes are looked at whose pipe others hold open."""

_READ_SIZE = 1 << 16


class TooManyProcesses(Exception):  # noqa: N818 - it says what is wrong
    """So many run that no other may be started."""


class Processes:
    """What runs in the background.

    Args:
        ledger: Where what runs on this machine is remembered.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._known: OrderedDict[str, BackgroundProcess] = OrderedDict()
        self._notices: deque[dict[str, Any]] = deque(maxlen=_MOST_NOTICES)
        self._breaker = Breaker()
        self._lock = threading.Lock()
        self._selector: selectors.BaseSelector | None = None
        self._wake = -1
        self._closed = False

    # -- what the tools ask ------------------------------------------------------------------------------------

    def start(
        self,
        place: Environment,
        command: str,
        *,
        task: str,
        folder: str,
        pty: bool = False,
        notify: bool = False,
        patterns: Sequence[str] = (),
    ) -> BackgroundProcess:
        """Start a command that goes on while others run. Blocks until it is there.

        Raises:
            TooManyProcesses: too many run already.
            PlaceError: it cannot be started.
        """
        with self._lock:
            self._make_room()
        shell = "bash" if place.shell == "bash" else "sh"
        started = place.start([shell, "-c", command], cwd=folder or None, env={"PYTHONUNBUFFERED": "1"}, pty=pty)
        if place.quick:
            self._ledger.add(started.group)
        process = BackgroundProcess(
            id=f"proc_{secrets.token_hex(6)}",
            command=command,
            task=task,
            place=place,
            started=started,
            folder=folder or place.folder,
            pty=pty,
            notify=notify,
            watching=Watching(tuple(patterns), self._breaker) if patterns else None,
        )
        with self._lock:
            self._known[process.id] = process
            self._listen(process)
        return process

    def find(self, id: str, task: str) -> BackgroundProcess | None:
        """The process of that name, if it belongs to the task."""
        found = self._known.get(id)
        return found if found is not None and found.task == task else None

    def of_task(self, task: str) -> list[BackgroundProcess]:
        """All of a task that are known, the oldest first."""
        with self._lock:
            self._forget_old()
            return [process for process in self._known.values() if process.task == task]

    def running(self, task: str) -> bool:
        """Whether any of a task still runs."""
        return any(process.running for process in list(self._known.values()) if process.task == task)

    def forget(self, process: BackgroundProcess) -> None:
        """Not keep a process that is over and was told of."""
        with self._lock:
            self._known.pop(process.id, None)

    def notices(self) -> list[dict[str, Any]]:
        """What happened since the last time: ends and matches. Ends that somebody has seen meanwhile are left out."""
        found = []
        while self._notices:
            notice = self._notices.popleft()
            process = self._known.get(notice.get("session_id", ""))
            if not (notice["type"] == "completion" and process is not None and process.consumed):
                found.append(notice)
        return found

    def close(self) -> None:
        """End all of them."""
        with self._lock:
            self._closed = True
            known = list(self._known.values())
        for process in known:
            if process.running:
                process.end()
        self._nudge()

    # -- reading -----------------------------------------------------------------------------------------------

    def _make_room(self) -> None:
        self._forget_old()
        while len(self._known) >= MOST_PROCESSES:
            ended = next((process for process in self._known.values() if not process.running), None)
            if ended is None:
                raise TooManyProcesses(f"{MOST_PROCESSES} processes run already; end one of them first.")
            del self._known[ended.id]

    def _forget_old(self) -> None:
        now = time.monotonic()
        for process in list(self._known.values()):
            if process.ended is not None and now - process.ended > KEPT_SECONDS:
                del self._known[process.id]

    def _listen(self, process: BackgroundProcess) -> None:
        out = process.started.child.stdout
        assert out is not None
        os.set_blocking(out.fileno(), False)
        if self._selector is None:
            self._selector = selectors.DefaultSelector()
            read, self._wake = os.pipe()
            os.set_blocking(read, False)
            self._selector.register(read, selectors.EVENT_READ, None)
            threading.Thread(target=self._pump, name="hermes-terminal-processes", daemon=True).start()
        self._selector.register(out.fileno(), selectors.EVENT_READ, process)
        self._nudge()

    def _nudge(self) -> None:
        if self._wake >= 0:
            with contextlib.suppress(OSError):
                os.write(self._wake, b".")

    def _pump(self) -> None:
        """Read what all of them print, until the session ends."""
        selector = self._selector
        assert selector is not None
        looked = 0.0
        while not self._closed:
            for key, _ in selector.select(_TICK_SECONDS):
                if key.data is None:
                    with contextlib.suppress(OSError):
                        os.read(key.fd, 4096)
                else:
                    self._read(key.data)
            if time.monotonic() - looked > _TICK_SECONDS:
                looked = time.monotonic()
                self._look_at_silent_ones()
        for key in list(selector.get_map().values()):
            if key.data is None:
                os.close(key.fd)
        with contextlib.suppress(OSError):
            os.close(self._wake)
        self._wake = -1
        selector.close()

    def _read(self, process: BackgroundProcess) -> None:
        out = process.started.child.stdout
        assert out is not None
        try:
            data = os.read(out.fileno(), _READ_SIZE)
        except BlockingIOError:
            return
        except (OSError, ValueError):  # a terminal whose other side is closed
            data = b""
        if data:
            process.ring.add(data)
            if process.watching is not None:
                self._tell(process, process.watching.look(data))
            return
        self._let_go(process)
        try:
            code = process.started.child.wait(5)
        except Exception:  # it closed its output and goes on; it is looked at again
            threading.Thread(target=self._await_end, args=(process,), daemon=True).start()
            return
        self._ended(process, code)

    def _await_end(self, process: BackgroundProcess) -> None:
        with contextlib.suppress(Exception):  # the session's end ends it
            self._ended(process, process.started.child.wait())

    def _look_at_silent_ones(self) -> None:
        """A process may be over while a child of it still holds its pipe."""
        for process in list(self._known.values()):
            if process.running and (code := process.started.child.poll()) is not None:
                self._drain(process)
                self._let_go(process)
                self._ended(process, code)

    def _drain(self, process: BackgroundProcess) -> None:
        out = process.started.child.stdout
        assert out is not None
        with contextlib.suppress(OSError, ValueError):
            while data := os.read(out.fileno(), _READ_SIZE):
                process.ring.add(data)

    def _let_go(self, process: BackgroundProcess) -> None:
        selector, child = self._selector, process.started.child
        for pipe in (child.stdout, child.stdin):
            if pipe is None or pipe.closed:
                continue
            with contextlib.suppress(KeyError, ValueError):
                if selector is not None and pipe is child.stdout:
                    selector.unregister(pipe.fileno())
            with contextlib.suppress(OSError):
                pipe.close()

    def _ended(self, process: BackgroundProcess, code: int) -> None:
        lost = code == 255 and process.place.kind == "ssh"  # what ssh says when the connection broke
        if process.finish(code, "lost" if lost else "exited") and (
            process.notify or (process.watching is not None and process.watching.disabled)
        ):
            end = {"type": "completion", "exit_code": process.exit_code, "output": process.ring.tail(2000)}
            self._tell(process, [{**end, "completion_reason": process.reason}])

    def _tell(self, process: BackgroundProcess, notices: list[dict[str, Any]]) -> None:
        for notice in notices:
            self._notices.append({**notice, "session_id": process.id, "command": process.command[:200]})
