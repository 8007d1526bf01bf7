"""What is searched for, as every engine is told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from hermes_tools_terminal.searching.pattern import Node
from hermes_tools_terminal.searching.records import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """One search.

    Attributes:
        root: The searched folder, absolute and without links.
        file: The one file in it that is searched, whatever is said of it elsewhere; None for all.
        pattern: What lines have to match; None when files are looked for by their names.
        globs: Of which one has to match a file's path; all files do when there is none. An engine need not heed them.
        hidden: Whether names that begin with a dot are let in.
        context: How many lines around each that matches.
    """

    root: str
    file: bytes | None
    pattern: Node | None
    globs: tuple[str, ...]
    hidden: bool
    context: int


class Engine(Protocol):
    """A program that searches.

    Attributes:
        name: What it is called.
    """

    name: str

    def counts(self) -> Iterator[tuple[bytes, int]]:
        """The files with lines that match, as paths from the root on, and how many; in any order."""

    def names(self) -> Iterator[tuple[bytes, int | None]]:
        """All files, and when each was changed, in nanoseconds, where that is known; in any order."""

    def lines(self, files: Sequence[bytes], most: int, skip: int = 0) -> Iterator[Record]:
        """Lines of some files, those around them included; a file's own in their order.

        Args:
            files: Their paths.
            most: How many lines that match are wanted of each at most.
            skip: How many lines are passed over; for a single file.
        """
