"""The one reader of V4A patches: what a guard judges is what is applied."""

from __future__ import annotations

import posixpath
import re

from hermes_tools_terminal.editing.v4a.errors import PatchError, shown
from hermes_tools_terminal.editing.v4a.headers import HEADERS, Header, read_header
from hermes_tools_terminal.editing.v4a.patch import Add, Delete, Hunk, Move, Operation, Patch, Update
from hermes_tools_terminal.editing.v4a.wrapping import unpadded, unwrapped

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
