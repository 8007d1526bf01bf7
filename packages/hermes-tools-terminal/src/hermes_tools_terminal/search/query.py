"""Search requests of callers, queries for engines, and the engine protocol."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from hermes_tools_terminal.search.globs import GlobError, anywhere, compile_glob
from hermes_tools_terminal.search.matches import Record
from hermes_tools_terminal.search.pattern import Node, PatternError, read_literal, read_pattern


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A search, as an engine gets it.

    Attributes:
        root: The absolute real path of the searched directory.
        file: The only file to search, whatever ignore files say; None for all.
        pattern: What lines must match; None when files are searched by name.
        globs: Alternatives for the path of a file; empty for all files. An engine may ignore them.
        hidden: Whether to include names that start with a dot.
        context: How many lines of context around each match.
    """

    root: str
    file: bytes | None
    pattern: Node | None
    globs: tuple[str, ...]
    hidden: bool
    context: int


class Engine(Protocol):
    """A search program."""

    name: str

    def counts(self) -> Iterator[tuple[bytes, int]]:
        """Yield the files with matching lines, as paths relative to the root, and their number; in any order."""

    def names(self) -> Iterator[tuple[bytes, int | None]]:
        """Yield all files, and their modification times in nanoseconds where known; in any order."""

    def lines(self, files: Sequence[bytes], limit: int, skip: int = 0) -> Iterator[Record]:
        """Yield up to `limit` matching lines of each file with their context, in order; `skip` applies to a
        single file.
        """


Mode = Literal["content", "files_only", "count"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A search, as a caller requests it.

    Attributes:
        pattern: A regular expression, or a glob when files are searched by name.
        names: Whether to search files by name instead of by content.
        mode: How to report matching lines.
        glob: Which files to search; empty for all. A leading `!` excludes files.
        limit: The maximum number of results.
        offset: How many results to skip.
        context: How many lines of context around each match.
        ignore_case: Whether to ignore case.
        literal: Whether the pattern is a literal text.
        hidden: Whether to include names that start with a dot.
        newest_first: Whether to sort files by modification time instead of by path.
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
        """Return what lines must match; None when files are searched by name.

        Raises:
            PatternError: the pattern is invalid.
        """
        if self.names:
            return None
        read = read_literal if self.literal else read_pattern
        return read(self.pattern, ignore_case=self.ignore_case)

    def filters(self) -> list[Filter]:
        """Return what the paths of files must match. Raise `PatternError` if a glob is invalid."""
        found = [Filter.of(self.glob, False)] if self.glob else []
        if self.names:
            found.append(Filter.of(_as_glob(self.pattern, self.literal), self.ignore_case))
        return found


@dataclass(frozen=True, slots=True)
class Filter:
    """A glob, without `!`, that paths must match, or must not."""

    glob: str
    excludes: bool
    ignore_case: bool

    @staticmethod
    def of(text: str, ignore_case: bool) -> Filter:
        """Parse a glob of a request. Raise `PatternError` if it is invalid."""
        excludes = text.startswith("!")
        made = Filter(text[1:] if excludes else text, excludes, ignore_case)
        try:
            compile_glob(anywhere(made.glob))
        except GlobError as error:
            raise PatternError(f"The glob {text!r} is invalid: {error}", 0, "Put a \\ before the character.") from error
        return made

    def select(self, paths: list[bytes]) -> set[bytes]:
        """Return the paths that pass."""
        matches = compile_glob(anywhere(self.glob), self.ignore_case).match
        return {path for path in paths if (matches(path) is None) == self.excludes}


def _as_glob(pattern: str, literal: bool) -> str:
    """Return a pattern of names as a glob; a plain text matches anywhere in a name."""
    if literal or not any(sign in pattern for sign in "*?[{\\!"):
        plain = "".join(f"\\{each}" if each in "*?[]{}\\!," else each for each in pattern)
        return f"**/*{plain.strip('/')}*"
    return pattern
