"""Finds where quoted and nested constructs end, in linear time."""

import re

from hermes_guard.shell.escapes import unescape

_STOPS = re.compile(r"[\\'\"`$(){}#]|<<(?!<)|(?<![\w./-])(?:case|esac)(?![\w./-])")
#: The same inside of double quotes and of backticks, where the rest means nothing.
_STOPS_INSIDE = {'"': re.compile(r"[\\\"`$]"), "`": re.compile(r"[\\`]")}
_PLAIN = re.compile(r"'[^']*'|\"[^\"\\`$]*\"")
#: What stands before a word that starts a command.
_BEFORE = re.compile(r"(?:^|[;|&(){\n!]|(?:^|[\s;])(?:do|then|else|time))[ \t]*\Z")


HEREDOC = re.compile(r"<<(-?)[ \t]*((?:'[^'\n]*'|\"[^\"\n]*\"|\\.|[^\s;&|<>()'\"\\])+)")
_NAME_PIECE = re.compile(r"\$?'([^'\n]*)'|\$?\"((?:[^\"\\\n]|\\.)*)\"|\\(.)")
#: Here-documents inside of one construct.
_MOST_HEREDOCS = 32


class UnclosedError(ValueError):
    """Raised when a quote or bracket has no end."""


def closing(text: str, start: int) -> int:
    """The index after the construct that opens at `start`: a quote, a backtick, `$(`, `${`, `(` or `{`."""
    plain = _PLAIN.match(text, start)
    if plain:
        return plain.end()
    stack: list[str] = []
    index = start
    size = len(text)
    quotes = heredocs = 0
    while True:
        if stack:
            found = _STOPS_INSIDE.get(stack[-1], _STOPS).search(text, index)
            if found is None:
                raise UnclosedError(text[start : start + 20])
            index = found.start()
        char = text[index]
        mode = stack[-1] if stack else ""
        if char == "<":
            if mode == ")" and heredocs < _MOST_HEREDOCS:
                text = _without_body(text, index)
                heredocs += 1
            index += 2
            continue
        if char == "\\":
            index += 2
        elif char == "'":
            if quotes and mode == "}":
                index += 1
            else:
                end = text.find("'", index + 1)
                if end < 0:
                    raise UnclosedError(text[start : start + 20])
                index = end + 1
        elif char in '"`':
            index += 1
            if mode == char:
                stack.pop()
                quotes -= char == '"'
            else:
                stack.append(char)
                quotes += char == '"'
        elif char == "$":
            following = text[index + 1 : index + 2]
            if following == "'" and mode != '"' and not (quotes and mode == "}"):
                index = ansi_end(text, index + 2)
            elif following and following in "({":
                stack.append(")" if following == "(" else "}")
                index += 2
            else:
                index += 1
        elif char == "c":
            if mode in {")", "esac"} and _BEFORE.search(text[max(start, index - 24) : index]):
                stack.append("esac")
            index += 4
        elif char == "e":
            if mode == "esac":
                stack.pop()
            index += 4
        elif char == "(":
            if mode in {")", "", "esac"}:
                stack.append(")")
            index += 1
        elif char == "{":
            if mode == "":
                stack.append("}")
            index += 1
        elif char == mode:
            stack.pop()
            index += 1
        elif char == "#" and mode in {")", "esac"} and text[index - 1] in " \t\n;&|(":
            end = text.find("\n", index)
            index = size if end < 0 else end
        else:
            index += 1
        if not stack:
            return index
        if index >= size:
            raise UnclosedError(text[start : start + 20])


def heredoc_name(written: str) -> str:
    """The line that ends a here-document, from how its beginning is written."""
    return _NAME_PIECE.sub(_unquoted, written)


def _unquoted(piece: "re.Match[str]") -> str:
    """A part of a here-document's name without its quotes."""
    single, double, escaped = piece.groups()
    if single is not None:
        return unescape(single) if piece.group()[0] == "$" else single
    return escaped if double is None else re.sub(r"\\([\"\\$`])", r"\1", double)


def _without_body(text: str, index: int) -> str:
    """The text with blanks for the body of the here-document that is announced here: it is no shell code."""
    found = HEREDOC.match(text, index)
    line = text.find("\n", index) if found else -1
    if found is None or line < 0:
        return text
    name = re.escape(heredoc_name(found.group(2)))
    end = re.compile(rf"^\t*{name}$", re.MULTILINE).search(text, line + 1)
    if end is None:
        return text
    return text[: line + 1] + " " * (end.end() - line - 1) + text[end.end() :]


def ansi_end(text: str, index: int) -> int:
    """The index after the closing quote of `$'...'`, from inside it."""
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
