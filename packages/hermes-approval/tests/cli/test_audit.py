"""`hermes audit` shows what tools did here: the last calls, one call, the numbers, and what comes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from hermes_approval.audit.timestamps import stamp
from hermes_approval.audit.writer import AuditLog

Run = Callable[..., CompletedProcess[str]]

HERMES = """
import signal
import sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a run in the background is started without
from hermes_core.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture
def log(home: Path) -> AuditLog:
    return AuditLog(home / "audit.jsonl")


def entry(number: int, *, ago: float = 0.0, **other: Any) -> dict[str, Any]:
    made = {"v": 1, "at": stamp(time.time() - ago), "id": f"call-{number}", "tool": "read_file", "session": "s1"}
    made |= {"args": {"path": "notes.txt", "limit": 3}, "status": "ok", "seconds": 0.0125, "result_chars": 12}
    return {**made, "decision": {"outcome": "allowed", "by": "", "reason": ""}, **other}


DENIED = {"outcome": "denied-by-policy", "by": "fireman", "reason": "no fire in here"}


@pytest.mark.parametrize("words", [(), ("tail",), ("-n", "5"), ("stats",), ("tail", "--tool", "x")])
def test_without_a_log_there_is_a_note_and_nothing_is_wrong(bare: Run, words: tuple[str, ...]) -> None:
    run = bare("audit", *words)
    assert run.returncode == 0
    assert run.stdout == ""
    assert "no audit log yet" in run.stderr


def test_without_a_log_programs_still_get_json(bare: Run) -> None:
    assert json.loads(bare("audit", "tail", "--json").stdout) == []
    assert json.loads(bare("audit", "stats", "--json").stdout)["total"] == 0


def test_the_last_calls_are_shown_with_the_newest_at_the_end(bare: Run, log: AuditLog) -> None:
    for number in range(30):
        log.append(entry(number))
    log.append(entry(30, tool="burn", status="blocked", decision=DENIED, args={}))
    run = bare("audit")
    assert run.returncode == 0
    head, *lines = run.stdout.splitlines()
    assert head.split() == ["TIME", "ID", "RESULT", "TOOK", "CALL"]
    assert len(lines) == 20
    assert lines[0].split()[1:] == ["call-11", "ok", "12.5", "ms", "read_file", "path=notes.txt", "limit=3"]
    assert lines[-1].split()[1:] == ["call-30", "denied-by-policy", "12.5", "ms", "burn"]
    assert len(bare("audit", "-n", "3").stdout.splitlines()) == 4
    assert bare("audit", "-n", "0").stdout == ""


def test_calls_are_chosen_by_what_they_were(bare: Run, log: AuditLog) -> None:
    log.append(entry(1, ago=7_200))
    log.append(entry(2, tool="burn", status="blocked", decision=DENIED))
    log.append(entry(3, session="s2", status="error", code="failed"))

    def found(*words: str) -> list[str]:
        run = bare("audit", "tail", "--json", *words)
        assert run.returncode == 0
        return [each["id"] for each in json.loads(run.stdout)]

    assert found("--tool", "burn") == ["call-2"]
    assert found("--outcome", "denied-by-policy") == ["call-2"]
    assert found("--outcome", "error") == ["call-3"]
    assert found("--session", "s2") == ["call-3"]
    assert found("--since", "1h") == ["call-2", "call-3"]
    assert found("--since", "2026-01-01") == ["call-1", "call-2", "call-3"]
    nothing = bare("audit", "--tool", "unheard")
    assert (nothing.returncode, nothing.stdout) == (0, "")
    assert "no such call" in nothing.stderr


@pytest.mark.parametrize("words", [("--since", "soon"), ("--outcome", "fine"), ("-n", "-1"), ("swim",)])
def test_wrong_usage_ends_with_two(bare: Run, log: AuditLog, words: tuple[str, ...]) -> None:
    run = bare("audit", *words)
    assert run.returncode == 2
    assert len(run.stderr.splitlines()) == 1


def test_one_call_is_shown_in_full(bare: Run, log: AuditLog) -> None:
    finding = {"rule": "fire.any", "severity": "ask", "reason": "It burns."}
    repair = {"path": "times", "kind": "text_to_number"}
    shown = entry(1, status="blocked", code="denied", decision=DENIED, findings=[finding], repairs=[repair])
    log.append(shown)
    log.append(entry(2))
    run = bare("audit", "show", "call-1")
    assert run.returncode == 0
    for words in ("call-1", "read_file", "fireman", "no fire in here", "ask fire.any: It burns.", "notes.txt"):
        assert words in run.stdout
    assert json.loads(bare("audit", "show", "call-1", "--json").stdout) == shown


