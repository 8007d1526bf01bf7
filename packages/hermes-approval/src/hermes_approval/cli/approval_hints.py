"""Says how to allow a call for good that was denied because no person was there to approve it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from shlex import quote

from hermes_core import CallRecord

_MAX_CHARS = 2_000
"""Nobody copies a command that is longer."""


def explain_grants(record: CallRecord) -> list[str]:
    """Return the commands that store a grant for each rule that asked, for exactly this call."""
    call, decision = record.call, record.decision
    rules = dict.fromkeys(each.rule for each in decision.findings if each.severity == "ask") if decision else ()
    words = [*(("--source", call.source) if call.source else ()), *_argument_words(call.args)]
    lines = [" ".join(map(quote, ("hermes", "approvals", "add", call.name, rule, *words))) for rule in rules]
    if all(line.isprintable() and len(line) <= _MAX_CHARS for line in lines):
        return ["This allows it for good:", *(f"  {line}" for line in lines)]
    return ["'hermes approvals add --help' says how to allow it for good."]


def _argument_words(args: Mapping[str, object]) -> Iterator[str]:
    for name, value in args.items():
        if isinstance(value, str) and value.isprintable():
            yield from ("--arg", f"{name}={value}")
        else:
            yield from ("--arg-json", f"{name}={json.dumps(value, default=str)}")
