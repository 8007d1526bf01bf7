"""The lines of a patch that begin with three stars, and the paths in them."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass

from hermes_tools_terminal.editing.v4a.errors import PatchError, shown

_HEADER = re.compile(
    r"\*\*\*[ \t]*(Begin Patch|End Patch|End of File|Update File|Add File|Delete File|Move File|Move to)[ \t]*(:?)"
)
_NEARLY = re.compile(
    r"\*{1,2}[ \t]*(begin patch|end patch|end of file|(update|add|delete|move) file\b|move to\b)", re.IGNORECASE
)
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_BARE = frozenset({"Begin Patch", "End Patch", "End of File"})

HEADERS = "`*** Update File: path`, `*** Add File: path`, `*** Delete File: path` or `*** Move File: old -> new`"


@dataclass(frozen=True, slots=True)
class Header:
    """One such line.

    Attributes:
        word: What it is, such as `Update File`.
        rest: What follows the colon.
        line: Its number.
    """

    word: str
    rest: str
    line: int

    def path(self) -> str:
        """The path that it names.

        Raises:
            PatchError: there is none, or none that may be used.
        """
        return checked_path(self.rest, self)

    def move(self) -> tuple[str, str]:
        """The two paths that it names.

        Raises:
            PatchError: there are not two.
        """
        names = self.rest.split(" -> ")
        if len(names) == 1:
            names = self.rest.split("->")
        if len(names) != 2 or not all(name.strip() for name in names):
            raise self.error("it must name the file and its new name once: `*** Move File: old -> new`.")
        return checked_path(names[0], self), checked_path(names[1], self)

    def error(self, reason: str) -> PatchError:
        """Why the line is refused."""
        return PatchError(reason, line=self.line, operation=self.word, path=self.rest)


def read_header(line: str, number: int) -> Header | None:
    """What a line says if it begins with stars; None when it is none of these lines.

    Args:
        line: The line.
        number: Its number.

    Raises:
        PatchError: it looks like one of them and is none.
    """
    if not line.startswith("*"):
        return None
    found = _HEADER.match(line)
    if found is None:
        if line.startswith("***") or _NEARLY.match(line):
            raise _unreadable(line, number)
        return None
    word, rest = found[1], line[found.end() :].strip()
    if word in _BARE:
        if rest:
            raise _unreadable(line, number)
    elif not found[2]:
        raise _unreadable(line, number)
    return Header(word, rest, number)


def checked_path(text: str, header: Header) -> str:
    """A path of a header, when it may be used.

    Raises:
        PatchError: it is none.
    """
    path = text.strip()
    if not path:
        raise header.error("a path is missing after the colon.")
    if _CONTROL.search(path):
        raise header.error("the path has a control character in it, which no file of a patch may have in its name.")
    if ".." in re.split(r"[/\\]", path):
        raise header.error(
            "the path may not have `..` in it; name the file from the working folder, or by its whole path."
        )
    if path.endswith("/") or posixpath.basename(path) in {".", "~"}:
        raise header.error("the path is that of a folder; a patch changes files.")
    try:
        path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise header.error("the path has a broken character in it, which no file can have in its name.") from None
    return path


def _unreadable(line: str, number: int) -> PatchError:
    return PatchError(
        f"`{shown(line)}` is no header that can be read. Headers are {HEADERS}, as they are written here; "
        "a line of a file that begins with stars needs a blank, `-` or `+` before it.",
        line=number,
    )
