"""`execute_code`: how long a script takes to start, and a call of a tool from it."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import hermes_tools_terminal.plugin
from bench.harness import Row, once
from bench.terminal.pairs import in_turn
from hermes_core import Hermes, Tool, hookimpl, tool

CALLS = 1_000
ROUNDS = 5

_TIMED = """
import time
for _ in range(20): call()
times = []
for _ in range({calls}):
    began = time.perf_counter(); call(); times.append(time.perf_counter() - began)
print(sorted(times)[{calls} // 2])
"""
_OURS = "from hermes_tools import web_search\ndef call(): assert web_search(query='x') == {'query': 'x'}\n"
_BARE = """
import json, socket
line = socket.socket(socket.AF_UNIX); line.connect(PATH); file = line.makefile("rwb")
def call():
    file.write(json.dumps({"tool": "web_search", "args": {"query": "x"}}).encode() + b"\\n"); file.flush()
    assert json.loads(file.readline()) == {"query": "x"}
"""


@tool(toolset="web")
def web_search(query: str) -> dict[str, str]:
    """Search for nothing."""
    return {"query": query}


class Nothing:
    """A plugin with a tool that does nothing."""

    @hookimpl
    def hermes_tools(self) -> list[Tool]:
        """The tool."""
        return [web_search]


def rows() -> Iterator[Row]:
    """One line for the start, one for a call."""
    with tempfile.TemporaryDirectory() as folder:
        config = {"terminal": {"cwd": folder}, "code_execution": {"max_tool_calls": 10 * CALLS}}
        with Hermes(plugins=[hermes_tools_terminal.plugin, Nothing()], home=f"{folder}/home", config=config) as hermes:
            yield _start(hermes)
            yield _call(hermes, Path(folder))


def _start(hermes: Hermes) -> Row:
    python = [sys.executable, "-S", "-c", "pass"]
    sides = {
        "ours": lambda: once(lambda: run(hermes, "pass")),
        "bare": lambda: once(lambda: subprocess.run(python, check=True)),
    }
    usual = in_turn(sides, 40)
    return Row(
        what="execute_code, start", against="python -S -c pass", ours=usual["ours"], baseline=usual["bare"], limit=1.5
    )


def _call(hermes: Hermes, folder: Path) -> Row:
    timed = _TIMED.format(calls=CALLS)
    server = _Echo(str(folder / "echo"))
    bare = [sys.executable, "-c", _BARE.replace("PATH", repr(server.path)) + timed]
    sides = {
        "ours": lambda: float(run(hermes, _OURS + timed)),
        "bare": lambda: float(subprocess.run(bare, check=True, capture_output=True, text=True).stdout),
    }
    usual = in_turn(sides, ROUNDS)
    server.close()
    against = "JSON over a Unix socket"
    return Row(what="execute_code, one call", against=against, ours=usual["ours"], baseline=usual["bare"], limit=4)


def run(hermes: Hermes, code: str) -> str:
    """What a script printed."""
    told = json.loads(hermes.call("execute_code", {"code": code}))
    assert told["status"] == "success", told
    return str(told["output"])


class _Echo:
    """Answers requests with their arguments, in a thread of this process."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._server = socket.socket(socket.AF_UNIX)
        self._server.bind(path)
        self._server.listen()
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                line, _ = self._server.accept()
            except OSError:
                return
            with line, line.makefile("rwb") as file:
                for request in file:
                    file.write(json.dumps(json.loads(request)["args"]).encode() + b"\n")
                    file.flush()

    def close(self) -> None:
        self._server.close()
