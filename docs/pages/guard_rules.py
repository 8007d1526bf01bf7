"""Every rule of the guard, with its reason and examples."""

from __future__ import annotations

from itertools import groupby

from docs.pages.pieces import table

from hermes_guard import Guard
from hermes_guard.catalogue import Entry, catalogue
from hermes_guard.cli.output import visible

_LONGEST = 70


def page() -> str:
    """Generate the page."""
    entries = sorted(catalogue(Guard()), key=lambda entry: (entry.family, entry.id))
    refused = sum(entry.severity == "refuse" for entry in entries)
    sections = [
        "# Rules of the guard\n\n"
        f"A finding of [`hermes-guard`](../how-to/guard-commands.md) has one of {len(entries)} rule ids; {refused} of "
        "these rules refuse, the others ask. Ids are stable, so approvals can refer to them. Words in braces are "
        "placeholders. A rule that refuses asks instead if the command runs in a container that it starts itself, or "
        "if the name of the program is a guess.",
        "`hermes-guard rules` prints all rules with all examples.",
    ]
    for family, group in groupby(entries, lambda entry: entry.family):
        sections += [f"## {family}", table(["rule", "severity", "reason", "example"], map(_row, group))]
    return "\n\n".join(sections)


def _row(entry: Entry) -> tuple[str, str, str, str]:
    ops = f"{'/'.join(entry.ops)} " if entry.ops else ""
    examples = [
        f"`{ops}{visible(example)}`" for example in entry.match if len(example) <= _LONGEST and "`" not in example
    ]
    return f"`{entry.id}`", entry.severity, visible(entry.reason), examples[0] if examples else ""
