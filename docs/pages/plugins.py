"""The load report: what a host says of each plugin."""

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
    plugin_sources.PROJECT_FILE: "a file in `.hermes/plugins` of the current folder",
    ONE_RUN: "a file or module that the variable names, for this run",
    plugin_sources.ADAPTED: "an installed plugin of another program, with `plugins.upstream` and an adapter",
    plugin_sources.ADAPTED_FOLDER: "a directory of `$HERMES_HOME/plugins` with a plugin of another program",
    "application": "an object that the application itself added",
    "config": "a plugin that was asked for by name and is not there",
}


def page() -> str:
    """The statuses, the fields of a record, the origins, and the report."""
    said = attributes(PluginRecord)
    kinds = PluginRecord.__annotations__.items()
    fields = ((f"`{name}`", f"`{kind.__forward_arg__}`", said[name]) for name, kind in kinds)
    origins = (
        (f"`{name}`", where, "yes" if name in plugin_sources.LOCKED else "no") for name, where in _ORIGINS.items()
    )
    return "\n\n".join(
        [
            "# Plugin reports\n\nA host keeps a record of every plugin that it found. `hermes plugins` prints them, "
            "`hermes plugins --json` gives every field, and in code it is `hermes.report`. [Write a "
            "plugin](../how-to/write-a-plugin.md#read-the-load-report) shows one.",
            f"## Statuses\n\n{table(['status', 'meaning'], _statuses(said['status']))}",
            f"## Fields of a record\n\n{table(['field', 'type', 'meaning'], fields)}",
            f"## Origins\n\n{table(['origin', 'where it comes from', 'watched by `hermes.lock`'], origins)}",
            f"## LoadReport\n\n{prose(LoadReport)}",
            *(member("LoadReport", key, LoadReport).replace("#### ", "### ", 1) for key in members(LoadReport)),
        ]
    )


def _statuses(said: str) -> Iterator[tuple[str, str]]:
    """Each status with what the docstring says of it, which is written as one sentence with a clause for each."""
    clauses = {}
    for clause in re.split(r";\s+", said.rstrip(".")):
        match = re.match(r"`(\w+)`,?\s*(.*)", clause)
        if match:
            clauses[match[1]] = match[2].removeprefix("when ")
    statuses = get_args(PluginStatus)
    if set(clauses) != set(statuses):
        raise SystemExit(f"PluginRecord says of the statuses {sorted(clauses)}; there are {code(statuses)}.")
    for status in statuses:
        yield f"`{status}`", clauses[status] or _PLAIN[status]


_PLAIN = {"loaded": "everything it brought is there", "failed": "nothing of it can be used; `problems` says why"}
"""What the docstring leaves to the word itself."""
