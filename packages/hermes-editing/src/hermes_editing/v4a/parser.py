"""Parse V4A patches. There is one parser, so the guard judges exactly what is applied."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass

from hermes_editing.v4a.patch import (
    Add,
    Delete,
    Hunk,
    Move,
    Operation,
    Patch,
    PatchError,
    Update,
    shorten,
)

_FENCE = re.compile(r"(`{3,}|~{3,})[^`~]*")
_HEREDOC = re.compile(r"(?:apply_patch[ \t]*)?<<-?[ \t]*(['\"]?)(\w+)\1")


def unwrapped(lines: list[str]) -> tuple[int, int]:
    """Return where the patch begins and ends, without code fences or here-documents around it."""
    first, end = _first(lines, 0, len(lines)), len(lines)
    for _ in range(2):  # one inside the other
        closing = _closing(lines[first].strip()) if first < end else None
        if closing is None:
            break
        last = _last(lines, first, end)
        if last > first and lines[last].strip() == closing:
            end = last
        first = _first(lines, first + 1, end)
    return first, end


def unpadded(lines: list[str], first: int, end: int) -> list[str]:
    """Remove a common indentation, and the whitespace around begin and end markers."""
    if first >= end or not lines[first].lstrip().startswith("***"):
        return lines
    indent = lines[first][: len(lines[first]) - len(lines[first].lstrip())]
    body = lines[first:end]
    if indent and all(line.startswith(indent) or not line.strip() for line in body):
        body = [line[len(indent) :] for line in body]
    if body[0].lstrip().startswith("*** Begin Patch"):  # without it, an indented end marker may be context
        for index in {0, _last(body, 0, len(body))}:
            if body[index].lstrip().startswith(("*** Begin Patch", "*** End Patch")):
                body[index] = body[index].strip()
    return [*lines[:first], *body, *lines[end:]]


def _closing(opening: str) -> str | None:
    """Return the last line that corresponds to a first line of a wrapping."""
    if fence := _FENCE.fullmatch(opening):
        return fence[1]
    if heredoc := _HEREDOC.fullmatch(opening):
        return heredoc[2]
    return None


def _first(lines: list[str], first: int, end: int) -> int:
    while first < end and not lines[first].strip():
        first += 1
    return first


def _last(lines: list[str], first: int, end: int) -> int:
    """Return the last line that is not blank; blank lines after it may be context."""
    while end > first and not lines[end - 1].strip():
        end -= 1
    return end - 1


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
    """A line that begins with three asterisks: a word such as `Update File`, and what follows the colon."""

    word: str
    rest: str
    line: int

    def path(self) -> str:
        """Return its path. Raise `PatchError` if the path is missing or not allowed."""
        return checked_path(self.rest, self)

    def move(self) -> tuple[str, str]:
        """Return its two paths. Raise `PatchError` if there are not two."""
        names = self.rest.split(" -> ")
        if len(names) == 1:
            names = self.rest.split("->")
        if len(names) != 2 or not all(name.strip() for name in names):
            raise self.error("it must contain the old and the new name: `*** Move File: old -> new`.")
        return checked_path(names[0], self), checked_path(names[1], self)

    def error(self, reason: str) -> PatchError:
        """Create an error about the header."""
        return PatchError(reason, line=self.line, operation=self.word, path=self.rest)


def read_header(line: str, number: int) -> Header | None:
    """Parse a line as a header; None if it is not one. Raise `PatchError` if it resembles a header but is invalid."""
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
    """Validate the path of a header. Raise `PatchError` if the path is not allowed."""
    path = text.strip()
    if not path:
        raise header.error("a path is missing after the colon.")
    if _CONTROL.search(path):
        raise header.error("the path contains a control character, which is not allowed in a patch.")
    if ".." in re.split(r"[/\\]", path):
        raise header.error(
            "the path must not contain `..`; use a path relative to the working directory, or an absolute one."
        )
    if path.endswith("/") or posixpath.basename(path) in {".", "~"}:
        raise header.error("the path is a directory; a patch changes files.")
    try:
        path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise header.error("the path contains an invalid character.") from None
    return path


def _unreadable(line: str, number: int) -> PatchError:
    return PatchError(
        f"`{shorten(line)}` is not a valid header. Headers are {HEADERS}, exactly as written here; a line of "
        "a file that begins with asterisks needs a space, `-` or `+` before it.",
        line=number,
    )


_RANGES = re.compile(r"@@[ \t]*-\d+(?:,\d+)?[ \t]+\+\d+(?:,\d+)?[ \t]*@@")
_NO_NEWLINE = re.compile(r"\\ ?no newline", re.IGNORECASE)


def parse(text: str) -> Patch:
    """Parse a patch.

    Code fences, Windows line endings, a missing begin or end marker, a common indentation and whitespace around markers
    are tolerated. Anything else that is invalid is an error; nothing is skipped.

    Raises:
        PatchError: It is invalid, empty or contradictory.
    """
    operations = _Reader(text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")).operations()
    if not operations:
        raise PatchError(f"it is empty. Add at least one operation: {HEADERS}.")
    _contradictions(operations)
    return Patch(tuple(operations))


class _Reader:
    """Parses the lines of a patch in one pass."""

    def __init__(self, lines: list[str]) -> None:
        self._at, self._end = unwrapped(lines)
        self._lines = unpadded(lines, self._at, self._end)

    def operations(self) -> list[Operation]:
        """Return all operations."""
        found: list[Operation] = []
        begun = ended = False
        while (header := self._next_header(ended=ended)) is not None:
            if header.word == "Begin Patch":
                if begun or (found and not ended):
                    raise header.error("the patch has already begun; end it first with `*** End Patch`.")
                begun, ended = True, False
            elif header.word == "End Patch":
                begun, ended = False, True
            elif ended:
                raise header.error("the patch has already ended; put `*** End Patch` after the last operation.")
            else:
                found.append(self._operation(header))
        return found

    def _operation(self, header: Header) -> Operation:
        match header.word:
            case "Update File":
                return self._update(header)
            case "Add File":
                return Add(header.path(), self._content(), header.line)
            case "Delete File":
                return Delete(header.path(), header.line)
            case "Move File":
                path, target = header.move()
                return Move(path, _another(path, target, header), header.line)
            case "Move to":
                raise header.error(
                    "it must directly follow `*** Update File: path`. To move a file unchanged, use Move File."
                )
        raise header.error("it must follow the last lines of an `*** Update File: path`.")

    def _update(self, header: Header) -> Update:
        path, move_to = header.path(), None
        self._skip_empty()
        following = self._header()
        if following is not None and following.word == "Move to":
            move_to = _another(path, following.path(), following)
            self._at += 1
        hunks = self._hunks()
        if not hunks and move_to is None:
            raise header.error("it has no hunk. Add `@@` and lines that begin with a space, `-` or `+`.")
        return Update(path, tuple(hunks), move_to, header.line)

    def _hunks(self) -> list[Hunk]:
        hunks: list[Hunk] = []
        self._skip_empty()
        while self._at < self._end and self._header() is None:
            if hunks and hunks[-1].at_end and not self._lines[self._at].startswith("@@"):
                raise self._error("a hunk cannot continue after `*** End of File`. Begin another hunk with `@@`.")
            hunks.append(self._hunk())
            self._skip_empty()
        return hunks

    def _hunk(self) -> Hunk:
        first = self._at + 1
        hints = self._hints()
        lines = self._body()
        at_end = (header := self._header()) is not None and header.word == "End of File"
        if not lines:
            raise PatchError("This hunk has no lines that begin with a space, `-` or `+`.", line=first)
        if at_end:
            self._at += 1
        return Hunk(tuple(hints), tuple(lines), at_end, first)

    def _hints(self) -> list[str]:
        hints: list[str] = []
        while self._at < self._end and (line := self._lines[self._at]).startswith("@@"):
            hints += self._hints_of(line)
            self._at += 1
        return hints

    def _hints_of(self, line: str) -> list[str]:
        line = line.strip()
        if ranges := _RANGES.match(line):  # line ranges of a unified diff; a hint may follow
            line = "@@ " + line[ranges.end() :]
        if line[2:3] not in {"", " ", "\t"} and not (line.endswith("@@") and len(line) > 4):
            raise self._error(
                "`@@` needs a space before a hint. A line of the file that begins with `@@` needs a space, `-` or `+` "
                "before it."
            )
        return [hint for part in line.removesuffix("@@")[2:].split(" @@ ") if (hint := part.strip())]

    def _body(self) -> list[str]:
        """Return the lines of a hunk with their signs; blank lines at its end are separators."""
        found: list[str] = []
        blanks = 0
        lines, at, end = self._lines, self._at, self._end
        while at < end:
            line = lines[at]
            sign = line[:1]
            if not sign:
                blanks += 1
                at += 1
                continue
            if sign not in " +-":
                if sign == "@" and line.startswith("@@"):
                    break
                if sign == "*" and read_header(line, at + 1) is not None:
                    break
                if sign == "\\" and _NO_NEWLINE.match(line):
                    at += 1
                    continue
                line = " " + line
            if blanks:
                found += [" "] * blanks
                blanks = 0
            found.append(line)
            at += 1
        self._at = at
        return found

    def _content(self) -> str:
        """Return the content of a new file; blank lines inside it may lack their `+`."""
        found: list[str] = []
        blanks = 0
        while self._at < self._end:
            line = self._lines[self._at]
            if line.startswith("+"):
                if blanks:
                    found += [""] * blanks
                    blanks = 0
                found.append(line[1:])
            elif not line or line.isspace():
                blanks += 1 if found else 0
            elif self._header() is not None:
                break
            elif not (_NO_NEWLINE.match(line) or (line.startswith("@@") and not found)):
                raise self._error(f"every line of an added file must begin with `+`; this line is `{shorten(line)}`.")
            self._at += 1
        if (header := self._header()) is not None and header.word == "End of File":
            self._at += 1
        return "".join(f"{line}\n" for line in found)

    def _next_header(self, *, ended: bool) -> Header | None:
        self._skip_blanks()
        if self._at >= self._end:
            return None
        header = self._header()
        if header is None:
            where = "Nothing may follow `*** End Patch`" if ended else f"Expected an operation here: {HEADERS}"
            raise self._error(f"{where}; this line is `{shorten(self._lines[self._at])}`.")
        self._at += 1
        return header

    def _header(self) -> Header | None:
        return read_header(self._lines[self._at], self._at + 1) if self._at < self._end else None

    def _skip_blanks(self) -> None:
        while self._at < self._end and not self._lines[self._at].strip():
            self._at += 1

    def _skip_empty(self) -> None:
        """Skip empty lines; a line of spaces may be context."""
        while self._at < self._end and not self._lines[self._at]:
            self._at += 1

    def _error(self, reason: str) -> PatchError:
        return PatchError(reason, line=self._at + 1)


def _another(path: str, target: str, header: Header) -> str:
    if posixpath.normpath(path) == posixpath.normpath(target):
        raise header.error("the old and new names are the same.")
    return target


def _contradictions(operations: list[Operation]) -> None:
    """Refuse operations that contradict earlier ones, regardless of the files."""
    used: dict[str, int] = {}
    gone: dict[str, int] = {}

    def use(path: str, operation: Operation) -> None:
        if (line := gone.get(posixpath.normpath(path))) is not None:
            raise _contradiction(operation, path, f"line {line} of the patch deletes or renames that file.")
        used[posixpath.normpath(path)] = operation.line

    def take(path: str, operation: Operation) -> None:
        if (line := used.get(posixpath.normpath(path))) is not None:
            raise _contradiction(operation, path, f"line {line} of the patch already uses a file with that name.")
        used[posixpath.normpath(path)] = operation.line
        gone.pop(posixpath.normpath(path), None)

    def drop(path: str, operation: Operation) -> None:
        used.pop(posixpath.normpath(path), None)
        gone[posixpath.normpath(path)] = operation.line

    for operation in operations:
        if isinstance(operation, Add):
            take(operation.path, operation)
            continue
        use(operation.path, operation)
        target = None if isinstance(operation, Delete) else operation.move_to
        if target is not None:
            take(target, operation)
        if target is not None or isinstance(operation, Delete):
            drop(operation.path, operation)


def _contradiction(operation: Operation, path: str, reason: str) -> PatchError:
    return PatchError(reason, line=operation.line, operation=type(operation).__name__ + " File", path=path)
