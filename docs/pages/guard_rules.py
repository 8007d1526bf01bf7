"""Every rule of the guard, with its reason and examples."""

from __future__ import annotations

from itertools import groupby

from docs.pages.pieces import table

from hermes_guard import Guard
from hermes_guard.catalogue import Entry, catalogue
from hermes_guard.cli.output import visible

_LONGEST = 70


def page() -> str:
    """The rules, family by family."""
    entries = sorted(catalogue(Guard()), key=lambda entry: (entry.family, entry.id))
    refused = sum(entry.severity == "refuse" for entry in entries)
    sections = [
        "# Rules of the guard\n\n"
        f"The {len(entries)} ids that a finding of [`hermes-guard`](../how-to/guard-commands.md) can carry; {refused} "
        "of them refuse, the others ask. Ids are stable: an approval can be bound to them. Words in braces are filled "
        "in. A rule that refuses asks instead where the command runs in a container made for it, or where its name is "
        "a guess.",
        "`hermes-guard rules` prints the same, with every example.",
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
