"""`hermes terminal`, as people use it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

PROGRAM = "from hermes_core.cli.main import main; raise SystemExit(main())"


@pytest.fixture(autouse=True)
def no_plugins_but_those_of_the_test() -> None:
    """The family is installed, and found as users find it."""


def hermes(*words: str, home: Path, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, *words],
        env={**os.environ, "HERMES_HOME": str(home), **(env or {})},
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=60,
        check=False,
    )


def test_run_prints_what_the_command_prints_and_ends_as_it_ends(home: Path) -> None:
    done = hermes("terminal", "run", "echo out; exit 3", home=home)
    assert (done.returncode, done.stdout) == (3, "out\n")


def test_several_words_are_a_program_and_its_arguments(home: Path) -> None:
    assert hermes("terminal", "run", "printf", "%s|", "a b", "$HOME", home=home).stdout == "a b|$HOME|\n"


def test_run_as_json_is_what_a_model_gets(home: Path) -> None:
    done = hermes("terminal", "run", "--json", "echo out", home=home)
    assert json.loads(done.stdout) == {"output": "out\n", "exit_code": 0, "error": None}


def test_a_command_that_is_not_approved_does_not_run(home: Path, tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    done = hermes("terminal", "run", "--workdir", str(tmp_path), "rm -rf src", home=home)
    assert done.returncode == 125
    assert "Not approved" in done.stderr
    assert (tmp_path / "src").exists()
    assert hermes("terminal", "run", "--yes", "--workdir", str(tmp_path), "rm -rf src", home=home).returncode == 0
    assert not (tmp_path / "src").exists()


def test_yes_does_not_lift_what_is_refused(home: Path) -> None:
    done = hermes("terminal", "run", "--yes", "shutdown now", home=home)
    assert done.returncode == 125
    assert "Refused" in done.stderr


def test_a_time_out_is_124(home: Path) -> None:
    assert hermes("terminal", "run", "--timeout", "1", "sleep 60", home=home).returncode == 124


@pytest.mark.parametrize("form", [(), ("--json",), ("--raw",)])
@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("command=true",), 0),
        (("command=exit 3",), 1),
        (("command=sleep 30", "timeout=1"), 124),
        (("command=sleep 30", "--timeout", "1"), 124),
        (("command=rm -rf /",), 4),
    ],
)
def test_a_call_tells_a_script_how_the_command_ended(
    home: Path, words: tuple[str, ...], code: int, form: tuple[str, ...]
) -> None:
    assert hermes("call", "terminal", *words, *form, home=home).returncode == code


def test_an_unknown_environment_is_named_with_the_nearest(home: Path) -> None:
    done = hermes("terminal", "run", "--env", "dokcer", "true", home=home)
    assert done.returncode == 125
    assert "did you mean 'docker'?" in done.stderr


def test_the_doctor_names_every_environment_and_why_it_does_not_work(home: Path) -> None:
    done = hermes("terminal", "doctor", "--json", home=home, env={"PATH": "/nowhere"})
    told: dict[str, Any] = json.loads(done.stdout)
    rows = {row["environment"]: row for row in told["environments"]}
    assert set(rows) >= {"local", "docker", "ssh", "singularity", "modal", "daytona", "sandbox"}
    assert not rows["docker"]["works"]
    assert rows["docker"]["reason"]
    assert told["chosen"] == "local"


def test_the_doctor_says_whether_the_chosen_one_works(home: Path) -> None:
    assert hermes("terminal", "doctor", home=home).returncode == 0
    done = hermes("terminal", "doctor", home=home, env={"HERMES_TERMINAL__ENV": "ssh"})
    assert done.returncode == 1
    assert "* ssh" in done.stdout


def test_a_broken_setting_is_told_with_its_key(home: Path) -> None:
    home.mkdir(parents=True)
    (home / "config.yaml").write_text("terminal: {timeout: soon}\n")
    done = hermes("terminal", "run", "true", home=home)
    assert done.returncode != 0
    assert "terminal.timeout" in done.stderr


def test_ctrl_c_ends_the_command_with_130(home: Path) -> None:
    words: Sequence[str] = [sys.executable, "-c", PROGRAM, "terminal", "run", "echo started >&2; sleep 7654"]
    with subprocess.Popen(
        words, env={**os.environ, "HERMES_HOME": str(home)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as child:
        _wait_for_sleep("7654")
        child.send_signal(signal.SIGINT)
        child.communicate(timeout=30)
    assert child.returncode == 130
    assert not _sleeps("7654")


def _sleeps(seconds: str) -> list[str]:
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                words = (folder / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if words[:2] == [b"sleep", seconds.encode()]:
                found.append(folder.name)
    return found


def _wait_for_sleep(seconds: str) -> None:
    import time

    deadline = time.monotonic() + 20
    while not _sleeps(seconds):
        assert time.monotonic() < deadline
        time.sleep(0.02)
