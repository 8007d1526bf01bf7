"""Parse V4A patches. There is one parser, so the guard judges exactly what is applied."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass

from hermes_tools_terminal.editing.v4a.patch import Add, Delete, Hunk, Move, Operation, Patch, PatchError, Update, shown

_FENCE = re.compile(r"(`{3,}|~{3,})[^`~]*")
_HERE = re.compile(r"(?:apply_patch[ \t]*)?<<-?[ \t]*(['\"]?)(\w+)\1")


def unwrapped(lines: list[str]) -> tuple[int, int]:
    """Where the patch itself begins and ends among the lines of a text."""
    first, end = _first(lines, 0, len(lines)), len(lines)
    for _ in range(2):  # one in the other
        closing = _closing(lines[first].strip()) if first < end else None
        if closing is None:
            break
        last = _last(lines, first, end)
        if last > first and lines[last].strip() == closing:
            end = last
        first = _first(lines, first + 1, end)
    return first, end


def unpadded(lines: list[str], first: int, end: int) -> list[str]:
    """Return the lines of a text without the indent that a whole patch has, and without blanks around its markers.

    Args:
        lines: The lines.
        first: Where the patch begins.
        end: Where it ends.
    """
    if first >= end or not lines[first].lstrip().startswith("***"):
        return lines
    indent = lines[first][: len(lines[first]) - len(lines[first].lstrip())]
    body = lines[first:end]
    if indent and all(line.startswith(indent) or not line.strip() for line in body):
        body = [line[len(indent) :] for line in body]
    last = _last(body, 0, len(body))
    for index in {0, last}:
        if body[index].lstrip().startswith(("*** Begin Patch", "*** End Patch")):
            body[index] = body[index].strip()
    return [*lines[:first], *body, *lines[end:]]


def _closing(opening: str) -> str | None:
    """The last line that belongs to such a first one."""
    if fence := _FENCE.fullmatch(opening):
        return fence[1]
    if here := _HERE.fullmatch(opening):
        return here[2]
    return None


def _first(lines: list[str], first: int, end: int) -> int:
    while first < end and not lines[first].strip():
        first += 1
    return first


def _last(lines: list[str], first: int, end: int) -> int:
    """The last line that is not blank. What is blank behind it stays: it may be context."""
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


_RANGES = re.compile(r"@@[ \t]*-\d+(?:,\d+)?[ \t]+\+\d+(?:,\d+)?[ \t]*@@")
_NO_NEWLINE = re.compile(r"\\ ?no newline", re.IGNORECASE)


def parse(text: str) -> Patch:
    """Read a patch.

    Code fences around it, line ends of Windows, a missing begin or end, an indent of the whole patch and blanks around
    its markers do no harm. Anything else that cannot be read is an error; nothing is skipped.

    Args:
        text: The patch.

    Raises:
        PatchError: it cannot be read, is empty, or contradicts itself.
    """
    operations = _Reader(text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")).operations()
    if not operations:
        raise PatchError(f"it is empty. Put at least one operation into it: {HEADERS}.")
    _contradictions(operations)
    return Patch(tuple(operations))


class _Reader:
    """Goes through the lines of a patch once."""

    def __init__(self, lines: list[str]) -> None:
        self._at, self._end = unwrapped(lines)
        self._lines = unpadded(lines, self._at, self._end)

    def operations(self) -> list[Operation]:
        """All of them."""
        found: list[Operation] = []
        begun = ended = False
        while (header := self._next_header(ended=ended)) is not None:
            if header.word == "Begin Patch":
                if begun or (found and not ended):
                    raise header.error("the patch has begun before; end it first with `*** End Patch`.")
                begun, ended = True, False
            elif header.word == "End Patch":
                begun, ended = False, True
            elif ended:
                raise header.error("the patch has ended before; put `*** End Patch` behind the last operation.")
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
                    "it belongs right under `*** Update File: path`. To move a file as it is, use Move File."
                )
        raise header.error("it belongs under the last lines of an `*** Update File: path`.")

    def _update(self, header: Header) -> Update:
        path, move_to = header.path(), None
        self._skip_empty()
        following = self._header()
        if following is not None and following.word == "Move to":
            move_to = _another(path, following.path(), following)
            self._at += 1
        hunks = self._hunks()
        if not hunks and move_to is None:
            raise header.error("it has no hunk. Put `@@` and lines that begin with a blank, `-` or `+` under it.")
        return Update(path, tuple(hunks), move_to, header.line)

    def _hunks(self) -> list[Hunk]:
        hunks: list[Hunk] = []
        self._skip_empty()
        while self._at < self._end and self._header() is None:
            if hunks and hunks[-1].at_end and not self._lines[self._at].startswith("@@"):
                raise self._error("nothing of a hunk can follow `*** End of File`. Begin another hunk with `@@`.")
            hunks.append(self._hunk())
            self._skip_empty()
        return hunks

    def _hunk(self) -> Hunk:
        first = self._at + 1
        hints = self._hints()
        lines = self._body()
        at_end = (header := self._header()) is not None and header.word == "End of File"
        if not lines:
            raise PatchError("This hunk has no lines that begin with a blank, `-` or `+`.", line=first)
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
        if ranges := _RANGES.match(line):  # as other diffs have them; what follows is where it is
            line = "@@ " + line[ranges.end() :]
        if line[2:3] not in {"", " ", "\t"} and not (line.endswith("@@") and len(line) > 4):
            raise self._error(
                "`@@` needs a blank behind it when a hint follows. A line of the file that begins with `@@` needs "
                "a blank, `-` or `+` before it."
            )
        return [hint for part in line.removesuffix("@@")[2:].split(" @@ ") if (hint := part.strip())]

    def _body(self) -> list[str]:
        """The lines of a hunk, each with its sign; blank ones at its end only part it from what follows."""
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
        """The lines of a new file; blank ones between them may have lost their `+`."""
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
                raise self._error(f"every line of an added file begins with `+`; this one is `{shown(line)}`.")
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
            where = (
                "Nothing may follow `*** End Patch`" if ended else f"An operation is expected here, that is {HEADERS}"
            )
            raise self._error(f"{where}; this line is `{shown(self._lines[self._at])}`.")
        self._at += 1
        return header

    def _header(self) -> Header | None:
        return read_header(self._lines[self._at], self._at + 1) if self._at < self._end else None

    def _skip_blanks(self) -> None:
        while self._at < self._end and not self._lines[self._at].strip():
            self._at += 1

    def _skip_empty(self) -> None:
        """Go on to a line that is not empty; one of blanks may be context."""
        while self._at < self._end and not self._lines[self._at]:
            self._at += 1

    def _error(self, reason: str) -> PatchError:
        return PatchError(reason, line=self._at + 1)


def _another(path: str, target: str, header: Header) -> str:
    if posixpath.normpath(path) == posixpath.normpath(target):
        raise header.error("the file has that name already.")
    return target


def _contradictions(operations: list[Operation]) -> None:
    """Refuse operations that the ones before them have made impossible, whatever is on the disk."""
    there: dict[str, int] = {}
    gone: dict[str, int] = {}

    def use(path: str, operation: Operation) -> None:
        if (line := gone.get(posixpath.normpath(path))) is not None:
            raise _contradiction(
                operation, path, f"line {line} of the patch removes that file or gives it another name."
            )
        there[posixpath.normpath(path)] = operation.line

    def take(path: str, operation: Operation) -> None:
        if (line := there.get(posixpath.normpath(path))) is not None:
            raise _contradiction(
                operation, path, f"there is a file of that name already, see line {line} of the patch."
            )
        there[posixpath.normpath(path)] = operation.line
        gone.pop(posixpath.normpath(path), None)

    def drop(path: str, operation: Operation) -> None:
        there.pop(posixpath.normpath(path), None)
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
