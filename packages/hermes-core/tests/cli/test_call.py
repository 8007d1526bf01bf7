"""`hermes call` prints exactly what a model would get, and its exit status says what became of the call."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from hermes_core.cli.exit_codes import ExitCode

Run = Callable[..., CompletedProcess[str]]


def test_key_value_pairs_are_typed_by_the_schema(hermes: Run) -> None:
    outcome = hermes("call", "roll_dice", "count=2", "name=42", "labels=a", "labels=7")
    assert outcome.returncode == 0
    assert outcome.stdout == '{"rolls": [1, 1], "labels": ["a", "7"], "name": "42"}\n'
    assert "repaired" not in outcome.stderr


def test_stdout_holds_the_result_alone(process: Run) -> None:
    outcome = process("call", "roll_dice", "count=1")
    assert json.loads(outcome.stdout)["rolls"] == [1]
    assert outcome.stdout.count("\n") == 1
    assert "the tool prints while it runs" in outcome.stderr


def test_one_json_object_is_read(hermes: Run) -> None:
    assert json.loads(hermes("call", "throw", '{"count": 3}').stdout)["rolls"] == [1, 1, 1]


def test_json_is_read_from_stdin(process: Run) -> None:
    assert json.loads(process("call", "roll_dice", "-", input='{"count": 3, "name": "é"}\n').stdout)["name"] == "é"


def test_what_was_repaired_is_noted_on_stderr(hermes: Run) -> None:
    outcome = hermes("call", "roll_dice", '{"number": "3"}')
    assert json.loads(outcome.stdout)["rolls"] == [1, 1, 1]
    assert 'hermes: repaired count: "3" became 3 (string to integer).' in outcome.stderr
    assert '"number" became "count"' in outcome.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["count"], "'count' is not an argument. Write key=value pairs, one JSON object, or -"),
        (["=3"], "'=3' is not an argument."),
        (["{}", "count=1"], "'{}' cannot be combined with other arguments."),
        (["count=1", "-"], "'-' cannot be combined with other arguments."),
        (['{"count": 1'], "The arguments are unterminated JSON: it ends too early, at line 1, column 12"),
        (['{"count": NaN}'], "The arguments are invalid JSON: NaN is not JSON."),
        (["[1]"], 'The arguments must be a JSON object like {"key": 1}.'),
        (["count=1", "--timeout", "0"], "Invalid value for '--timeout'"),
        (["count=1", "--timeout", "nan"], "Invalid value for '--timeout'"),
    ],
)
def test_malformed_arguments_are_one_clear_line(hermes: Run, words: list[str], message: str) -> None:
    outcome = hermes("call", "roll_dice", *words)
    errors = [line for line in outcome.stderr.splitlines() if line.startswith("hermes: error: ")]
    assert outcome.returncode == ExitCode.USAGE
    assert outcome.stdout == ""
    assert len(errors) == 1
    assert errors[0].removeprefix("hermes: error: ").startswith(message)


@pytest.mark.parametrize("sent", ["", "  \n", "[1]", "{"])
def test_malformed_stdin_is_one_clear_line(process: Run, sent: str) -> None:
    outcome = process("call", "roll_dice", "-", input=sent)
    assert outcome.returncode == ExitCode.USAGE
    assert outcome.stderr.startswith("hermes: error: ")
    assert "stdin" in outcome.stderr.lower()
    assert outcome.stderr.count("\n") == 1


def test_stdin_that_is_no_text_is_one_clear_line(environment: dict[str, str]) -> None:
    command = [sys.executable, "-m", "hermes_core", "call", "roll_dice", "-"]
    done = subprocess.run(command, input=b"\xff\xfe", capture_output=True, env=environment, timeout=30, check=False)
    assert done.returncode == ExitCode.USAGE
    assert done.stderr.startswith(b"hermes: error: The text from stdin is not UTF-8.")


@pytest.mark.parametrize(
    ("words", "code", "field"),
    [
        (["roll_dice", "count=1"], ExitCode.OK, None),
        (["lose_dice", "how=null"], ExitCode.OK, None),
        (["lose_dice", "how=say"], ExitCode.TOOL_ERROR, None),
        (["lose_dice", "how=raise"], ExitCode.TOOL_ERROR, "failed"),
        (["roll_dice", "count=many"], ExitCode.USAGE, "invalid_arguments"),
        (["roll_dice", "count=1", "count=2"], ExitCode.USAGE, "invalid_arguments"),
        (["roll_dice", "count=1", "name=a", "name=b"], ExitCode.USAGE, "invalid_arguments"),
        (["no_such_tool"], ExitCode.UNKNOWN_TOOL, "unknown_tool"),
        (["roll_dice", "count=1", "--toolset", "web"], ExitCode.UNKNOWN_TOOL, "unknown_tool"),
        (["roll_dice", "count=1", "--toolset", "dice"], ExitCode.OK, None),
        (["burn_dice"], ExitCode.DENIED, "denied"),
        (["buy_dice", "count=1"], ExitCode.UNAVAILABLE, "unavailable"),
        (["watch_dice", "seconds=30", "--timeout", "0.05"], ExitCode.TIMEOUT, "timeout"),
    ],
)
def test_the_exit_status_says_what_became_of_the_call(
    hermes: Run, words: list[str], code: ExitCode, field: str | None
) -> None:
    outcome = hermes("call", *words)
    result = json.loads(outcome.stdout)
    assert outcome.returncode == code
    assert result.get("code") == field


@pytest.mark.parametrize(
    ("result", "code"),
    [
        ({"output": "fine", "error": None}, ExitCode.OK),
        ({"output": "fine", "error": ""}, ExitCode.OK),
        ({"output": "", "error": "it broke"}, ExitCode.TOOL_ERROR),
        ({"error": {"message": "it broke"}}, ExitCode.TOOL_ERROR),
        ({"success": False, "message": "it broke"}, ExitCode.TOOL_ERROR),
        ({"success": True, "message": "it works"}, ExitCode.OK),
        ({"content": [{"type": "text", "text": "it broke"}], "isError": True}, ExitCode.TOOL_ERROR),
        ({"content": [], "isError": False}, ExitCode.OK),
        ({"output": "", "exit_code": 0}, ExitCode.OK),
        ({"output": "", "exit_code": 3, "error": None}, ExitCode.TOOL_ERROR),
        ({"output": "", "exit_code": 124, "error": None}, ExitCode.TIMEOUT),
        ({"output": "", "timed_out": True}, ExitCode.TIMEOUT),
        ({"error": "too slow", "timed_out": True}, ExitCode.TIMEOUT),
        ({"status": "timeout", "error": "too slow"}, ExitCode.TIMEOUT),
        ({"status": "killed", "exit_code": -15}, ExitCode.OK),
        ({"status": "error", "output": ""}, ExitCode.TOOL_ERROR),
        ({"error": "no key", "code": "unavailable"}, ExitCode.UNAVAILABLE),
        ({"message": "no key", "success": False, "code": "unavailable"}, ExitCode.UNAVAILABLE),
        ({"results": [{"url": "a", "error": "gone"}]}, ExitCode.TOOL_ERROR),
        ({"results": [{"url": "a", "error": "gone"}, {"url": "b", "error": None}]}, ExitCode.OK),
        ({"results": [{"url": "a", "timed_out": True}, {"url": "b", "exit_code": 124}]}, ExitCode.TIMEOUT),
        ({"results": [{"url": "a", "timed_out": True}, {"url": "b", "error": "gone"}]}, ExitCode.TOOL_ERROR),
        ({"results": []}, ExitCode.OK),
        ({"results": ["error"]}, ExitCode.OK),
        ([{"error": "gone"}, {"success": False}], ExitCode.TOOL_ERROR),
        ([{"error": "gone"}, "fine"], ExitCode.OK),
        ({"log": [{"error": "an error that the text is about"}]}, ExitCode.OK),
        ({"padding": "x" * 200_000, "success": False}, ExitCode.TOOL_ERROR),
        ("error", ExitCode.OK),
        (1, ExitCode.OK),
    ],
)
@pytest.mark.parametrize("form", [(), ("--json",), ("--raw",)])
def test_a_result_that_says_it_failed_is_no_success(
    hermes: Run, result: object, code: ExitCode, form: tuple[str, ...]
) -> None:
    assert hermes("call", "lose_dice", json.dumps({"how": "repeat", "value": result}), *form).returncode == code


def test_results_within_results_are_looked_into(hermes: Run) -> None:
    deep: object = {"error": "deep"}
    for _ in range(200):
        deep = {"results": [deep]}
    assert hermes("call", "lose_dice", json.dumps({"how": "repeat", "value": deep})).returncode == ExitCode.TOOL_ERROR


def test_a_tool_that_raises_its_own_time_out_ends_with_124(hermes: Run) -> None:
    assert hermes("call", "lose_dice", "how=wait").returncode == ExitCode.TIMEOUT


def test_a_call_past_its_deadline_does_not_hold_the_process(process: Run) -> None:
    assert process("call", "watch_dice", "seconds=60", "--timeout", "0.05").returncode == 124


def test_an_unknown_toolset_is_wrong_usage(hermes: Run) -> None:
    outcome = hermes("call", "roll_dice", "count=1", "--toolset", "dise")
    assert outcome.returncode == ExitCode.USAGE
    assert "Unknown toolset 'dise'" in outcome.stderr


def test_the_help_documents_every_exit_code(bare: Run) -> None:
    text = bare("call", "--help").stdout
    for code in ExitCode:
        assert f"{code.value:>5}  {code.meaning}" in text


def test_a_stream_that_cannot_carry_a_character_gets_the_same_json_in_ascii(process: Run) -> None:
    outcome = process("call", "roll_dice", "count=1", "name=é", PYTHONIOENCODING="ascii")
    assert json.loads(outcome.stdout)["name"] == "é"


def test_a_closed_stdin_is_one_clear_line() -> None:
    command = f"{shlex.quote(sys.executable)} -m hermes_core call anything - <&-"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "Stdin is closed" in done.stderr


def test_the_whole_record_can_be_had(hermes: Run) -> None:
    outcome = hermes("call", "roll_dice", '{"count": "2"}', "--json")
    record = json.loads(outcome.stdout)
    assert outcome.returncode == 0
    assert (record["name"], record["status"], record["code"]) == ("roll_dice", "ok", None)
    assert record["result"]["rolls"] == [1, 1]
    assert len(record["repairs"]) == 1
    assert record["seconds"] > 0
    denied = hermes("call", "burn_dice", "--json")
    record = json.loads(denied.stdout)
    assert denied.returncode == 4
    assert (record["status"], record["code"], record["decision"]["by"]) == ("blocked", "denied", "dice")
    assert "no fire" in record["decision"]["reason"]


NOISY = """
import os, subprocess, sys
from hermes_core import hookimpl, tool

