"""`hermes doctor` with the families of this workspace: what is broken in an installation or a home is found."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

Doctor = Callable[..., dict[str, Any]]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("HERMES_HOME", str(folder))
    return folder


@pytest.fixture
def doctor(home: Path, tmp_path: Path) -> Doctor:
    """Run `hermes doctor --json` as a user with every family does."""
    (tmp_path / "tmp").mkdir()
    (tmp_path / "site").mkdir()

    def run(*options: str) -> dict[str, Any]:
        environment = {
            **os.environ,
            "HERMES_HOME": str(home),
            "PYTHONPATH": str(tmp_path / "site"),
            "TMPDIR": str(tmp_path / "tmp"),
        }
        done = subprocess.run(
            [sys.executable, "-m", "hermes_core", "doctor", "--json", *options],
            capture_output=True,
            encoding="utf-8",
            env=environment,
            timeout=100,
            check=False,
        )
        assert done.stdout.startswith("{"), done.stderr
        assert list((tmp_path / "tmp").iterdir()) == []
        return {**json.loads(done.stdout), "status": done.returncode}

    return run


def wrong(answer: dict[str, Any]) -> dict[str, str]:
    """The message and remedy of each problem, by subject."""
    problems = [each for each in answer["symptoms"] if each["level"] in ("warning", "error")]
    return {each["subject"]: f"{each['message']} | {each['remedy']}" for each in problems}


def test_every_tool_is_exercised_and_nothing_is_left_in_the_home(doctor: Doctor, home: Path) -> None:
    answer = doctor()
    assert wrong(answer) == {}
    assert answer["status"] == 0
    assert answer["not_exercised"] == []
    checking = {check["plugin"] for check in answer["checks"]}
    assert checking == {"approval", "audit", "guard", "search", "skills", "terminal", "web"}
    assert [path.name for path in home.iterdir()] in ([], ["cache"])
    assert {path.name.partition("-")[0] for path in home.glob("cache/*")} <= {"entry"}


def test_an_import_that_only_a_call_would_need_is_found(doctor: Doctor, tmp_path: Path) -> None:
    broken = "raise ImportError('lxml.html.clean module is now a separate project lxml_html_clean')\n"
    (tmp_path / "site" / "justext.py").write_text(broken, encoding="utf-8")
    answer = doctor()
    assert answer["status"] == 1
    assert "lxml.html.clean" in wrong(answer)["web: find the main text with trafilatura"]


def test_a_parser_that_is_missing_is_found_by_what_it_parses(doctor: Doctor, tmp_path: Path) -> None:
    (tmp_path / "site" / "pypdf.py").write_text("raise ModuleNotFoundError('no pypdf', name='pypdf')\n")
    answer = doctor()
    assert answer["status"] == 1
    assert "a PDF cannot be read" in wrong(answer)["web: parse samples of every kind of document"]


def test_files_of_newer_versions_are_named(doctor: Doctor, home: Path) -> None:
    (home / "undo").mkdir(mode=0o700)
    (home / "undo" / "000001.done").write_text('{"format": 4, "number": 1}\n', encoding="utf-8")
    found = wrong(doctor())
    newer = f"{home / 'undo' / '000001.done'} was written by a newer version (format 4"
    assert newer in found["terminal: undo store"]


def test_damaged_files_are_named(doctor: Doctor, home: Path) -> None:
    (home / "cache").mkdir()
    (home / "cache" / "web").touch()
    (home / "undo").mkdir(mode=0o700)
    (home / "undo" / "000001.done").write_bytes(b'{"format": 1, "numb')
    (home / "modal_snapshots.json").write_text('{"direct:', encoding="utf-8")
    found = wrong(doctor())
    assert "cannot be used" in found["web: page cache"]
    assert "000001.done cannot be undone" in found["terminal: undo store"]
    assert "modal_snapshots.json is damaged" in found["terminal: stored snapshots"]


def test_an_environment_that_does_not_work_is_an_error(doctor: Doctor, home: Path) -> None:
    (home / "config.yaml").write_text("terminal: {env: dokcer}\n", encoding="utf-8")
    answer = doctor()
    assert answer["status"] == 1
    assert "did you mean 'docker'" in wrong(answer)["terminal: run commands"]


HOST = """
import sys
from hermes_core import Hermes
hermes = Hermes.load()
print(hermes.call("terminal", {"command": "sleep 612", "background": True}), flush=True)
sys.stdin.read()
"""


def test_a_process_that_a_killed_host_left_running_is_named(doctor: Doctor, home: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    host = subprocess.Popen(
        [sys.executable, "-c", HOST], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    )
    left: list[int] = []
    try:
        assert host.stdout is not None
        assert b'"error": null' in host.stdout.readline()
        deadline = time.monotonic() + 30
        while not (left := pids_with("sleep\x00612")):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        for watcher in pids_with(str(home)):  # what would end the process with its host
            os.kill(watcher, signal.SIGKILL)
        host.kill()
        host.wait()
        answer = doctor()
        assert "sleep 612" in wrong(answer)["terminal: leftover processes"]
        assert answer["status"] == 1
    finally:
        host.kill()
        host.communicate()
        for pid in left:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def pids_with(text: str) -> list[int]:
    """The processes whose command line contains a text."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if text in (folder / "cmdline").read_bytes().decode(errors="replace") and int(folder.name) != os.getpid():
                found.append(int(folder.name))
    return found
