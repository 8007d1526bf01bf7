"""What is searched for, as every engine is told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from hermes_tools_terminal.search.globs import GlobError, anywhere, compile_glob
from hermes_tools_terminal.search.matches import Record
from hermes_tools_terminal.search.pattern import Node, PatternError, read_literal, read_pattern


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


Mode = Literal["content", "files_only", "count"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One search, as somebody asks for it.

    Attributes:
        pattern: An expression, or a glob when files are looked for.
        names: Whether files are looked for by their names, and not lines in them.
        mode: What is told about lines that match.
        glob: Which files are searched; all when it is empty. With `!` before it, which are not.
        limit: How many results at most.
        offset: How many are passed over.
        context: How many lines around each.
        ignore_case: Whether case does not matter.
        literal: Whether the pattern stands for nothing but itself.
        hidden: Whether names that begin with a dot are let in.
        newest_first: Whether files are sorted by when they were changed; by their paths otherwise.
    """

    pattern: str
    names: bool = False
    mode: Mode = "content"
    glob: str = ""
    limit: int = 50
    offset: int = 0
    context: int = 0
    ignore_case: bool = False
    literal: bool = False
    hidden: bool = False
    newest_first: bool = False

    def node(self) -> Node | None:
        """What lines have to match; None when files are looked for.

        Raises:
            PatternError: the pattern cannot be searched for.
        """
        if self.names:
            return None
        read = read_literal if self.literal else read_pattern
        return read(self.pattern, ignore_case=self.ignore_case)

    def filters(self) -> list[Filter]:
        """What the paths of files have to match.

        Raises:
            PatternError: a glob cannot be read.
        """
        found = [Filter.of(self.glob, False)] if self.glob else []
        if self.names:
            found.append(Filter.of(_as_glob(self.pattern, self.literal), self.ignore_case))
        return found


@dataclass(frozen=True, slots=True)
class Filter:
    """A glob that paths have to match, or must not.

    Attributes:
        glob: The glob, without its `!`.
        excludes: Whether what matches is left out.
        ignore_case: Whether case does not matter.
    """

    glob: str
    excludes: bool
    ignore_case: bool

    @staticmethod
    def of(text: str, ignore_case: bool) -> Filter:
        """A glob as it is written.

        Raises:
            PatternError: it cannot be read.
        """
        excludes = text.startswith("!")
        made = Filter(text[1:] if excludes else text, excludes, ignore_case)
        try:
            compile_glob(anywhere(made.glob))
        except GlobError as error:
            raise PatternError(
                f"The glob {text!r} cannot be read: {error}", 0, "Put a \\ before the character."
            ) from error
        return made

    def kept(self, paths: list[bytes]) -> set[bytes]:
        """Those of some paths that it lets through."""
        matches = compile_glob(anywhere(self.glob), self.ignore_case).match
        return {path for path in paths if (matches(path) is None) == self.excludes}


def _as_glob(pattern: str, literal: bool) -> str:
    """A pattern of names; one that is no glob is looked for anywhere in a name."""
    if literal or not any(sign in pattern for sign in "*?[{\\!"):
        plain = "".join(f"\\{each}" if each in "*?[]{}\\!," else each for each in pattern)
        return f"**/*{plain.strip('/')}*"
    return pattern
