"""The way of most patches: a few hunks whose lines are in the file just once."""

from __future__ import annotations

from collections.abc import Sequence

from hermes_tools_terminal.editing.fuzzy.applied import covers
from hermes_tools_terminal.editing.v4a.patch import Hunk

_MOST_HUNKS = 24
"""With more of them it is quicker to sort the lines of the file first than to go through it for each."""


def quickly(text: str, hunks: Sequence[Hunk]) -> str | None:
    """Return the text after the hunks; None unless each fits one place, none touches another and none is in place.

    Args:
        text: The text.
        hunks: The hunks.
    """
    if not text or len(hunks) > _MOST_HUNKS or any(hunk.at_end for hunk in hunks):
        return None
    ends = text.endswith("\n")
    framed = f"\n{text}" if ends else f"\n{text}\n"
    edits = []
    for hunk in hunks:
        place = _only_place(framed, hunk.old)
        if place is None:
            return None
        new = "".join(f"{line}\n" for line in hunk.new)
        ends_so = framed.endswith(new.rstrip("\n") + "\n")  # a blank line at its end may be the end of the file
        if framed[slice(*place)] in new and (ends_so or covers(framed, new, place)):
            return None
        edits.append((*place, new))
    edits.sort()
    parts, at = [], 1
    for start, end, new in edits:
        if start < at:
            return None
        parts += [framed[at:start], new]
        at = end
    changed = "".join([*parts, framed[at:]])
    return changed if ends else changed.removesuffix("\n")


def _only_place(framed: str, old: list[str]) -> tuple[int, int] | None:
    if not old:
        return None
    wanted = "\n" + "\n".join(old) + "\n"
    at = framed.find(wanted)
    if at < 0 or framed.find(wanted, at + 1) >= 0:
        return None
    return at + 1, at + len(wanted)