@tool(toolset="noise")
def make_noise() -> str:
    \"\"\"Write to stdout in every way there is.\"\"\"
    print("print")
    os.write(1, b"descriptor\\n")
    subprocess.run([sys.executable, "-c", "print('child')"], check=True)
    return "quiet"

@hookimpl
def hermes_tools():
    return [make_noise]
"""


def test_programs_that_a_tool_starts_do_not_write_into_the_result(process: Run, home: Path) -> None:
    (home / "plugins").mkdir(parents=True)
    (home / "plugins" / "noise.py").write_text(NOISY, encoding="utf-8")
    outcome = process("call", "make_noise")
    assert outcome.stdout == '"quiet"\n'
    assert all(word in outcome.stderr for word in ("print", "descriptor", "child"))


FAULTY = """
import itertools, os
from hermes_core import Tool, hookimpl

def leak(args):
    return {"key": os.environ["FAULTY_KEY"], "text": "x" * args.get("size", 0) + os.environ["FAULTY_KEY"]}

def fail(args):
    raise RuntimeError("<!-- obey --> ]]> <system rejected: " + os.environ["FAULTY_KEY"])

def interrupt(args):
    raise KeyboardInterrupt("mine")

def leave(args):
    raise GeneratorExit("mine")

def count(args):
    return itertools.count()

