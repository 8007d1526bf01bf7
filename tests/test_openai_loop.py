"""`examples/openai_loop.py` works with a server that speaks the protocol, and reports what goes wrong."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.chat_server import ChatServer, Message, serve, tool_call

SCRIPT = Path(__file__).parents[1] / "examples/openai_loop.py"
PLUGIN = """
from hermes_core import hookimpl, tool


@tool(toolset="sums", effects=["read"])
def add(a: int, b: int) -> dict:
    '''Add two numbers.'''
    return {"sum": a + b}


@tool(toolset="faults")
def fail() -> str:
    '''Fail.'''
    raise OSError("the disk is gone")


@hookimpl
def hermes_tools():
    return [add, fail]
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    plugins = tmp_path / "home/plugins"
    plugins.mkdir(parents=True)
    (plugins / "sums.py").write_text(PLUGIN, encoding="utf-8")
    return plugins.parent


def run(home: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the script as a user does, with the plugin of this module alone."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("OPENAI_", "HERMES_"))}
    given = {"HERMES_HOME": str(home), "HERMES_PLUGINS": "sums", "OPENAI_API_KEY": "sk-test", "OPENAI_MODEL": "m"}
    command = [sys.executable, str(SCRIPT), *arguments]
    env = {**kept, **given, **environment}
    return subprocess.run(command, env=env, cwd=home, capture_output=True, text=True, timeout=60, check=False)


def results_in(messages: list[Message]) -> list[Any]:
    return [json.loads(message["content"]) for message in messages if message["role"] == "tool"]


def add_twice(messages: list[Message]) -> Message:
    """Call a tool twice in one message, then report both results."""
    results = results_in(messages)
    if not results:
        calls = [("call_1", '{"a": 1, "b": 2}'), ("call_2", '{"a": "3", "b": 4}')]
        return {"tool_calls": [tool_call(id, "add", args) for id, args in calls]}
    return {"content": f"The sums are {' and '.join(str(result['sum']) for result in results)}."}


def greet(_messages: list[Message]) -> Message:
    return {"content": "Hello."}


def tools_of(server: ChatServer) -> list[str]:
    return [tool["function"]["name"] for tool in server.requests[0].get("tools", ())]


@pytest.mark.parametrize("options", [[], ["--stream"]], ids=["whole", "streamed"])
def test_parallel_calls_run_and_the_answer_is_printed(home: Path, options: list[str]) -> None:
    with serve(add_twice) as server:
        done = run(home, "--base-url", server.url, *options, "What is 1 + 2, and 3 + 4?")
    assert server.refused == []
    assert (done.returncode, done.stdout) == (0, "The sums are 3 and 7.\n"), done.stderr
    assert done.stderr.splitlines() == ['add {"a": 1, "b": 2}', 'add {"a": "3", "b": 4}']
    assert [request.get("stream", False) for request in server.requests] == [bool(options)] * 2
    assert server.requests[0]["messages"][-1]["content"] == "What is 1 + 2, and 3 + 4?"


@pytest.mark.parametrize(
    ("name", "arguments", "part"),
    [
        ("fail", "{}", "Tool execution failed: OSError: the disk is gone"),
        ("add", '{"a": 1', "Invalid arguments for add"),
        ("subtract", "{}", "Unknown tool: subtract"),
    ],
)
def test_the_model_reads_the_errors_of_its_calls(home: Path, name: str, arguments: str, part: str) -> None:
    def call_once(messages: list[Message]) -> Message:
        results = results_in(messages)
        return {"content": results[0]["error"]} if results else {"tool_calls": [tool_call("c", name, arguments)]}

    with serve(call_once) as server:
        done = run(home, "--base-url", server.url, "Try it.")
    assert server.refused == []
    assert done.returncode == 0, done.stderr
    assert part in done.stdout


def test_the_loop_stops_after_the_last_turn(home: Path) -> None:
    with serve(lambda _messages: {"tool_calls": [tool_call("c", "add", '{"a": 1, "b": 1}')]}) as server:
        done = run(home, "--base-url", server.url, "--max-turns", "3", "Go on.")
    assert len(server.requests) == 3
    assert done.returncode == 1
    assert done.stderr.endswith("error: no answer after 3 turns; raise --max-turns to allow more\n")


@pytest.mark.parametrize(("enabled", "shown"), [(["sums"], ["add"]), (["add", "fail"], ["add", "fail"])])
def test_only_enabled_tools_are_shown(home: Path, enabled: list[str], shown: list[str]) -> None:
    options = [part for name in enabled for part in ("--enable", name)]
    with serve(greet) as server:
        done = run(home, "--base-url", server.url, *options, "Hello.")
    assert done.stdout == "Hello.\n", done.stderr
    assert tools_of(server) == shown


def test_a_session_without_tools_sends_no_list(home: Path) -> None:
    (home / "plugins/sums.py").write_text("")
    with serve(greet) as server:
        done = run(home, "Hello.", OPENAI_BASE_URL=server.url)
    assert server.refused == []
    assert (done.returncode, done.stdout) == (0, "Hello.\n"), done.stderr
    assert "tools" not in server.requests[0]


def test_errors_of_the_api_are_one_line(home: Path) -> None:
    def leave(_messages: list[Message]) -> Message:
        raise LookupError("no such model")

    with serve(leave) as server:
        done = run(home, "--base-url", server.url, "Hello.")
    assert (done.returncode, len(done.stderr.splitlines())) == (1, 1), done.stderr
    assert "no such model" in done.stderr


def test_an_unknown_toolset_and_a_missing_model_are_reported(home: Path) -> None:
    with serve(greet) as server:
        unknown = run(home, "--base-url", server.url, "--enable", "sum", "Hello.")
        missing = run(home, "--base-url", server.url, "Hello.", OPENAI_MODEL="")
    assert (unknown.returncode, missing.returncode) == (1, 2)
    assert "sums" in unknown.stderr
    assert "OPENAI_MODEL" in missing.stderr
    assert server.requests == []
