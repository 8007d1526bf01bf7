"""A process with a sandbox, as somebody else: gets commands as lines of JSON, runs them inside, tells what came out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

from pydantic import TypeAdapter

from hermes_tools_terminal.environments.base import TerminalEnvironmentError
from hermes_tools_terminal.environments.sandbox import environment as sandbox
from hermes_tools_terminal.settings import TerminalSettings


def main() -> None:
    """Serve until the input ends."""
    settings = TypeAdapter(TerminalSettings).validate_json(sys.argv[1])
    place = sandbox.make(settings, task="t", home=os.environ["HERMES_HOME"])
    try:
        place.open()
    except TerminalEnvironmentError as error:
        say({"error": error.reason, "hint": error.hint})
        return
    say({"pid": os.getpid(), "leaks": list(place.leaks())})
    for line in sys.stdin:
        order = json.loads(line)
        say(run(place, order))
    place.close()


def run(place: sandbox.SandboxEnvironment, order: dict[str, Any]) -> dict[str, Any]:
    """One command to its end."""
    try:
        started = place.start(["bash", "-c", order["run"]], env=order.get("env"))
    except TerminalEnvironmentError as error:
        return {"error": error.reason}
    assert isinstance(started.child, subprocess.Popen)
    if order.get("stay"):
        assert started.child.stdout is not None
        started.child.stdout.read(1)
        return {"group": started.group}
    output, _ = started.child.communicate(timeout=30)
    return {"status": started.child.returncode, "output": output.decode(errors="replace")}


def say(answer: dict[str, Any]) -> None:
    """One line back."""
    print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
