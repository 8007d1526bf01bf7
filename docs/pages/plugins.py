"""The load report: the status of each plugin."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import get_args

from docs.pages.docstrings import attributes, member, members, prose
from docs.pages.pieces import code, table

from hermes_core.plugins import plugin_sources
from hermes_core.plugins.plugin_records import ONE_RUN, LoadReport, PluginRecord, PluginStatus

_ORIGINS = {
    plugin_sources.INSTALLED: "an installed distribution, by its entry point",
    plugin_sources.HOME_FILE: "a file in `$HERMES_HOME/plugins`",
    plugin_sources.PROJECT_FILE: "a file in `.hermes/plugins` of the current directory",
    ONE_RUN: "a file or module named in the variable, for one run",
    plugin_sources.ADAPTED: "an installed plugin of another program, with `plugins.upstream` and an adapter",
    plugin_sources.ADAPTED_FOLDER: "a directory of `$HERMES_HOME/plugins` with a plugin of another program",
    "application": "an object that the application itself added",
    "config": "a plugin that settings name, but that is not installed",
}


def page() -> str:
    """Generate the page."""
    described = attributes(PluginRecord)
    kinds = PluginRecord.__annotations__.items()
    fields = ((f"`{name}`", f"`{kind.__forward_arg__}`", described[name]) for name, kind in kinds)
    origins = (
        (f"`{name}`", where, "yes" if name in plugin_sources.LOCKED else "no") for name, where in _ORIGINS.items()
    )
    return "\n\n".join(
        [
            "# Plugin reports\n\nA host has a record of every plugin that it found. `hermes plugins` lists these "
            "records, `hermes plugins --json` prints all fields, and `hermes.report` contains them in code. [Write a "
            "plugin](../how-to/write-a-plugin.md#read-the-load-report) has an example.",
            f"## Statuses\n\n{table(['status', 'meaning'], _statuses(described['status']))}",
            f"## Fields of a record\n\n{table(['field', 'type', 'meaning'], fields)}",
            f"## Origins\n\n{table(['origin', 'source', 'covered by `hermes.lock`'], origins)}",
            f"## LoadReport\n\n{prose(LoadReport)}",
            *(member("LoadReport", key, LoadReport).replace("#### ", "### ", 1) for key in members(LoadReport)),
        ]
    )


def _statuses(text: str) -> Iterator[tuple[str, str]]:
    """Return each status with its clause of the docstring, which describes all of them in one sentence."""
    clauses = {}
    for clause in re.split(r";\s+", text.rstrip(".")):
        match = re.match(r"`(\w+)`,?\s*(.*)", clause)
        if match:
            clauses[match[1]] = match[2].removeprefix("when ")
    statuses = get_args(PluginStatus)
    if set(clauses) != set(statuses):
        raise SystemExit(f"PluginRecord describes the statuses {sorted(clauses)}, but there are {code(statuses)}.")
    for status in statuses:
        yield f"`{status}`", clauses[status] or _PLAIN[status]


_PLAIN = {"loaded": "everything in it is available", "failed": "nothing in it can be used; `problems` says why"}
"""The statuses that the docstring does not describe."""
