"""One call of a tool that does nothing as users make it: with hermes-approval installed, which logs every call."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from bench.dispatch import ARGS, CALLS, Arguments, noop
from bench.harness import Row, statements
from hermes_core import Hermes, tool

TEXT = "Find the three newest reports about rivers in the mountains."
"""60 characters, as a model writes them."""


def rows() -> Iterator[Row]:
    """With the audit log and short arguments, with a text of 60 characters, without the log, and without any plugin."""
    with TemporaryDirectory(prefix="hermes-bench-") as folder:
        audited, unaudited = Path(folder, "audited"), Path(folder, "unaudited")
        for home in (audited, unaudited):
            home.mkdir()
        (unaudited / "config.yaml").write_text("audit: {enabled: false}\n")
        with (
            patch.dict(os.environ, {"HERMES_PLUGINS": "approval,audit"}),
            Hermes.load(home=audited, tools=[tool(noop)]) as logged,
            Hermes.load(home=unaudited, tools=[tool(noop)]) as unlogged,
            Hermes(tools=[tool(noop)]) as empty,
        ):
            names = {
                "logged": logged,
                "unlogged": unlogged,
                "empty": empty,
                "args": ARGS,
                "text": {**ARGS, "b": TEXT},
                "validate": Arguments.model_validate,
                "noop": noop,
            }
            for hermes in (logged, unlogged, empty):
                for _ in range(20):
                    hermes.call("noop", ARGS)
            best = statements(
                names,
                CALLS,
                model="model = validate(args); noop(model.a, model.b)",
                audit='logged.call("noop", args)',
                text='logged.call("noop", text)',
                off='unlogged.call("noop", args)',
                empty='empty.call("noop", args)',
            )
            assert (audited / "audit.jsonl").exists()
            assert not (unaudited / "audit.jsonl").exists()

    def row(what: str, side: str, limit: float | None) -> Row:
        return Row(what=what, against="model_validate and call", ours=best[side], baseline=best["model"], limit=limit)

    yield row("call with audit", "audit", 12.0)
    yield row("call with audit, a text of 60 characters", "text", 25.0)
    yield row("call with audit turned off", "off", None)
    yield row("call of an empty host", "empty", 4.0)
