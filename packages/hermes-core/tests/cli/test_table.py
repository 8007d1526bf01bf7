"""Output fits the terminal."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys

import pytest

from hermes_text.terminal import cell_width


def on_a_terminal(environment: dict[str, str], *args: str, columns: int, **env: str) -> str:
    """What a person sees: the command runs with a pseudo-terminal for its output."""
    leader, follower = pty.openpty()
    command = [sys.executable, "-m", "hermes_core", *args]
    env = environment | {"COLUMNS": str(columns), "TERM": "xterm"} | env
    with subprocess.Popen(command, env=env, stdin=follower, stdout=follower, stderr=subprocess.DEVNULL) as running:
        os.close(follower)
        seen = b""
        try:
            while chunk := os.read(leader, 65536):
                seen += chunk
        except OSError:  # the other side is closed: that is how a pseudo-terminal ends
            pass
        assert running.wait(timeout=20) in (0, 5)
    os.close(leader)
    return seen.decode().replace("\r\n", "\n")


def plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def test_a_terminal_gets_colours_and_lines_that_fit(environment: dict[str, str]) -> None:
    seen = on_a_terminal(environment, "tools", "--all", columns=60)
    assert "\x1b[" in seen
    assert max(cell_width(line) for line in plain(seen).splitlines()) <= 60
    assert "watch_dice" in plain(seen)


@pytest.mark.parametrize("columns", [70, 80, 120])
def test_a_terminal_sees_every_column_and_the_names_whole(columns: int, environment: dict[str, str]) -> None:
    seen = plain(on_a_terminal(environment, "tools", columns=columns))
    heading, first, *rest = seen.splitlines()
    assert heading.split() == ["NAME", "TOOLSET", "DESCRIPTION"]
    assert ["roll_dice", "dice"] in [line.split()[:2] for line in [first, *rest]]
    assert max(cell_width(line) for line in seen.splitlines()) <= columns


def test_a_terminal_narrower_than_the_names_still_gets_them_whole(environment: dict[str, str]) -> None:
    seen = plain(on_a_terminal(environment, "toolsets", "--all", columns=20))
    assert "session_search" in seen


def test_no_color_means_no_escapes_at_all(environment: dict[str, str]) -> None:
    seen = on_a_terminal(environment, "describe", "roll_dice", columns=70, NO_COLOR="1")
    assert "\x1b" not in seen
    assert max(cell_width(line) for line in seen.splitlines()) <= 70


def test_a_description_is_wrapped_between_words(environment: dict[str, str]) -> None:
    seen = plain(on_a_terminal(environment, "describe", "roll_dice", columns=40))
    assert max(cell_width(line) for line in seen.splitlines()) <= 40
    assert "      How many dice [at least 1; at most\n      10]\n" in seen


def test_a_result_is_laid_out_on_a_terminal_unless_raw(environment: dict[str, str]) -> None:
    assert '\n  "rolls": [\n' in on_a_terminal(environment, "call", "roll_dice", "count=1", columns=80)
    assert '{"rolls": [1], ' in on_a_terminal(environment, "call", "roll_dice", "count=1", "--raw", columns=80)
