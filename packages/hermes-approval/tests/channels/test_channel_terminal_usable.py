"""Nobody is asked where nobody can answer, and the terminal is given back whatever happens to the process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from hermes_approval.channels.terminal_queue import TerminalChannel
from hermes_core.findings import ApprovalRequest

if TYPE_CHECKING:
    from channels.conftest import Screen

    Terminal = Callable[..., Screen]
    Asking = Callable[..., ApprovalRequest]

CHILD = Path(__file__).with_name("terminal_child.py")
SHELL = """
import os, signal, subprocess, sys, time
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
job = subprocess.Popen([sys.executable, sys.argv[1], "{}"], process_group=0)
os.tcsetpgrp(0, job.pid)
while not os.path.exists(sys.argv[2]):
    time.sleep(0.01)
os.tcsetpgrp(0, os.getpgrp())
print("MOVED", flush=True)
job.wait()
"""
"""Like a shell with job control: it starts a process in the foreground, and puts it into the background later."""


@pytest.mark.parametrize("reason", ["raw", "application"])
def test_a_terminal_that_a_program_reads_keys_from_is_left_alone(terminal: Terminal, reason: str) -> None:
    screen = terminal(**{reason: True})
    screen.wait_for("USABLE False")
    assert screen.result() == {"id": "call-1", "nothing": True}


def test_a_process_in_the_background_does_not_ask(spawn: Terminal) -> None:
    screen = spawn("/bin/sh", "-m", "-c", '"$0" "$1" "{}" & wait', sys.executable, str(CHILD))
    screen.wait_for("USABLE False")
    assert screen.result() == {"id": "call-1", "nothing": True}


def test_a_prompt_that_is_put_into_the_background_is_a_no(spawn: Terminal, tmp_path: Path) -> None:
    flag = tmp_path / "background"
    screen = spawn(sys.executable, "-c", SHELL, str(CHILD), str(flag))
    screen.wait_for("Your answer: ")
    flag.touch()
    screen.wait_for("MOVED")
    screen.type("o\n")
    assert screen.result()["choice"] == "deny"
    screen.wait_for("RESTORED True")


def test_without_a_terminal_nobody_is_asked() -> None:
    done = subprocess.run(
        [sys.executable, str(CHILD), "{}"], input="a\n", capture_output=True, text=True, timeout=60, check=True
    )
    assert "USABLE False" in done.stdout
    assert '"nothing": true' in done.stdout


def test_a_closed_stdin_is_no_terminal(asking: Asking) -> None:
    with open(os.devnull, encoding="utf-8") as stdin:
        channel = TerminalChannel(stdin=stdin)
    assert not channel.usable()
    assert channel.ask(asking()) is None


def test_nobody_is_asked_about_what_is_refused(asking: Asking) -> None:
    with pytest.raises(ValueError, match=r"delete\.recursive: no one can approve it"):
        TerminalChannel().ask(asking(severity="refuse"))


def test_a_process_that_ends_under_a_prompt_leaves_the_terminal_as_it_was(spawn: Terminal, tmp_path: Path) -> None:
    flag = tmp_path / "leave"
    script = 'stty -g; "$0" "$1" "{\\"leave\\": \\"$2\\"}"; stty -g; echo OVER'
    screen = spawn("/bin/sh", "-c", script, sys.executable, str(CHILD), str(flag))
    before = screen.wait_for("\n").strip()
    screen.wait_for("Your answer: ")
    flag.touch()
    assert before in screen.wait_for("OVER")


def test_a_terminal_that_goes_away_is_a_no(terminal: Terminal, tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    screen = terminal(outlive=True, result_file=str(file))
    screen.wait_for("Your answer: ")
    screen.hang_up()
    screen.process.wait(60)
    assert json.loads(file.read_text("utf-8"))["choice"] == "deny"
