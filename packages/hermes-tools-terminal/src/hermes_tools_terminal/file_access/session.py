"""The file session of a task: its filesystem, the approved files of each call and the access history."""

from __future__ import annotations

import errno
import os
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from hermes_core import Binding, ToolUnavailableError
from hermes_tools_terminal.environments.base import PlaceError
from hermes_tools_terminal.file_access.history import AccessHistory
from hermes_tools_terminal.file_access.policy import Op, findings, outside
from hermes_tools_terminal.files.factory import filesystem_for, filesystem_name
from hermes_tools_terminal.files.filesystem import ChangedError, FileInfo
from hermes_tools_terminal.session_state import task_of
from hermes_tools_terminal.settings import FileSettings

if TYPE_CHECKING:
    from hermes_core import Finding, Session, ToolContext
    from hermes_tools_terminal.environments.base import Environment
    from hermes_tools_terminal.file_access.history import Access
    from hermes_tools_terminal.files.filesystem import FileSystem
    from hermes_tools_terminal.tasks import Task
    from hermes_tools_terminal.undo.store import UndoStore

_MOST_JUDGED = 256
"""Calls that were judged and have not run yet: those that were denied never do."""

_MEGABYTE = 1_000_000

_REMOVED = " (deleted)"
"""What the system adds to the name of a folder that somebody is in and that is not there any more."""


class AssessedFile(NamedTuple):
    """A file that was judged for a call.

    Attributes:
        ops: What for.
        found: Where its path led.
        rules: What was found about it.
    """

    ops: frozenset[Op]
    found: FileInfo
    rules: frozenset[str]


class FileSession:
    """What the tools for files work with in one task.

    Args:
        task: The task.
        settings: The section `files`.
        home: The folder for state.
        desks: The desks of the session, who know where receipts of changes go.
    """

    def __init__(self, task: Task, settings: FileSettings, home: str, desks: FileSessions) -> None:
        self.task = task
        self.settings = settings
        self.history = AccessHistory()
        self._home = home
        self._desks = desks
        self._receipts = os.path.realpath(desks.receipts)
        self._place: Environment | None = None
        self._tree: FileSystem | None = None
        self._lock = threading.Lock()
        self._roots: list[str] | None = None
        self._judged: OrderedDict[str, dict[str, AssessedFile]] = OrderedDict()
        task.leaving.append(self.close)

    @property
    def store(self) -> UndoStore:
        """Where receipts of changes go."""
        return self._desks.store

    @property
    def filesystem(self) -> FileSystem:
        """The files of the task's place, which is opened if it is not.

        Raises:
            PlaceError: the place cannot be used.
        """
        place = self.task.ground()
        with self._lock:
            if self._tree is None or self._place is not place:
                self._let_go()
                name = filesystem_name(place, self.task.settings, self.task.name)
                self._tree = filesystem_for(place, home=self._home, roots=self._walls(place), name=name)
                self._place = place
            return self._tree

    @property
    def folder(self) -> str:
        """Where relative paths begin: where the task's shell is."""
        return self.task.real_folder or self.task.ground().folder

    @property
    def roots(self) -> list[str]:
        """The workspace and the extra roots, as they really are."""
        filesystem = self.filesystem
        if self._roots is None:
            start = self.task.ground().folder
            named = [self.settings.workspace or start, *self.settings.extra_roots]
            self._roots = [filesystem.find(root, base=start).path for root in named]
        return self._roots

    def find(self, path: str) -> FileInfo:
        """Where a path leads.

        Raises:
            OSError: nobody can tell.
            PlaceError: the place cannot be used.
        """
        base = self.folder
        if base.endswith(_REMOVED) and not path.startswith(("/", "~")) and not os.path.isdir(base):
            text = "The folder that the shell is in was removed; name the file from the root, or cd elsewhere first"
            raise FileNotFoundError(errno.ENOENT, text, path)
        return self.filesystem.find(path, base=base)

    def assess_file(self, op: Op, path: str, *, call: str) -> list[Finding]:
        """Say what a call would do to a file, and keep the file for it: that one is used and no other.

        Args:
            op: Whether it is read or written.
            path: As the call names it.
            call: The call's id.

        Raises:
            OSError: nobody can tell where the path leads.
            PlaceError: the place cannot be used.
        """
        before = self._judged.get(call, {}).get(path)
        try:
            # What was judged for reading is what is judged for writing, whatever is there by now.
            found = before.found if before is not None else self.find(path)
        except PermissionError as error:
            if self.settings.confined:
                return [outside(op, path, error.strerror or "it may not be entered")]
            raise
        # What is no regular file is not used at all, so nobody is asked about it; a folder's names are told.
        told = self._findings(op, found) if found.kind in ("file", "missing", "folder") else []
        with self._lock:
            kept = self._judged.setdefault(call, {})
            rules = frozenset(finding.rule for finding in told)
            ops: frozenset[Op] = frozenset({op})
            kept[path] = (
                AssessedFile(ops | before.ops, found, rules | before.rules)
                if before
                else AssessedFile(ops, found, rules)
            )
            while len(self._judged) > _MOST_JUDGED:
                self._judged.popitem(last=False)
        return told

    def use(self, op: Op, path: str, *, call: str, again: bool = False) -> FileInfo:
        """The file that was judged for a call.

        Args:
            op: Whether it is read or written.
            path: As the call names it.
            call: The call's id.
            again: Look once more, since it was changed meanwhile: what is found then must be no worse.

        Raises:
            OSError: nobody can tell where the path leads.
            PlaceError: the place cannot be used.
            ChangedError: the path leads somewhere that was not judged.
        """
        judged = self._judged.get(call, {}).get(path)
        if judged is not None and op in judged.ops and not again:
            return judged.found
        found = self.find(path)
        allowed = judged.rules if judged is not None else frozenset()
        moved = judged is not None and judged.found.path != found.path
        if moved or any(told.severity != "note" and told.rule not in allowed for told in self._findings(op, found)):
            raise ChangedError(errno.ESTALE, "It is not the file that was asked about any more", path)
        return found

    def assessed_paths(self, call: str) -> list[str]:
        """The files that were judged for a call, as they really are."""
        return [judged.found.path for judged in self._judged.get(call, {}).values()]

    def done(self, call: str) -> None:
        """Forget what was judged for a call."""
        self._judged.pop(call, None)

    def may_list_names(self, folder: FileInfo) -> bool:
        """Whether the names in a folder may be told to somebody who did not ask for them."""
        return all(told.severity == "note" for told in self._findings("read", folder))

    def _findings(self, op: Op, found: FileInfo) -> list[Finding]:
        return findings(
            op,
            found,
            place=self.task.ground(),
            roots=self.roots,
            confined=self.settings.confined,
            ask_everywhere=self.task.settings.guard_isolated,
            receipts=self._receipts,
        )

    def run(self, argv: Sequence[str], text: str) -> tuple[int, str]:
        """How a program that looks at a text ended, and what it said.

        Raises:
            OSError: it cannot be started, or takes too long.
        """
        from hermes_tools_terminal.file_access.command import output_of

        return output_of(self.task.ground(), argv, input=text.encode("utf-8", "surrogateescape"))

    def close(self) -> None:
        """Let go of the files."""
        with self._lock:
            self._let_go()

    def _walls(self, place: Environment) -> list[str]:
        """The folders that no file may be outside of; none when there are no walls."""
        if not self.settings.confined:
            return []
        named = [self.settings.workspace or place.folder, *self.settings.extra_roots]
        return [root if root.startswith(("/", "~")) else os.path.join(place.folder, root) for root in named]

    def _let_go(self) -> None:
        close = getattr(self._tree, "close", None)
        if close is not None:
            close()
        self._tree = self._place = self._roots = None


