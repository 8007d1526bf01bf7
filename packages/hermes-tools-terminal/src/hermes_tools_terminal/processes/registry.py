"""The background processes of a session. One thread reads the output of all of them."""

from __future__ import annotations

import contextlib
import os
import selectors
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from typing import Any

from hermes_tools_terminal.environments.base import Environment, TerminalEnvironmentError
from hermes_tools_terminal.environments.process_records import ProcessRecords
from hermes_tools_terminal.processes.output import NoticeLimiter, PatternWatcher
from hermes_tools_terminal.processes.process import BackgroundProcess

MAX_PROCESSES = 64
KEPT_SECONDS = 1800.0
"""How long an ended process can be queried."""

_MAX_NOTICES = 1000
_SHOWN = 2000
"""How many characters of output the report of its end contains."""

_TICK_SECONDS = 0.25
"""How often to poll processes without an end descriptor, and after how much silence a partial line counts."""

_SOON_SECONDS = 0.05
"""How long to wait for a process that has closed its output: most have ended."""

_CLOSE_SECONDS = 5.0
_STATE = "_h_state"

# Waits until the process is marked and recorded: for a line, or for the key that ends the input of a terminal, which a
# terminal does not echo. If the host dies first, its pipe or terminal is closed, and the command does not run.
_WAIT = "read -r _h_go || [ -t 0 ] || exit; unset _h_go; "
_GO, _GO_IN_TERMINAL = b"\n", b"\x04"
_READ_SIZE = 1 << 16
_MAX_LAST_READS = 32
"""How often to read the remaining output of an ended process: others may keep writing to its pipe."""


class TooManyProcessesError(Exception):
    """Raised when the limit of processes is reached."""


