"""Read the frontmatter of SKILL.md: YAML without aliases, anchors and tags, in which every scalar is text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

Value = str | list[Any] | dict[str, Any]

MAX_CHARS = 65_536
"""The maximum length of a frontmatter."""

_MAX_DEPTH = 16
_MAX_VALUES = 5_000
_BOM = "\ufeff"
_FENCE = re.compile(r"---[ \t]*")
_ENTRY = re.compile(r"(?P<key>[A-Za-z_][\w.-]*)[ \t]*:[ \t]+(?P<value>\S.*)")
_INDENTED = re.compile(r"[ \t]+\S")
_STRUCTURED = ("'", '"', "|", ">", "[", "{", "#")
"""The beginnings of values that are not plain text."""


class FrontmatterError(ValueError):
    """Raised when a text has no frontmatter that can be read.

    Attributes:
        reason: What is wrong, as a sentence.
        line: The line of the file, counted from 1.
    """

    def __init__(self, reason: str, line: int = 1) -> None:
        self.reason = reason
        self.line = line
        super().__init__(f"line {line}: {reason}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Frontmatter:
    """The parts of a SKILL.md.

    Attributes:
        data: The frontmatter. Scalars are text: `yes` and `1.0` stay as they are written.
        body: The text after it.
        body_line: The line of the file on which the body begins.
        notes: What was fixed while reading, as sentences.
    """

    data: Mapping[str, Any]
    body: str
    body_line: int
    notes: tuple[str, ...] = ()


def parse_frontmatter(text: str, *, lenient: bool = True) -> Frontmatter:
    """Parse the text of a SKILL.md.

    Args:
        text: The text.
        lenient: Whether to accept a byte order mark, and plain values that YAML reads as something else, such as
            `description: Use when: ...`. The notes name what was fixed.

    Raises:
        FrontmatterError: There is no frontmatter, or it cannot be read.
    """
    notes: list[str] = []
    if text.startswith(_BOM):
        if not lenient:
            raise FrontmatterError("The file begins with a byte order mark.")
        notes.append("The file begins with a byte order mark, which was ignored.")
        text = text[1:]
    source, body, body_line = _split(text)
    try:
        data = _load(source)
    except FrontmatterError as error:
        quoted, keys = _quote_values(source)
        if not lenient or not keys:
            raise
        try:
            data = _load(quoted)
        except FrontmatterError:
            raise error from None
        notes.append(f"The frontmatter is not valid YAML ({error}). Its values were read as plain text.")
    return Frontmatter(data=MappingProxyType(data), body=body, body_line=body_line, notes=tuple(notes))


def _split(text: str) -> tuple[str, str, int]:
    """Return the YAML between two lines that are exactly `---`, the rest of the text, and the line where it begins."""
    number, start, position = 1, 0, 0
    for line in _lines(text):
        end = position + len(line)
        is_fence = _FENCE.fullmatch(line.rstrip("\r\n")) is not None
        if number == 1 and not is_fence:
            raise FrontmatterError("The file does not begin with a frontmatter: a line '---', YAML, and a line '---'.")
        if number == 1:
            start = end
        elif is_fence:
            return text[start:position], text[end:], number + 1
        if end > MAX_CHARS:
            raise FrontmatterError(f"The frontmatter does not end within {MAX_CHARS:,} characters.", number)
        number, position = number + 1, end
    if not text:
        raise FrontmatterError("The file is empty.")
    raise FrontmatterError("The frontmatter has no end: a line '---' is missing.")


def _lines(text: str) -> Iterator[str]:
    start = 0
    while start < len(text):
        feed = text.find("\n", start)
        end = len(text) if feed < 0 else feed + 1
        yield text[start:end]
        start = end


def _load(source: str) -> dict[str, Any]:
    import yaml

    try:
        return _Builder(getattr(yaml, "CBaseLoader", yaml.BaseLoader)(source)).build()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "it cannot be parsed"
        line = mark.line + 2 if mark else 2
        raise FrontmatterError(f"The frontmatter is not valid YAML: {problem}.", line) from None
    except UnicodeError:
        raise FrontmatterError("The frontmatter contains characters that are not valid text.", 2) from None


class _Builder:
    """Builds plain data from the events of a YAML parser: nothing is resolved or shared, and no depth overflows."""

    def __init__(self, parser: Any) -> None:
        self._parser = parser
        self._stack: list[list[Any] | dict[str, Any]] = []
        self._keys: list[str | None] = []
        self._count = 0

    def build(self) -> dict[str, Any]:
        root: Value | None = None
        while (event := self._parser.get_event()) is not None:
            value = self._value_of(event)
            if value is None:
                continue
            if not self._stack:
                if root is not None:
                    raise FrontmatterError("The frontmatter has more than one document.", event.start_mark.line + 2)
                root = value
            else:
                self._add(value, event)
            if not isinstance(value, str):
                self._stack.append(value)
                self._keys.append(None)
        if root is None or root == "":
            return {}
        if not isinstance(root, dict):
            raise FrontmatterError("The frontmatter is not a mapping of keys to values.", 2)
        return root

    def _value_of(self, event: Any) -> Value | None:
        """Return the value that an event begins; None for the end of one, and around the document."""
        kind, line = type(event).__name__, getattr(event.start_mark, "line", 0) + 2
        if kind in ("SequenceEndEvent", "MappingEndEvent"):
            self._stack.pop()
            self._keys.pop()
            return None
        if kind == "AliasEvent" or getattr(event, "anchor", None) is not None:
            raise FrontmatterError("The frontmatter has an alias or anchor (* or &): put the value in quotes.", line)
        if getattr(event, "tag", None) is not None:
            raise FrontmatterError("The frontmatter has a tag (!): put the value in quotes.", line)
        if kind not in ("ScalarEvent", "SequenceStartEvent", "MappingStartEvent"):
            return None
        self._count += 1
        if self._count > _MAX_VALUES or len(self._stack) >= _MAX_DEPTH:
            raise FrontmatterError("The frontmatter has too many values or is nested too deeply.", line)
        return str(event.value) if kind == "ScalarEvent" else [] if kind == "SequenceStartEvent" else {}

    def _add(self, value: Value, event: Any) -> None:
        parent, line = self._stack[-1], event.start_mark.line + 2
        if isinstance(parent, list):
            parent.append(value)
            return
        key = self._keys[-1]
        if key is not None:
            parent[key] = value
            self._keys[-1] = None
        elif not isinstance(value, str):
            raise FrontmatterError("A key of the frontmatter is not text.", line)
        elif value in parent:
            raise FrontmatterError(f"The key {value!r} occurs twice.", line)
        else:
            self._keys[-1] = value


def _quote_values(source: str) -> tuple[str, list[str]]:
    """Put quotes around the plain values of top-level keys, and return the keys whose values changed."""
    parts: list[str] = []
    keys: list[str] = []
    lines = source.splitlines()
    number = 0
    while number < len(lines):
        entry = _ENTRY.fullmatch(lines[number])
        number += 1
        if entry is None or entry["value"].startswith(_STRUCTURED):
            parts.append(lines[number - 1])
            continue
        value = [entry["value"].strip()]
        while number < len(lines) and _INDENTED.match(lines[number]):  # a plain value continues on indented lines
            value.append(lines[number].strip())
            number += 1
        text = " ".join(value).replace("'", "''")
        parts.append(f"{entry['key']}: '{text}'")
        keys.append(entry["key"])
    return "\n".join(parts) + "\n", keys
