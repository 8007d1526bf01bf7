"""Whatever is done to files, undoing all of it is as if nothing had been done."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from hermes_tools_terminal.undo import UndoStore, redo, undo, undo_last

from .conftest import MEMORY, Snapshot, Workspace

NAMES = st.sampled_from(["a", "b", "in/c", "in/deep/d", "in/deep/e", "ü \udcff\n"])
CONTENTS = st.one_of(
    st.binary(max_size=40), st.sampled_from([b"", b"one\r\ntwo\r\n", b"\xef\xbb\xbfbom", b"\0" * 3000])
)
MODES = st.sampled_from([None, 0o600, 0o644, 0o755, 0o400])


class Working(RuleBasedStateMachine):
    """Calls that write, remove and move files, undone and redone in between."""

    def __init__(self) -> None:
        super().__init__()
        self.place = tempfile.TemporaryDirectory(dir=MEMORY)
        folder = Path(self.place.name, "desk")
        (folder / "in").mkdir(parents=True)
        (folder / "a").write_bytes(b"first\n")
        (folder / "a").chmod(0o751)
        (folder / "in" / "c").write_bytes(b"second")
        self.desk = Workspace(folder, UndoStore(Path(self.place.name, "store"), keep=200))
        self.past: list[Snapshot] = []
        self.future: list[Snapshot] = []
        self.now = self.first = self.desk.snapshot()

    def _did(self) -> None:
        self.past.append(self.now)
        self.future.clear()
        self.now = self.desk.snapshot()

    @rule(name=NAMES, content=CONTENTS, mode=MODES)
    def write(self, name: str, content: bytes, mode: int | None) -> None:
        self.desk.apply(self.desk.change(name, content, mode))
        self._did()

    @rule(contents=st.dictionaries(NAMES, st.one_of(st.none(), CONTENTS), min_size=2))
    def patch(self, contents: dict[str, bytes | None]) -> None:
        changes = [self.desk.change(name, content) for name, content in contents.items()]
        changes = [change for change in changes if (change.before, change.after) != (None, None)]
        if changes:
            self.desk.apply(*changes)
            self._did()

    @rule(old=NAMES, new=NAMES)
    def set_state(self, old: str, new: str) -> None:
        is_there = os.path.exists(self.desk.folder / old) and not os.path.exists(self.desk.folder / new)
        if is_there:
            self.desk.apply(*self.desk.moved(old, new))
            self._did()

    @precondition(lambda self: self.past)
    @rule()
    def take_back(self) -> None:
        undo(self.desk.store)
        self.future.append(self.now)
        self.now = self.past.pop()

    @precondition(lambda self: self.future)
    @rule()
    def do_again(self) -> None:
        redo(self.desk.store)
        self.past.append(self.now)
        self.now = self.future.pop()

    @invariant()
    def files_are_what_they_should_be(self) -> None:
        assert self.desk.snapshot() == self.now

    def teardown(self) -> None:
        if self.past:
            assert len(undo_last(self.desk.store, 1000)) == len(self.past)
        assert self.desk.snapshot() == self.first
        self.place.cleanup()


WorkingTest = Working.TestCase
WorkingTest.settings = settings(
    max_examples=25,
    stateful_step_count=12,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