def test_the_beginning_of_an_id_finds_its_call(bare: Run, log: AuditLog) -> None:
    for number in (12, 13, 1, 12):
        log.append(entry(number))
    assert json.loads(bare("audit", "show", "--json", "call-1").stdout)["id"] == "call-1"
    assert json.loads(bare("audit", "show", "--json", "call-13").stdout)["id"] == "call-13"
    log.append(entry(205))
    assert json.loads(bare("audit", "show", "--json", "call-2").stdout)["id"] == "call-205"


def test_one_id_of_several_calls_shows_the_newest(bare: Run, log: AuditLog) -> None:
    log.append(entry(12, tool="old"))
    log.append(entry(12, tool="new"))
    assert json.loads(bare("audit", "show", "--json", "call-1").stdout)["tool"] == "new"
    assert json.loads(bare("audit", "show", "--json", "call-12").stdout)["tool"] == "new"


def test_several_ids_that_begin_so_are_listed_and_none_is_taken(bare: Run, log: AuditLog) -> None:
    for number in range(40):
        log.append(entry(number, tool=f"tool{number}\x1b[2J"))
    for words in ((), ("--json",)):
        several = bare("audit", "show", "call-2", *words)  # the id of one, which is exact
        assert several.returncode == 0
        several = bare("audit", "show", "ca", *words)
        assert (several.returncode, several.stdout) == (1, "")
        head, *listed = several.stderr.splitlines()
        assert head == "Several ids match ca, and others; use one of these:"
        assert [line.split()[0] for line in listed] == [f"call-{number}" for number in range(39, 19, -1)]
        assert "tool39" in listed[0]
        assert "\x1b" not in several.stderr


@pytest.mark.parametrize("id", ["", " "])
def test_an_empty_id_is_wrong_usage(bare: Run, log: AuditLog, id: str) -> None:
    log.append(entry(1))
    outcome = bare("audit", "show", id)
    assert (outcome.returncode, outcome.stdout) == (2, "")
    assert "ID" in outcome.stderr


@pytest.mark.parametrize("words", [(), ("stats",), ("show", "call-1")])
def test_a_log_that_is_turned_off_is_not_waited_for(bare: Run, home: Path, words: tuple[str, ...]) -> None:
    home.mkdir()
    (home / "config.yaml").write_text("audit: {enabled: false}\n", encoding="utf-8")
    said = bare("audit", *words).stderr
    assert "There is no audit log: audit.enabled is false, so no call is logged." in said
    assert "first tool is called" not in said


def test_arguments_that_were_not_kept_in_full_are_named(bare: Run, log: AuditLog) -> None:
    log.append(entry(1, args_cut=["text", "note"]))
    log.append(entry(2, args_cut=["*"]))
    log.append(entry(3))
    assert "not in full  note, text: too long for the log" in " ".join(
        bare("audit", "show", "call-1").stdout.split("\n")
    )
    assert "some arguments: too long for the log" in bare("audit", "show", "call-2").stdout
    assert "not in full" not in bare("audit", "show", "call-3").stdout


