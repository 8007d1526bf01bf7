"""A hint for calls that were denied because no one was there to approve them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from shlex import quote

from hermes_core import CallRecord

_MAX_CHARS = 2_000
"""No one copies a longer command."""


def explain_grants(record: CallRecord) -> list[str]:
    """Return the commands that store a grant for each rule that asked, for exactly this call."""
    call, decision = record.call, record.decision
    rules = dict.fromkeys(each.rule for each in decision.findings if each.severity == "ask") if decision else ()
    words = [*(("--source", call.source) if call.source else ()), *_argument_words(call.args)]
    lines = [" ".join(map(quote, ("hermes", "approvals", "add", call.name, rule, *words))) for rule in rules]
    if all(line.isprintable() and len(line) <= _MAX_CHARS for line in lines):
        return ["To allow it permanently:", *(f"  {line}" for line in lines)]
    return ["'hermes approvals add --help' explains how to allow it permanently."]


def _argument_words(args: Mapping[str, object]) -> Iterator[str]:
    for name, value in args.items():
        if isinstance(value, str) and value.isprintable():
            yield from ("--arg", f"{name}={value}")
        else:
            yield from ("--arg-json", f"{name}={json.dumps(value, default=str)}")
