"""One script that is to run, and what became of one that did."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import Any

from hermes_tools_terminal.scripts import sources
from hermes_tools_terminal.shell.output import Capture

GRACE_SECONDS = 1.0
"""Between asking a script to end and ending it."""

DRAIN_SECONDS = 0.5
"""How long somebody listens to what a script that has ended had still to say."""

TICK_SECONDS = 0.25
"""How often somebody looks whether a running script is to be ended."""


@dataclass(frozen=True, slots=True)
class Script:
    """What is to run.

    Attributes:
        code: Its text.
        folder: Where it runs.
        timeout: Seconds that it may take.
        alone: Whether it runs in an empty folder, out of reach of the project's modules.
        memory: Megabytes that each of its processes may allocate; 0 for no limit.
        mark: What tells its processes from others.
    """

    code: str
    folder: str
    timeout: float
    alone: bool
    memory: int = 0
    mark: str = field(default_factory=lambda: secrets.token_hex(8))

    def given(self, line: dict[str, object], **more: object) -> dict[str, Any]:
        """What its process is given to begin with.

        Args:
            line: How it reaches its tools.
            more: What else it needs.
        """
        return {"code": self.code, "client": sources.text("client"), "line": line, **more}


@dataclass(slots=True)
class Ended:
    """How a script ended.

    Attributes:
        why: `timeout` or `interrupted` when it was ended; empty when it ended itself.
        status: Its exit code; negative for a signal.
        output: What it printed.
        errors: What it printed as errors.
        trouble: Why there is no exit code.
        room: The folder with its text, which is not to be told.
    """

    output: Capture
    errors: Capture
    why: str = ""
    status: int = 0
    trouble: str = ""
    room: str = ""
