"""Reads and edits `.env` files: one `KEY=VALUE` per line, in the syntax of python-dotenv."""

from __future__ import annotations

import re
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from hermes_files import FileError
from hermes_files.text_file import read_text

_TAIL = r"[ \t]*(?:\#[^\n]*+)?(?:\r?\n|\Z)"
_LINE = re.compile(
    rf"""[ \t]*(?:export[ \t]+)?(?P<name>[A-Za-z_][A-Za-z0-9_]*)[ \t]*=
    (?:[ \t]*"(?P<double>[^"\\]*+(?:\\.[^"\\]*+)*)"{_TAIL}
    | [ \t]*'(?P<single>[^'\\]*+(?:\\.[^'\\]*+)*)'{_TAIL}
    | (?![ \t]*["'])(?P<bare>[^\n]*+)(?:\n|\Z))""",
    re.DOTALL | re.VERBOSE,
)
_IDLE = re.compile(r"[ \t]*(?:#[^\n]*+)?\r?(?:\n|\Z)")
_ESCAPES = dict(zip("abfnrtv", "\a\b\f\n\r\t\v", strict=True))


class Assignment(NamedTuple):
    """One variable in the file: its value, its first line, and the span of its text."""

    name: str
    value: str
    line: int
    start: int
    end: int


def load_dotenv(path: Path) -> dict[str, str]:
    """Read the variables in a file; none when the file does not exist. A later line wins over an earlier one.

    Raises:
        FileError: the file cannot be read, or a line is no assignment; its text is never quoted.
    """
    return {each.name: each.value for each in parse_dotenv(path, read_text(path) or "")}


def others_may_read(path: Path) -> bool:
    """Return True when other users than the owner may read or change a file."""
    try:
        return bool(stat.S_IMODE(path.stat().st_mode) & 0o077)
    except OSError:  # no file, no reader
        return False


def parse_dotenv(path: Path, text: str) -> list[Assignment]:
    """Return the assignments in a text, in their order. Raises `FileError` for a line that is no assignment."""
    found: list[Assignment] = []
    position, line = 0, 1
    while position < len(text):
        match = _IDLE.match(text, position) or _LINE.match(text, position)
        if match is None:
            reason = "is not of the form KEY=VALUE, with the value in closed quotes or none."
            raise FileError(reason, file=str(path), line=line, example="WEB_API_KEY=abc")
        if match.re is _LINE:
            found.append(Assignment(match["name"], _value(match), line, *match.span()))
        line += text.count("\n", *match.span())
        position = match.end()
    return found


def _value(match: re.Match[str]) -> str:
    if match["bare"] is not None:
        return re.split(r"[ \t]#", match["bare"], maxsplit=1)[0].strip()
    # Line breaks of Windows are converted, but not those that are written as escapes.
    if match["single"] is not None:
        return re.sub(r"\\([\\'])", r"\1", match["single"].replace("\r\n", "\n"))
    value = match["double"].replace("\r\n", "\n")
    return re.sub(r"\\([\\'\"abfnrtv])", lambda found: _ESCAPES.get(found[1], found[1]), value)


def set_variable(path: Path, text: str, name: str, value: str) -> str:
    """Return the text with one variable set, at its current position or at the end.

    Raises:
        FileError: the text is broken, or the value cannot be in it.
    """
    if "\0" in value:
        raise FileError("the value holds a NUL character, which no variable can.", key=name)
    if not re.fullmatch(r"[\w./:@%+=,~^-]*", value, re.ASCII):
        value = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
        value = f'"{value}"'
    new = f"{name}={value}\n"
    there = [each for each in parse_dotenv(path, text) if each.name == name]
    if not there:
        return text + ("\n" if text and not text.endswith("\n") else "") + new
    return remove_variables(path, text[: there[-1].start], [name]) + new + text[there[-1].end :]


def remove_variables(path: Path, text: str, names: Iterable[str]) -> str:
    """Return the text without all assignments of some variables. Raises `FileError` for a broken text."""
    for each in reversed(parse_dotenv(path, text)):
        if each.name in names:
            text = text[: each.start] + text[each.end :]
    return text