def test_an_id_that_was_shortened_in_a_table_still_finds_its_call(
    bare: Run, log: AuditLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for number in range(3):
        log.append(entry(number, id=f"toolu_01{'x' * 40}{number}"))
    for number, line in enumerate(bare("audit").stdout.splitlines()[1:]):
        shown = line.split()[1]
        assert "…" in shown
        run = bare("audit", "show", "--json", shown)
        assert json.loads(run.stdout)["id"].endswith(f"x{number}")
        assert run.stderr == ""


def test_a_call_that_is_not_there_ends_with_one(bare: Run, log: AuditLog) -> None:
    assert bare("audit", "show", "call-9").returncode == 1
    log.append(entry(1))
    run = bare("audit", "show", "call-9\x1b[2J")
    assert run.returncode == 1
    assert "no call call-9" in run.stderr
    assert "\x1b" not in run.stderr


def test_the_numbers_of_each_tool_are_shown(bare: Run, log: AuditLog) -> None:
    for number in range(5):
        log.append(entry(number, seconds=2.0))
    log.append(entry(9, tool="burn", status="blocked", decision=DENIED, ago=7_200))
    log.file.write_bytes(log.file.read_bytes() + b"garbage\n")
    run = bare("audit", "stats")
    assert run.returncode == 0
    assert [row.split()[:4] for row in run.stdout.splitlines()[1:3]] == [
        ["read_file", "5", "ok", "5"],
        ["burn", "1", "blocked", "1"],
    ]
    assert "6 calls from" in run.stdout
    assert "1 damaged line was skipped" in run.stderr
    told = json.loads(bare("audit", "stats", "--json", "--since", "1h").stdout)
    assert (told["total"], told["skipped"], [each["tool"] for each in told["tools"]]) == (5, 1, ["read_file"])


@pytest.mark.parametrize("columns", [80, 120])
def test_tables_fit_the_terminal(bare: Run, log: AuditLog, monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    args = {"text": "many words " * 30, "漢字" * 20: 1}
    log.append(entry(1, id="toolu_" + "x" * 60, tool="a_tool_with_a_long_name" * 2, args=args, ago=200_000))
    log.append(entry(2, status="blocked", decision=DENIED, seconds=1234.5))
    for words in ((), ("stats",), ("show", "call-2"), ("show", "toolu_")):
        for line in bare("audit", *words).stdout.splitlines():
            assert len(line) <= columns, line


def test_nothing_that_is_printed_steers_a_terminal(bare: Run, log: AuditLog) -> None:
    bad = "\x1b[31m\x07\x9b\u202e\x7f\nmore"
    hostile = entry(1, id=f"call{bad}", tool=f"tool{bad}", args={bad: bad, "n": [bad]}, status=bad, task=bad)
    hostile |= {"decision": {"outcome": bad, "by": bad, "reason": bad}, "findings": [{"rule": bad}], "user": bad}
    log.append(hostile)
    runs = [
        bare("audit", *words) for words in ((), ("stats",), ("show", "call"), ("--json",), ("show", "call", "--json"))
    ]
    for run in runs:
        assert run.returncode == 0
        assert "more" in run.stdout
        assert not set("\x1b\x07\x9b\u202e\x7f") & set(run.stdout + run.stderr)


def test_an_entry_of_a_strange_shape_is_shown_as_far_as_it_goes(bare: Run, log: AuditLog) -> None:
    log.append({"v": 2, "id": "odd", "tool": "x", "args": [1], "decision": 5, "findings": [1], "seconds": "no"})
    for words in ((), ("show", "odd"), ("stats",)):
        assert bare("audit", *words).returncode == 0


@pytest.mark.parametrize("words", [(), ("tail",), ("show",), ("stats",)])
def test_the_help_tells_the_exit_status(bare: Run, words: tuple[str, ...]) -> None:
    run = bare("audit", *words, "--help")
    assert run.returncode == 0
    assert "Exit code: 0" in " ".join(run.stdout.split())


@pytest.mark.parametrize("as_json", [True, False])
def test_following_sees_every_call_through_rotations_until_it_is_stopped(home: Path, as_json: bool) -> None:
    log = AuditLog(home / "audit.jsonl", max_bytes=1_500, keep=50)
    for number in range(5):
        log.append(entry(number))
    command = [sys.executable, "-c", HERMES, "audit", "tail", "--follow", "-n", "2", *(["--json"] if as_json else [])]
    environment = {**os.environ, "HERMES_HOME": str(home), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        try:
            assert process.stdout is not None

            def next_id() -> str:
                assert process.stdout is not None
                line = process.stdout.readline()
                return str(json.loads(line)["id"]) if as_json else line.split("ms  ")[1].split()[0]

            signal.alarm(30)  # a readline that waits for ever ends here
            assert [next_id(), next_id()] == ["call-3", "call-4"]
            for number in range(5, 60):
                log.append(entry(number))
            assert [next_id() for _ in range(55)] == [f"call-{number}" for number in range(5, 60)]
            assert (home / "audit.jsonl.5").exists()
            process.send_signal(signal.SIGINT)
            assert process.wait(10) == 130
        finally:
            signal.alarm(0)
            process.kill()


def test_following_waits_for_a_log_that_is_not_there_yet(home: Path) -> None:
    command = [sys.executable, "-c", HERMES, "audit", "--follow", "--json"]
    environment = {**os.environ, "HERMES_HOME": str(home)}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stderr is not None
            signal.alarm(30)
            assert "no audit log yet" in process.stderr.readline()
            AuditLog(home / "audit.jsonl").append(entry(1))
            assert json.loads(process.stdout.readline())["id"] == "call-1"
        finally:
            signal.alarm(0)
            process.kill()


def test_debug_may_stand_anywhere(bare: Run, log: AuditLog) -> None:
    log.append(entry(1))
    for words in (("--debug",), ("--debug", "-n", "1"), ("-n", "1", "--debug"), ("tail", "--debug")):
        assert "call-1" in bare("audit", *words).stdout
