"""The file session of a task: its filesystem, the approved files of each call and the access history."""

from __future__ import annotations

import errno
import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from hermes_core import Binding, ToolUnavailableError
from hermes_tools_terminal.environments.base import TerminalEnvironmentError
from hermes_tools_terminal.file_access.access_history import AccessHistory
from hermes_tools_terminal.file_access.policy import Op, findings, outside
from hermes_tools_terminal.files.factory import filesystem_for, filesystem_name
from hermes_tools_terminal.files.filesystem import ChangedError, FileInfo
from hermes_tools_terminal.session_state import task_of
from hermes_tools_terminal.settings import FileSettings

if TYPE_CHECKING:
    from hermes_core import Finding, Session, ToolContext
    from hermes_tools_terminal.environments.base import Environment
    from hermes_tools_terminal.file_access.access_history import Access
    from hermes_tools_terminal.files.filesystem import FileSystem
    from hermes_tools_terminal.tasks import Task
    from hermes_tools_terminal.undo.store import UndoStore

_MAX_ASSESSED = 256
"""How many assessed calls are remembered: denied calls never run, so nothing else forgets them."""

_MEGABYTE = 1_000_000
_COMMAND_SECONDS = 30.0
_MAX_COMMAND_OUTPUT = 20_000

_REMOVED = " (deleted)"
"""What the kernel appends to the name of a working directory that was removed."""


class AssessedFile(NamedTuple):
    """A file that was assessed for a call: the operations, what its path resolved to, and the rules of its findings."""

    ops: frozenset[Op]
    found: FileInfo
    rules: frozenset[str]


