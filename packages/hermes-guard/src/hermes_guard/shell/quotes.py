"""Finds the ends of quoted and nested constructs in linear time."""

from collections.abc import Callable

from hermes_guard import lazy_re as re
from hermes_guard.shell.heredocs import without_body

_STOPS = re.compile(r"[\\'\"`$(){}#]|<<(?!<)|(?<![\w./-])(?:case|esac)(?![\w./-])")
#: The same inside of double quotes and of backticks, where other characters have no meaning.
_STOPS_INSIDE = {'"': re.compile(r"[\\\"`$]"), "`": re.compile(r"[\\`]")}
_PLAIN = re.compile(r"'[^']*'|\"[^\"\\`$]*\"")
#: What may precede the first word of a command.
_BEFORE = re.compile(r"(?:^|[;|&(){\n!]|(?:^|[\s;])(?:do|then|else|time))[ \t]*\Z")


#: The maximum number of here-documents inside of one construct.
_MAX_HEREDOCS = 32


class UnclosedError(ValueError):
    """Raised when a quote or bracket is not closed."""


def closing(text: str, start: int) -> int:
    """Return the index after the construct that opens at `start`: a quote, a backtick, `$(`, `${`, `(` or `{`."""
    plain = _PLAIN.match(text, start)
    return plain.end() if plain else _Nest(text, start).end()


class _Nest:
    """Tracks nested constructs up to the end of the outermost."""

    __slots__ = ("heredocs", "index", "mode", "quotes", "stack", "start", "text")

    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self.start = self.index = start
        #: The end of each open construct; the last one determines the mode.
        self.stack: list[str] = []
        self.mode = ""
        #: The number of open double quotes, and of here-documents so far.
        self.quotes = self.heredocs = 0

    def end(self) -> int:
        """Return the index after the outermost construct."""
        size = len(self.text)
        _STEPS[self.text[self.index]](self)
        while self.stack:
            if self.index >= size:
                raise self.unclosed()
            found = _STOPS_INSIDE.get(self.mode, _STOPS).search(self.text, self.index)
            if found is None:
                raise self.unclosed()
            self.index = found.start()
            _STEPS[self.text[self.index]](self)
        return self.index

    def unclosed(self) -> UnclosedError:
        """Return the error for the innermost unclosed construct."""
        return UnclosedError(self.text[self.start : self.start + 20])

    def _push(self, end: str, length: int) -> None:
        self.stack.append(end)
        self.mode = end
        self.index += length

    def _pop(self) -> None:
        self.stack.pop()
        self.mode = self.stack[-1] if self.stack else ""

    def _heredoc(self) -> None:
        if self.mode == ")" and self.heredocs < _MAX_HEREDOCS:
            self.text = without_body(self.text, self.index)
            self.heredocs += 1
        self.index += 2

    def _escape(self) -> None:
        self.index += 2

    def _single(self) -> None:
        if self.quotes and self.mode == "}":
            self.index += 1
            return
        end = self.text.find("'", self.index + 1)
        if end < 0:
            raise self.unclosed()
        self.index = end + 1

    def _quote(self) -> None:
        """Process a double quote or a backtick, which also closes an open one."""
        char = self.text[self.index]
        ends = self.mode == char
        if char == '"':
            self.quotes += -1 if ends else 1
        if ends:
            self._pop()
            self.index += 1
        else:
            self._push(char, 1)

    def _dollar(self) -> None:
        following = self.text[self.index + 1 : self.index + 2]
        if following == "'" and self.mode != '"' and not (self.quotes and self.mode == "}"):
            self.index = ansi_end(self.text, self.index + 2)
        elif following and following in "({":
            self._push(")" if following == "(" else "}", 2)
        else:
            self.index += 1

    def _case(self) -> None:
        """Process the patterns of a `case`, whose parentheses only close."""
        before = self.text[max(self.start, self.index - 24) : self.index]
        if self.mode in {")", "esac"} and _BEFORE.search(before):
            self._push("esac", 4)
        else:
            self.index += 4

    def _esac(self) -> None:
        if self.mode == "esac":
            self._pop()
        self.index += 4

    def _open(self) -> None:
        if self.mode in {")", "", "esac"}:
            self._push(")", 1)
        else:
            self.index += 1

    def _open_brace(self) -> None:
        if self.mode == "":
            self._push("}", 1)
        else:
            self.index += 1

    def _close(self) -> None:
        if self.text[self.index] == self.mode:
            self._pop()
        self.index += 1

    def _comment(self) -> None:
        if self.mode in {")", "esac"} and self.text[self.index - 1] in " \t\n;&|(":
            end = self.text.find("\n", self.index)
            self.index = len(self.text) if end < 0 else end
        else:
            self.index += 1


#: The handler for each character at which the search stops.
_STEPS: dict[str, Callable[[_Nest], None]] = {
    "<": _Nest._heredoc,
    "\\": _Nest._escape,
    "'": _Nest._single,
    '"': _Nest._quote,
    "`": _Nest._quote,
    "$": _Nest._dollar,
    "c": _Nest._case,
    "e": _Nest._esac,
    "(": _Nest._open,
    ")": _Nest._close,
    "{": _Nest._open_brace,
    "}": _Nest._close,
    "#": _Nest._comment,
}


def ansi_end(text: str, index: int) -> int:
    """Return the index after the closing quote of `$'...'`, from inside it."""
    while True:
        end = text.find("'", index)
        if end < 0:
            raise UnclosedError(text[index : index + 20])
        slashes = end
        while slashes > index and text[slashes - 1] == "\\":
            slashes -= 1
        if (end - slashes) % 2 == 0:
            return end + 1
        index = end + 1


def block_end(text: str, index: int) -> int:
    """Return the index after `((...))` or `[[ ... ]]`; 0 when there is none."""
    if text.startswith("((", index):
        try:
            end = closing(text, index)
        except UnclosedError:
            return 0
        # `((a); b)` and `((a); (b))` are nested subshells, not arithmetic.
        return end if text[end - 2 : end] == "))" and closing(text, index + 1) == end - 1 else 0
    at = index + 2
    while at < len(text):
        char = text[at]
        if char == "]" and text.startswith("]]", at) and (text[at - 1].isspace() or text[at - 1] == ")"):
            return at + 2
        try:
            if text.startswith("$'", at):
                at = ansi_end(text, at + 2)
                continue
            if char in "'\"`" or text.startswith(("$(", "${"), at):
                at = closing(text, at)
                continue
        except UnclosedError:
            return 0
        at += 2 if char == "\\" else 1
    return 0
