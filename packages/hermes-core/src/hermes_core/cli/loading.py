"""Gives a command its host."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import Any

from hermes_core.cli.invocation import current_invocation
from hermes_core.cli.logs import warning_lines
from hermes_core.host import Hermes


@contextlib.contextmanager
def _clean_stdout() -> Iterator[None]:
    """What is written to stdout goes to stderr: also by programs that tools start, which know only its number."""
    saved = None
    try:
        if sys.stdout is not None and sys.stdout.fileno() == 1:
            sys.stdout.flush()
            saved = os.dup(1)
            os.dup2(2, 1)
    except (OSError, ValueError):  # one of the two is closed, or is no file
        pass
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        if saved is not None:
            os.dup2(saved, 1)
            os.close(saved)


@contextlib.contextmanager
def loaded_host(
    *,
    warn: bool = True,
    warn_of_plugins: bool = True,
    only_looking: bool = True,
    imports: bool = True,
    locked: bool = True,
    checked: bool = True,
    approver: Any = None,
) -> Iterator[Hermes]:
    """A host with everything that is installed, for the length of a block.

    Plugins with a manifest are imported when a tool is called; with `only_looking`, those that have call hooks, too.
    Without `imports`, plugins that have no manifest are left out.

    Commands gather inside the block and print after it: stdout belongs to results, so what plugins and tools print
    meanwhile goes to stderr, and so does the prompt of an approver at the terminal.
    """
    with (
        warning_lines(show=warn, debug=current_invocation().debug, plugins=warn_of_plugins),
        _clean_stdout(),
        # Closed, not entered: a session starts when a tool is called, not when tools are listed.
        contextlib.closing(
            Hermes.load(only_looking=only_looking, imports=imports, locked=locked, checked=checked, approver=approver)
        ) as host,
    ):
        yield host
