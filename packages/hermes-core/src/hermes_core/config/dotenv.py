"""`.env`: secrets and other variables, one `KEY=VALUE` a line, read as python-dotenv reads them."""

from __future__ import annotations

import re
import stat
from dataclasses import dataclass
from pathlib import Path

from hermes_core.config.texts import read_text
from hermes_core.errors import ConfigError
from hermes_core.logs import log

_HEAD = re.compile(r"[ \t]*(?:export[ \t]+)?(?P<name>[A-Za-z_][A-Za-z0-9_]*)[ \t]*=[ \t]*")
_DOUBLE = re.compile(r'"(?P<value>[^"\\]*+(?:\\.[^"\\]*+)*)"', re.DOTALL)
_SINGLE = re.compile(r"'(?P<value>[^'\\]*+(?:\\.[^'\\]*+)*)'", re.DOTALL)
_TAIL = re.compile(r"[ \t]*(?:#[^\n]*+)?(?:\r?\n|\Z)")
_BARE = re.compile(r"(?P<value>[^\n]*+)(?:\n|\Z)")
_IDLE = re.compile(r"[ \t]*(?:#[^\n]*+)?\r?(?:\n|\Z)")
_ESCAPES = {'"': re.compile(r"\\([\\'\"abfnrtv])"), "'": re.compile(r"\\([\\'])")}
_MEANINGS = dict(zip("abfnrtv", "\a\b\f\n\r\t\v", strict=True))
_EXAMPLE = "WEB_API_KEY=abc"


@dataclass(frozen=True, slots=True)
class Assignment:
    """One variable in the file: its value, its first line, and the span of its text."""

    name: str
    value: str
    line: int
    start: int
    end: int


def load_dotenv(path: Path) -> dict[str, str]:
    """The variables in a file; none when there is no such file. A later line wins over an earlier one.

    A file that others may read is worth a warning in the log.

    Raises:
        ConfigError: the file cannot be read, or a line is no assignment; its text is never quoted.
    """
    text = read_text(path)
    if text is None:
        return {}
    if others_may_read(path):
        log.warning("%s: other users may read it; run: chmod 600 %s", path, path)
    return {each.name: each.value for each in parse_dotenv(path, text)}


def others_may_read(path: Path) -> bool:
    """Whether somebody beside the owner may read or change a file."""
    try:
        return bool(stat.S_IMODE(path.stat().st_mode) & 0o077)
    except OSError:  # no file, no reader
        return False


def parse_dotenv(path: Path, text: str) -> list[Assignment]:
    """The assignments in a text, in their order.

    Raises:
        ConfigError: a line is no assignment.
    """
    found: list[Assignment] = []
    position, line = 0, 1
    while position < len(text):
        start, first = position, line
        idle = _IDLE.match(text, position)
        if idle is None:
            head = _HEAD.match(text, position)
            if head is None:
                raise _refused(path, line, "is not of the form KEY=VALUE.")
            value, position = _value(path, text, head, line)
            found.append(Assignment(head["name"], value, first, start, position))
        else:
            position = idle.end()
        line += text.count("\n", start, position)
    return found


def _value(path: Path, text: str, head: re.Match[str], line: int) -> tuple[str, int]:
    """The value behind a name, and where it ends."""
    quote = text[head.end() : head.end() + 1]
    if quote and quote in "\"'":
        match = (_DOUBLE if quote == '"' else _SINGLE).match(text, head.end())
        if match is None:
            raise _refused(path, line, f"{head['name']}: the quote {quote} is not closed.")
        tail = _TAIL.match(text, match.end())
        if tail is None:
            raise _refused(path, line, f"{head['name']}: something stands behind the closing quote.")
        value = match["value"].replace("\r\n", "\n")  # a break in the file, not one that was written as such
        return _ESCAPES[quote].sub(lambda found: _MEANINGS.get(found[1], found[1]), value), tail.end()
    match = _BARE.match(text, head.end())
    assert match is not None  # it matches the empty text
    # A value may begin with #, unless there is a blank before it.
    before = text[head.end() - 1]
    return re.split(r"[ \t]#", before + match["value"], maxsplit=1)[0][1:].strip(), match.end()


def _refused(path: Path, line: int, reason: str) -> ConfigError:
    return ConfigError(reason, file=str(path), line=line, example=_EXAMPLE)


def with_variable(path: Path, text: str, name: str, value: str) -> str:
    """The text with one variable set: in its place when it is there, at the end otherwise.

    Raises:
        ConfigError: the text is broken.
    """
    new = f"{name}={_quoted(value)}\n"
    there = [each for each in parse_dotenv(path, text) if each.name == name]
    if not there:
        return text + ("\n" if text and not text.endswith("\n") else "") + new
    last = there[-1]
    return without_variable(path, text[: last.start], name) + new + text[last.end :]


def without_variable(path: Path, text: str, name: str) -> str:
    """The text without a variable, however often it stands there.

    Raises:
        ConfigError: the text is broken.
    """
    for each in reversed(parse_dotenv(path, text)):
        if each.name == name:
            text = text[: each.start] + text[each.end :]
    return text


def _quoted(value: str) -> str:
    if re.fullmatch(r"[\w./:@%+=,~^-]*", value, re.ASCII):
        return value
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
    return f'"{escaped}"'
