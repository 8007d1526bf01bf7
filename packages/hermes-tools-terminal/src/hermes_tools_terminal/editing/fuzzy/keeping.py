"""What an edit leaves alone stays as the file has it, however it was quoted; what it removes must have been named."""

from __future__ import annotations

from typing import Final

from hermes_tools_terminal.editing.align import same_lines
from hermes_tools_terminal.editing.fuzzy.likeness import LineLikeness

ALIKE: Final = 0.5
"""How much a line that is changed must be like the one that was quoted: below, somebody else's line would be lost."""


class UnnamedError(Exception):
    """Raised when an edit would take a line away that is nothing like what was quoted."""


def with_kept_lines(old: str, region: str, new: str, fresh: str, *, guessed: bool) -> str:
    """What stands in a region afterwards: lines that are in both the quote and the new text are the file's own.

    Args:
        old: The quote.
        region: What it was found to mean.
        new: What shall stand there, written like the quote.
        fresh: The same with the file's indent.
        guessed: Whether the region is only similar to the quote.

    Raises:
        UnnamedError: a line that is not kept is unlike the quoted one.
    """
    quoted, there, lines = old.split("\n"), region.split("\n"), fresh.split("\n")
    if len(quoted) == len(there) + 1 and not quoted[-1]:
        quoted.pop()  # the file's last line has no end
    if len(quoted) != len(there):
        return fresh
    kept: set[int] = set()
    for start, other, size in same_lines(quoted, new.split("\n")):
        lines[other : other + size] = there[start : start + size]
        kept.update(range(start, start + size))
    if guessed:
        _require_named([(quoted[at], there[at]) for at in range(len(quoted)) if at not in kept])
    return "\n".join(lines)


def _require_named(changed: list[tuple[str, str]]) -> None:
    for quoted, there in changed:
        line, other = quoted.strip(), there.strip()
        if other and line != other and (not line or LineLikeness(line).of(other) < ALIKE):
            raise UnnamedError
