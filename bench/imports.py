"""What a program pays for importing the core before it has done anything."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator

from bench.harness import Row, fastest

_TIMED = "import time; start = time.process_time(); import {}; print(time.process_time() - start)"


def rows() -> Iterator[Row]:
    """Against two small libraries that most command lines load."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}

    def fresh(modules: str) -> Callable[[], float]:
        command = [sys.executable, "-c", _TIMED.format(modules)]

        def run() -> float:
            done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=60)
            return float(done.stdout)

        run()  # writes the bytecode
        return run

    best = fastest(
        {
            "ours": fresh("hermes_core"),
            "host": fresh("hermes_core.host"),
            "calls": fresh("hermes_core.host, hermes_core.calls.dispatcher"),
            "others": fresh("click, pluggy"),
        },
        11,
    )
    for what, ours in (("import hermes_core", "ours"), ("a host that lists", "host"), ("a host that calls", "calls")):
        yield Row(what=what, against="import click, pluggy", ours=best[ours], baseline=best["others"])
