"""A real terminal for another process, and what is asked there."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hermes_core.findings import ApprovalRequest, Finding

CHILD = Path(__file__).with_name("terminal_child.py")
PROMPT = "Your answer: "
PATIENCE = 60.0


class Screen:
    """A terminal with a process in its foreground, seen from the side of the person who sits there."""

    def __init__(self, *command: str, term: str = "dumb", columns: int = 80) -> None:
        self.master, slave = pty.openpty()
        termios.tcsetwinsize(slave, (24, columns))
        name = os.ttyname(slave)
        # The first terminal that the leader of a new session opens becomes the one that controls it.
        opened = ["/bin/sh", "-c", 'tty=$1; shift; exec "$@" <"$tty" >"$tty" 2>&1', "sh", name, *command]
        environ = {**os.environ, "TERM": term, "COLUMNS": "", "LINES": "", "PYTHONWARNINGS": "error"}
        self.process = subprocess.Popen(opened, start_new_session=True, env=environ)
        # Our end of their side too, so that the end of the process does not end what can be read.
        self._open = [self.master, slave]
        self.seen = ""
        self._unread = ""

    def wait_for(self, text: str) -> str:
        """Everything up to and with this text, since the last time."""
        until = time.monotonic() + PATIENCE
        while text not in self._unread:
            if not select.select([self.master], [], [], max(until - time.monotonic(), 0))[0]:
                raise AssertionError(f"{text!r} did not appear in {self.seen!r}")
            self._read()
        before, _, self._unread = self._unread.partition(text)
        return before + text

    def type(self, keys: str) -> None:
        """Press keys."""
        os.write(self.master, keys.encode())

    def reply(self, keys: str) -> str:
        """Wait for the question, press keys, and return what was shown up to then."""
        shown = self.wait_for(PROMPT)
        self.type(keys)
        return shown

    def result(self) -> dict[str, Any]:
        """The next answer that the process got."""
        self.wait_for("RESULT ")
        result: dict[str, Any] = json.loads(self.wait_for("\n"))
        return result

    def close(self) -> None:
        """End the process and the terminal."""
        self.process.kill()
        self.process.wait(PATIENCE)
        self.hang_up()

    def hang_up(self) -> None:
        """Take the terminal away."""
        while self._open:
            os.close(self._open.pop())

    def _read(self) -> None:
        try:
            data = os.read(self.master, 65536)
        except OSError as error:
            raise AssertionError(f"the terminal has gone: {self.seen!r}") from error
        text = data.decode("utf-8", "replace")
        self.seen += text
        self._unread += text


@pytest.fixture
def spawn() -> Iterator[Callable[..., Screen]]:
    """Runs commands, each on a terminal of its own."""
    screens: list[Screen] = []

    def run(*command: str, **options: Any) -> Screen:
        screens.append(Screen(*command, **options))
        return screens[-1]

    yield run
    for screen in screens:
        screen.close()


@pytest.fixture
def terminal(spawn: Callable[..., Screen]) -> Callable[..., Screen]:
    """Runs a process that asks on its terminal."""

    def ask(*, term: str = "dumb", columns: int = 80, **facts: Any) -> Screen:
        return spawn(sys.executable, str(CHILD), json.dumps(facts), term=term, columns=columns)

    return ask


@pytest.fixture
def asking() -> Callable[..., ApprovalRequest]:
    """Makes requests."""

    def make(id: str = "call-1", command: str = "rm -rf build", severity: Any = "ask") -> ApprovalRequest:
        finding = Finding(
            rule="delete.recursive",
            severity=severity,
            reason="It deletes a folder.",
            effects=frozenset({"deletes"}),
            span="rm -rf",
        )
        return ApprovalRequest(
            id=id,
            tool="terminal",
            toolset="shell",
            args={"command": command},
            findings=(finding,),
            session_id="session-9",
            session_kind="cli",
        )

    return make