class FileSessions:
    """The desks of one session.

    Args:
        settings: The section `files`.
        home: The folder for state.
    """

    def __init__(self, settings: FileSettings, home: str) -> None:
        self.settings = settings
        self.receipts = os.path.join(home, "undo")
        self._home = home
        self._desks: dict[str, FileSession] = {}
        self._lock = threading.Lock()

    @cached_property
    def store(self) -> UndoStore:
        """Where receipts of changes go."""
        from hermes_tools_terminal.undo.store import UndoStore  # a process that only reads makes none

        settings = self.settings
        with self._lock:
            made = UndoStore(self.receipts, keep=settings.undo_keep, max_bytes=settings.undo_max_mb * _MEGABYTE)
            return cast("UndoStore", vars(self).setdefault("store", made))

    def of(self, task: Task) -> FileSession:
        """The desk of a task, made when there is none yet."""
        files = self._desks.get(task.name)
        if files is None or files.task is not task:
            with self._lock:
                files = self._desks.get(task.name)
                if files is None or files.task is not task:
                    files = self._desks[task.name] = FileSession(task, self.settings, self._home, self)
        return files

    def __iter__(self) -> Iterator[FileSession]:
        return iter(list(self._desks.values()))

    def close(self) -> None:
        """Let go of all files."""
        for files in self:
            files.close()


_KEY = "terminal.files"
_making = threading.Lock()


def file_session(ctx: ToolContext) -> FileSession:
    """The desk of the task that a call belongs to."""
    task = task_of(ctx)
    desks = ctx.session.state.get(_KEY)
    if desks is None:
        settings = ctx.settings("files", FileSettings)
        with _making:
            desks = ctx.session.state.get(_KEY)
            if desks is None:
                desks = FileSessions(settings, str(ctx.home))
                ctx.session.on_close(desks.close)
                ctx.session.state[_KEY] = desks
    assert isinstance(desks, FileSessions)
    return desks.of(task)


def binding(_args: Mapping[str, Any], ctx: ToolContext) -> Binding | None:
    """What an approval of a call depends on that uses files: which ones its paths lead to."""
    from hermes_tools_terminal.approval_binding import file_binding

    try:
        files = file_session(ctx)
        return file_binding(files.task, files.assessed_paths(ctx.call.id))
    except (PlaceError, ToolUnavailableError):
        return None  # nothing will be done; the tool itself says why


def accesses(session: Session, task: str | None = None) -> list[Access]:
    """What a session, or one of its tasks, did with files, oldest first."""
    desks = session.state.get(_KEY) or ()
    found = [access for files in desks if task is None or files.task.name == task for access in files.history.log]
    return sorted(found, key=lambda access: access.time)


def forget_reads(session: Session) -> None:
    """Have files given out again that were read before: the model does not see them any more.

    An application calls this when it shortens a conversation.
    """
    for files in session.state.get(_KEY) or ():
        files.history.forget_reads()