class FileSession:
    """The access of one task to files."""

    def __init__(self, task: Task, settings: FileSettings, home: str, sessions: FileSessions) -> None:
        self.task = task
        self.settings = settings
        self.history = AccessHistory()
        self._home = home
        self._sessions = sessions
        self._receipts = os.path.realpath(sessions.receipts)
        self._environment: Environment | None = None
        self._filesystem: FileSystem | None = None
        self._lock = threading.Lock()
        self._roots: list[str] | None = None
        self._assessed: OrderedDict[str, dict[str, AssessedFile]] = OrderedDict()
        task.leaving.append(self.close)

    @property
    def store(self) -> UndoStore:
        """The store of receipts."""
        return self._sessions.store

    @property
    def filesystem(self) -> FileSystem:
        """The filesystem of the task's environment, which is opened if necessary.

        Raises:
            TerminalEnvironmentError: The environment cannot be used.
        """
        environment = self.task.open_environment()
        with self._lock:
            if self._filesystem is None or self._environment is not environment:
                self._close_filesystem()
                name = filesystem_name(environment, self.task.settings, self.task.name)
                self._filesystem = filesystem_for(
                    environment, home=self._home, roots=self._confinement(environment), name=name
                )
                self._environment = environment
            return self._filesystem

    @property
    def folder(self) -> str:
        """The directory for relative paths: the working directory of the task's shell."""
        return self.task.real_folder or self.task.open_environment().folder

    @property
    def roots(self) -> list[str]:
        """The resolved paths of the workspace and the extra roots."""
        filesystem = self.filesystem
        if self._roots is None:
            start = self.task.open_environment().folder
            named = [self.settings.workspace or start, *self.settings.extra_roots]
            self._roots = [filesystem.find(root, base=start).path for root in named]
        return self._roots

    def find(self, path: str) -> FileInfo:
        """Resolve a path.

        Raises:
            OSError: The path cannot be resolved.
            TerminalEnvironmentError: The environment cannot be used.
        """
        base = self.folder
        if base.endswith(_REMOVED) and not path.startswith(("/", "~")) and not os.path.isdir(base):
            text = "The working directory of the shell was removed; use an absolute path, or cd to another directory"
            raise FileNotFoundError(errno.ENOENT, text, path)
        return self.filesystem.find(path, base=base)

    def assess_file(self, op: Op, path: str, *, call: str) -> list[Finding]:
        """Return the findings about a file of a call, and remember the file: the call can use no other.

        Raises:
            OSError: The path cannot be resolved.
            TerminalEnvironmentError: The environment cannot be used.
        """
        before = self._assessed.get(call, {}).get(path)
        try:
            # A read and a write of one call refer to the same file, even if the path has changed.
            found = before.found if before is not None else self.find(path)
        except PermissionError as error:
            if self.settings.confined:
                return [outside(op, path, error.strerror or "permission denied")]
            raise
        # Other types of files are never used, so they need no approval; the names in a directory are returned.
        assessed = self._findings(op, found) if found.kind in ("file", "missing", "folder") else []
        with self._lock:
            rules = frozenset(finding.rule for finding in assessed)
            ops: frozenset[Op] = frozenset({op})
            if before is not None:
                ops, rules = ops | before.ops, rules | before.rules
            self._assessed.setdefault(call, {})[path] = AssessedFile(ops, found, rules)
            while len(self._assessed) > _MAX_ASSESSED:
                self._assessed.popitem(last=False)
        return assessed

    def assessed_file(self, op: Op, path: str, *, call: str, again: bool = False) -> FileInfo:
        """Return the file that was assessed for a call.

        Args:
            op: The operation.
            path: The path that the call names.
            call: The id of the call.
            again: Resolve the path again because the file has changed; the new file must have no new findings.

        Raises:
            OSError: The path cannot be resolved.
            TerminalEnvironmentError: The environment cannot be used.
            ChangedError: The path leads to a file that was not assessed.
        """
        assessed = self._assessed.get(call, {}).get(path)
        if assessed is not None and op in assessed.ops and not again:
            return assessed.found
        found = self.find(path)
        allowed = assessed.rules if assessed is not None else frozenset()
        moved = assessed is not None and assessed.found.path != found.path
        if moved or any(each.severity != "note" and each.rule not in allowed for each in self._findings(op, found)):
            raise ChangedError(errno.ESTALE, "It is no longer the file that was assessed", path)
        return found

    def assessed_paths(self, call: str) -> list[str]:
        """Return the resolved paths of the files that were assessed for a call."""
        return [assessed.found.path for assessed in self._assessed.get(call, {}).values()]

    def forget_assessed(self, call: str) -> None:
        """Forget the files that were assessed for a call."""
        self._assessed.pop(call, None)

    def may_list_names(self, folder: FileInfo) -> bool:
        """Return whether the names in a directory may be suggested without an explicit request."""
        return all(each.severity == "note" for each in self._findings("read", folder))

    def _findings(self, op: Op, found: FileInfo) -> list[Finding]:
        return findings(
            op,
            found,
            environment=self.task.open_environment(),
            roots=self.roots,
            confined=self.settings.confined,
            ask_everywhere=self.task.settings.guard_isolated,
            receipts=self._receipts,
        )

    def run(self, argv: Sequence[str], text: str) -> tuple[int, str]:
        """Run a command with text as its input, and return its exit status and the beginning of its output.

        Raises:
            OSError: The command cannot be started, or takes too long.
        """
        return _run_command(self.task.open_environment(), argv, input=text.encode("utf-8", "surrogateescape"))

    def close(self) -> None:
        """Close the filesystem."""
        with self._lock:
            self._close_filesystem()

    def _confinement(self, environment: Environment) -> list[str]:
        """Return the directories that files are confined to; none for no confinement."""
        if not self.settings.confined:
            return []
        named = [self.settings.workspace or environment.folder, *self.settings.extra_roots]
        return [root if root.startswith(("/", "~")) else os.path.join(environment.folder, root) for root in named]

    def _close_filesystem(self) -> None:
        close = getattr(self._filesystem, "close", None)
        if close is not None:
            close()
        self._filesystem = self._environment = self._roots = None