class Processes:
    """The background processes of a session."""

    def __init__(self, records: ProcessRecords) -> None:
        self._records = records
        self._known: OrderedDict[str, BackgroundProcess] = OrderedDict()
        self._notices: deque[tuple[BackgroundProcess, dict[str, Any]]] = deque(maxlen=_MAX_NOTICES)
        self._limiter = NoticeLimiter()
        self._lock = threading.Lock()
        self._selector: selectors.BaseSelector | None = None
        self._read_thread: threading.Thread | None = None
        self._wake = -1
        self._starting = 0
        self._new: deque[BackgroundProcess] = deque()  # both are handled by the reading thread
        self._forgotten: deque[BackgroundProcess] = deque()
        self._closed = False

    # -- used by the tools -------------------------------------------------------------------------------------

    def start(
        self,
        environment: Environment,
        command: str,
        *,
        task: str,
        folder: str,
        pty: bool = False,
        notify: bool = False,
        patterns: Sequence[str] = (),
        state: str = "",
    ) -> BackgroundProcess:
        """Start a command in the background. Blocks until it runs.

        Args:
            environment: Its environment.
            command: The command.
            task: The name of its task.
            folder: Its working directory.
            pty: Whether it gets a pseudo-terminal.
            notify: Whether to report its end.
            patterns: Texts to look for in its output.
            state: Code that sets the variables and functions of the task's shell.

        Raises:
            TooManyProcesses: the limit is reached.
            TerminalEnvironmentError: it cannot be started.
        """
        with self._lock:
            self._discard_ended()
            self._starting += 1
        try:
            shell = "bash" if environment.shell == "bash" else "sh"
            env, before = {"PYTHONUNBUFFERED": "1"}, _WAIT if environment.quick else ""
            if state:
                env[_STATE] = state
                before += f'eval "${_STATE}" >/dev/null 2>&1; unset {_STATE}'
            text = f"{before}\n{command}" if before else command
            started = environment.start([shell, "-c", text], cwd=folder or None, env=env, pty=pty)
            if environment.quick:
                self._records.add(started.group, started.mark)
                if started.child.stdin is not None:
                    with contextlib.suppress(OSError):  # it was already killed
                        started.child.stdin.write(_GO_IN_TERMINAL if pty else _GO)
        finally:
            self._starting -= 1
        process = BackgroundProcess(
            id=f"proc_{os.urandom(6).hex()}",
            command=command,
            task=task,
            environment=environment,
            started=started,
            folder=folder or environment.folder,
            pty=pty,
            notify=notify,
            watcher=PatternWatcher(tuple(patterns), self._limiter) if patterns else None,
        )
        with self._lock:
            if not self._closed:
                self._known[process.id] = process
                self._listen(process)
                return process
        process.end()
        _close_pipes(process)
        raise TerminalEnvironmentError("The session has ended.")

    def find(self, id: str, task: str) -> BackgroundProcess | None:
        """Return the process with that id, if it belongs to the task."""
        found = self._known.get(id)
        return found if found is not None and found.task == task else None

    def of_task(self, task: str) -> list[BackgroundProcess]:
        """Return the known processes of a task, the oldest first."""
        with self._lock:
            self._forget_old()
            return [process for process in self._known.values() if process.task == task]

    def running(self, task: str) -> bool:
        """Return whether a process of a task still runs."""
        return any(process.running for process in list(self._known.values()) if process.task == task)

    def forget(self, process: BackgroundProcess) -> None:
        """Forget a process that has ended and was reported."""
        with self._lock:
            self._drop(process)
        self._wake_up()

    def notices(self, mask: Callable[[str], str]) -> list[dict[str, Any]]:
        """Return notices since the last call: matches, and ends that the model has not seen yet."""
        found = []
        while self._notices:
            process, notice = self._notices.popleft()
            if not (notice["type"] == "completion" and process.consumed):
                end = {"output": process.recent_output(_SHOWN, mask)} if notice["type"] == "completion" else {}
                found.append({name: mask(value) if name == "output" else value for name, value in notice.items()} | end)
        return found

    def close(self) -> None:
        """Kill all of them."""
        with self._lock:
            self._closed = True
            known = list(self._known.values())
        for process in known:
            if process.running:
                process.end()
        self._wake_up()
        if self._read_thread is not None and self._read_thread is not threading.current_thread():
            self._read_thread.join(_CLOSE_SECONDS)

    # -- reading -----------------------------------------------------------------------------------------------

    def _discard_ended(self) -> None:
        self._forget_old()
        while len(self._known) + self._starting >= MAX_PROCESSES:
            ended = next((process for process in self._known.values() if not process.running), None)
            if ended is None:
                raise TooManyProcessesError(f"{MAX_PROCESSES} processes run already; end one of them first.")
            self._drop(ended)

    def _forget_old(self) -> None:
        now = time.monotonic()
        for process in list(self._known.values()):
            if process.ended is not None and now - process.ended > KEPT_SECONDS:
                self._drop(process)

    def _drop(self, process: BackgroundProcess) -> None:
        if self._known.pop(process.id, None) is not None:
            self._forgotten.append(process)  # the reading thread closes its pipes

    def _listen(self, process: BackgroundProcess) -> None:
        out = process.started.child.stdout
        assert out is not None
        os.set_blocking(out.fileno(), False)
        if self._read_thread is None:
            self._selector = selectors.DefaultSelector()
            read, self._wake = os.pipe()
            os.set_blocking(read, False)
            self._selector.register(read, selectors.EVENT_READ, None)
            thread = threading.Thread(target=self._read_all, name="hermes-terminal-processes", daemon=True)
            thread.start()
            self._read_thread = thread  # set last: a signal may interrupt the start, and then there is nothing to join
        with contextlib.suppress(OSError, AttributeError):  # not a process of this machine, or not Linux
            process.end_handle = os.pidfd_open(process.started.child.pid)
        self._new.append(process)
        self._wake_up()

    def _register(self, process: BackgroundProcess) -> None:
        out, selector = process.started.child.stdout, self._selector
        assert out is not None
        assert selector is not None
        selector.register(out.fileno(), selectors.EVENT_READ, process)
        if process.end_handle >= 0:
            selector.register(process.end_handle, selectors.EVENT_READ, process)

    def _wake_up(self) -> None:
        if self._wake >= 0:
            with contextlib.suppress(OSError):
                os.write(self._wake, b".")

    def _read_all(self) -> None:
        """Read the output of all processes until the session ends."""
        selector = self._selector
        assert selector is not None
        looked = time.monotonic()
        while not self._closed:
            for key, _ in selector.select(_TICK_SECONDS):
                if key.data is None:
                    with contextlib.suppress(OSError):
                        os.read(key.fd, 4096)
                elif key.fd == key.data.end_handle:
                    self._check_end(key.data)
                else:
                    self._read(key.data)
            while self._new:
                self._register(self._new.popleft())
            while self._forgotten:
                self._release(self._forgotten.popleft())
            if time.monotonic() - looked > _TICK_SECONDS:
                looked = time.monotonic()
                self._check_silent_processes()
        self._close_all(selector)

    def _close_all(self, selector: selectors.BaseSelector) -> None:
        wake, self._wake = self._wake, -1
        for key in list(selector.get_map().values()):
            if key.data is None:
                os.close(key.fd)
            else:
                _close_pipes(key.data)
        os.close(wake)
        selector.close()
        for process in [*self._known.values(), *self._forgotten]:
            _close_pipes(process)

    def _read(self, process: BackgroundProcess) -> bool:
        """Read some output; return whether there may be more."""
        out = process.started.child.stdout
        if out is None or out.closed:
            return False
        try:
            data = os.read(out.fileno(), _READ_SIZE)
        except BlockingIOError:
            return False
        except OSError:  # a terminal whose other side is closed
            data = b""
        if data:
            process.output.add(data)
            process.printed = time.monotonic()
            if process.watcher is not None:
                self._add_notices(process, process.watcher.look(data))
            return True
        self._unregister(out.fileno())
        with contextlib.suppress(OSError):
            out.close()
        if process.end_handle < 0:
            with contextlib.suppress(Exception):  # it may run without output; it is polled later
                process.started.child.wait(_SOON_SECONDS)
            self._check_end(process)
        return False

    def _check_silent_processes(self) -> None:
        """Poll processes without an end descriptor, and match partial lines, which may be prompts."""
        now = time.monotonic()
        for process in list(self._known.values()):
            if not process.running:
                continue
            if process.watcher is not None and now - process.printed > _TICK_SECONDS:
                self._add_notices(process, process.watcher.look(b"", silent=True))
            if process.end_handle < 0:
                self._check_end(process)

    def _check_end(self, process: BackgroundProcess) -> None:
        """Record the end of a process, even if its children still write to its pipe."""
        if (code := process.started.child.poll()) is None:
            return
        for _ in range(_MAX_LAST_READS):
            if not self._read(process):
                break
        if process.watcher is not None:
            self._add_notices(process, process.watcher.look(b"", silent=True))
        handle, process.end_handle = process.end_handle, -1
        if handle >= 0:
            self._unregister(handle)
            os.close(handle)
        process.shut_input()
        self._ended(process, code)

    def _unregister(self, handle: int) -> None:
        with contextlib.suppress(KeyError, ValueError):
            if self._selector is not None:
                self._selector.unregister(handle)

    def _release(self, process: BackgroundProcess) -> None:
        """Release a process that can no longer be queried."""
        out = process.started.child.stdout
        if out is not None and not out.closed:
            self._unregister(out.fileno())
        if process.end_handle >= 0:
            self._unregister(process.end_handle)
        _close_pipes(process)

    def _ended(self, process: BackgroundProcess, code: int) -> None:
        lost = code == 255 and process.environment.kind == "ssh"  # the exit code of ssh for a broken connection
        if not process.finish(code, "lost" if lost else "exited"):
            return
        if process.environment.quick:
            self._records.ended(process.started.group)
        if process.notify or (process.watcher is not None and process.watcher.disabled):
            end = {"type": "completion", "exit_code": process.exit_code}
            self._add_notices(process, [{**end, "completion_reason": process.reason}])

    def _add_notices(self, process: BackgroundProcess, notices: list[dict[str, Any]]) -> None:
        for notice in notices:
            entry = {**notice, "session_id": process.id, "command": process.command[:200]}
            self._notices.append((process, entry))


def _close_pipes(process: BackgroundProcess) -> None:
    """Close the pipes and descriptors of a process."""
    process.shut_input()
    handle, process.end_handle = process.end_handle, -1
    with contextlib.suppress(OSError):
        if handle >= 0:
            os.close(handle)
    with contextlib.suppress(OSError):
        if process.started.child.stdout is not None:
            process.started.child.stdout.close()
