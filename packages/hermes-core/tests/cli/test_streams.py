"""Output that cannot be written is an error of one line; notes that cannot be written are not."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from subprocess import CompletedProcess

import pytest

from hermes_core.cli.exit_codes import ExitCode

Shell = Callable[..., CompletedProcess[str]]

PRINTING = [
    "--version",
    "--help",
    "",
    "config",
    "call --help",
    "tools",
    "tools --all --json",
    "plugins",
    "call roll_dice count=1",
    "completion bash",
]


@pytest.fixture
def shell(environment: dict[str, str]) -> Shell:
    """Run a line of shell, in which $HERMES is the command."""

    def run(line: str) -> CompletedProcess[str]:
        env = environment | {"HERMES": f"{sys.executable} -m hermes_core"}
        return subprocess.run(
            ["bash", "-c", line],
            check=False,
            env=env,
            capture_output=True,
            text=True,
            timeout=60,
            stdin=subprocess.DEVNULL,
        )

    return run


def own_lines(stderr: str) -> list[str]:
    """What is said on stderr besides what the plugins of the tests say."""
    return [line for line in stderr.splitlines() if "prints" not in line and "cracked" not in line]


@pytest.mark.parametrize("command", PRINTING)
@pytest.mark.parametrize(("where", "reason"), [(">/dev/full", "No space left on device"), (">&-", "it is closed")])
def test_a_stdout_that_takes_nothing_is_one_clear_error(shell: Shell, command: str, where: str, reason: str) -> None:
    done = shell(f"$HERMES {command} {where}")
    assert done.returncode == ExitCode.OUTPUT
    assert own_lines(done.stderr) == [f"hermes: error: cannot write to stdout: {reason}"]


@pytest.mark.parametrize("command", PRINTING)
def test_a_reader_that_is_gone_ends_every_command_without_a_word(shell: Shell, command: str) -> None:
    # The reader is gone before the command starts, so the first write meets a broken pipe.
    done = shell(f"set -o pipefail; (sleep 0.2; exec $HERMES {command}) | true")
    assert done.returncode == ExitCode.BROKEN_PIPE
    assert own_lines(done.stderr) == []


def test_a_command_that_prints_nothing_needs_no_stdout(shell: Shell) -> None:
    assert shell("$HERMES config set plugins.disabled cracked >/dev/null && $HERMES nonsense >&-").returncode == 2


@pytest.mark.parametrize("where", ["2>/dev/full", "2>&-"])
def test_notes_that_cannot_be_written_do_not_cost_the_result(shell: Shell, where: str) -> None:
    done = shell(f"$HERMES call roll_dice number=1 {where}")
    assert (done.returncode, done.stdout) == (0, '{"rolls": [1], "labels": null, "name": ""}\n')


@pytest.mark.parametrize("where", ["2>/dev/full", "2>&-", "2>&- >&- <&-"])
def test_an_error_that_cannot_be_written_still_has_its_exit_code(shell: Shell, where: str) -> None:
    assert shell(f"$HERMES nonsense {where}").returncode == ExitCode.USAGE


def test_a_closed_stdout_is_not_taken_by_a_file_that_is_opened_later(shell: Shell) -> None:
    program = "import os; from hermes_text.streams import standard_streams\n"
    program += "with standard_streams():\n    raise SystemExit(os.open('/dev/null', os.O_RDONLY))"
    assert shell(f'{sys.executable} -c "{program}" >&- 2>&- <&-').returncode not in (1, 2)


def test_an_exit_with_a_text_is_that_text_and_1(shell: Shell) -> None:
    program = (
        "import click, sys; from hermes_core.cli import main as m\n"
        "m.hermes.add_command(click.Command('x'), 'x'); m.hermes.main = lambda **_: sys.exit('no')\n"
        "sys.exit(m.main(['x']))"
    )
    done = shell(f'{sys.executable} -c "{program}"')
    assert (done.returncode, done.stderr) == (1, "no\n")