class FileSessions:
    """The file sessions of all tasks of a session."""

    def __init__(self, settings: FileSettings, home: str) -> None:
        self.settings = settings
        self.receipts = os.path.join(home, "undo")
        self._home = home
        self._by_task: dict[str, FileSession] = {}
        self._lock = threading.Lock()

    @cached_property
    def store(self) -> UndoStore:
        """The store of receipts."""
        from hermes_tools_terminal.undo.store import UndoStore  # a process that only reads needs none

        settings = self.settings
        with self._lock:
            made = UndoStore(self.receipts, keep=settings.undo_keep, max_bytes=settings.undo_max_mb * _MEGABYTE)
            return cast("UndoStore", vars(self).setdefault("store", made))

    def of(self, task: Task) -> FileSession:
        """Return the file session of a task, created on first use."""
        files = self._by_task.get(task.name)
        if files is None or files.task is not task:
            with self._lock:
                files = self._by_task.get(task.name)
                if files is None or files.task is not task:
                    files = self._by_task[task.name] = FileSession(task, self.settings, self._home, self)
        return files

    def __iter__(self) -> Iterator[FileSession]:
        return iter(list(self._by_task.values()))

    def close(self) -> None:
        """Close all filesystems."""
        for files in self:
            files.close()


_KEY = "terminal.files"
_creation_lock = threading.Lock()


def file_session(ctx: ToolContext) -> FileSession:
    """Return the file session of the task that a call belongs to."""
    task = task_of(ctx)
    sessions = ctx.session.state.get(_KEY)
    if sessions is None:
        settings = ctx.settings("files", FileSettings)
        with _creation_lock:
            sessions = ctx.session.state.get(_KEY)
            if sessions is None:
                sessions = FileSessions(settings, str(ctx.home))
                ctx.session.on_close(sessions.close)
                ctx.session.state[_KEY] = sessions
    assert isinstance(sessions, FileSessions)
    return sessions.of(task)


def assess_path(
    op: Op, argument: str, default: str | None = None
) -> Callable[[Mapping[str, Any], ToolContext], Iterable[Finding]]:
    """Return a function that assesses the file which a tool's argument names."""

    def assess(args: Mapping[str, Any], ctx: ToolContext) -> Iterable[Finding]:
        path = args.get(argument, default)
        if not isinstance(path, str):
            return []
        try:
            return file_session(ctx).assess_file(op, path, call=ctx.call.id)
        except (OSError, TerminalEnvironmentError, ToolUnavailableError):
            return []  # the tool reports the error

    return assess


def binding(_args: Mapping[str, Any], ctx: ToolContext) -> Binding | None:
    """Return what an approval of a call depends on: the files that its paths resolve to."""
    from hermes_tools_terminal.approval_binding import file_binding

    try:
        files = file_session(ctx)
        return file_binding(files.task, files.assessed_paths(ctx.call.id))
    except (TerminalEnvironmentError, ToolUnavailableError):
        return None  # the tool reports the error


def accesses(session: Session, task: str | None = None) -> list[Access]:
    """Return the file accesses of a session, or of one of its tasks, oldest first."""
    sessions = session.state.get(_KEY) or ()
    found = [access for files in sessions if task is None or files.task.name == task for access in files.history.log]
    return sorted(found, key=lambda access: access.time)


def forget_reads(session: Session) -> None:
    """Forget which lines the model has seen, so that they are returned again.

    Call this when your application shortens a conversation.
    """
    for files in session.state.get(_KEY) or ():
        files.history.forget_reads()


def _run_command(environment: Environment, argv: Sequence[str], *, input: bytes) -> tuple[int, str]:
    import signal
    import subprocess
    import time

    from hermes_tools_terminal.search.program_runner import SearchTimeoutError, feed_input, read_output

    try:
        started = environment.start(argv, cwd=environment.folder)
    except TerminalEnvironmentError as error:
        raise OSError(error.reason) from error
    output = b""
    try:
        with feed_input(started.child, input, lambda: environment.signal(started.group, signal.SIGKILL)):
            for piece in read_output(started.child, time.monotonic() + _COMMAND_SECONDS):
                output = (output + piece)[:_MAX_COMMAND_OUTPUT]
            return started.child.wait(_COMMAND_SECONDS), output.decode(errors="replace")
    except (SearchTimeoutError, subprocess.TimeoutExpired) as error:
        raise TimeoutError(f"{argv[0]} took more than {_COMMAND_SECONDS:g} seconds") from error