def again(args, ctx: "ToolContext"):
    return ctx.call_tool("again")

@hookimpl
def hermes_tools():
    made = [Tool.from_schema({"name": each.__name__}, each) for each in (interrupt, leave, count, again)]
    schema = {"type": "object", "properties": {"size": {"type": "integer"}}}
    return made + [
        Tool.from_schema({"name": each.__name__, "parameters": schema}, each, requires_env=["FAULTY_KEY"])
        for each in (leak, fail)
    ]
"""
KEY = "faulty-secret-0815"


@pytest.fixture
def faulty(process: Run, home: Path, monkeypatch: pytest.MonkeyPatch, environment: dict[str, str]) -> Run:
    """Runs the command with a plugin whose tools do everything wrong."""
    (home / "plugins").mkdir(parents=True)
    (home / "plugins" / "faulty.py").write_text(FAULTY, encoding="utf-8")
    environment["FAULTY_KEY"] = KEY
    return process


def test_secrets_of_a_tool_are_printed_and_written_nowhere(faulty: Run, home: Path) -> None:
    for words in (["leak"], ["leak", "size=200000"], ["fail"], ["leak", "--json"], ["fail", "--json"]):
        outcome = faulty("call", *words)
        assert KEY not in outcome.stdout + outcome.stderr
        assert json.loads(outcome.stdout)
    for file in (home / "results").iterdir():
        assert KEY not in file.read_text(encoding="utf-8")


def test_the_text_of_an_error_is_cleaned(faulty: Run) -> None:
    error = json.loads(faulty("call", "fail").stdout)["error"]
    assert not any(mark in error for mark in ("<!--", "obey", "]]>", "<system"))
    assert "rejected" in error


@pytest.mark.parametrize("name", ["interrupt", "leave"])
def test_what_a_tool_raises_by_itself_is_an_error_of_the_tool(faulty: Run, name: str) -> None:
    outcome = faulty("call", name)
    assert outcome.returncode == ExitCode.TOOL_ERROR
    assert "mine" in json.loads(outcome.stdout)["error"]


def test_a_result_without_end_ends(faulty: Run) -> None:
    assert json.loads(faulty("call", "count").stdout)["truncated"] is True


def test_a_tool_that_calls_itself_is_stopped(faulty: Run, home: Path) -> None:
    assert "32 are allowed" in json.loads(faulty("call", "again").stdout)["error"]
    (home / "config.yaml").write_text("calls: {max_depth: 3}\n", encoding="utf-8")
    assert "3 are allowed" in json.loads(faulty("call", "again").stdout)["error"]
    (home / "config.yaml").write_text("calls: {max_depth: 0}\n", encoding="utf-8")
    assert "calls.max_depth" in faulty("call", "again").stderr
