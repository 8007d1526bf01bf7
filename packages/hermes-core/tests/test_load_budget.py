"""How much of our code a first call loads: a process that calls one tool must not read the whole framework."""

from __future__ import annotations

import json
import subprocess
import sys

MAX_LINES = 9_000
"""Lines of our modules, blank lines and docstrings included."""

FIRST_CALL = """
import json, sys
from hermes_core import Hermes, hookimpl, tool


@tool
def add(a: int, b: int = 1) -> int:
    "Add two numbers."
    return a + b


class Watcher:
    @hookimpl
    def hermes_pre_tool_call(self, call):
        return None


hermes = Hermes(tools=[add], plugins=[Watcher()])
assert hermes.call("add", {"a": 1}) == "2"
lines = {}
for name, module in sorted(sys.modules.items()):
    if name.partition(".")[0] in ("hermes_core", "hermes_files", "hermes_schemas", "hermes_text"):
        with open(module.__file__, encoding="utf-8") as file:
            lines[name] = len(file.readlines())
print(json.dumps(lines))
"""


def test_a_first_call_loads_few_lines() -> None:
    command = [sys.executable, "-c", FIRST_CALL]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    lines: dict[str, int] = json.loads(done.stdout)
    largest = sorted(lines, key=lines.__getitem__, reverse=True)[:10]
    assert sum(lines.values()) <= MAX_LINES, f"the largest modules are {largest}"
