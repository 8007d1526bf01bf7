"""Reads YAML settings with the line of every key, and refuses files that are broken, ambiguous or an alias bomb."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hermes_files import FileError
from hermes_files.text_file import read_text

if TYPE_CHECKING:
    import yaml

Steps = tuple[Any, ...]
"""The path to a value: keys of sections and positions in lists."""

_MAX_DEPTH = 100
"""Settings are not nested deeper, so code that reads them may be recursive."""

_MAX_LINE_DEPTH = 16
"""Deeper entries have no line, so that their paths cannot fill the memory."""

_MAX_COPIED = 100_000
"""The limit of values from aliases: a few lines of nested aliases can mean billions."""

_ODD = re.compile(r'[."\[\]\s]')
_STEP = re.compile(r'(?:"(?P<quoted>[^"]+)"|(?P<plain>[^."\[\]\s]+))(?:\.(?=.)|\Z)')
_REMEDY = "Nothing was changed; fix the file and try again."
_TAG = "tag:yaml.org,2002:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """The contents of a file, and the line of each entry.

    Attributes:
        file: The file.
        text: Its text; empty when the file does not exist.
        data: Its contents.
        lines: The line of each entry, counted from 1; entries that an alias repeats have none.
        repeated: Keys that occur twice in one section: the path, the second line and the first.
        words: The words `on`, `off`, `yes` and `no` that YAML 1.1 reads as booleans, in lower case.
    """

    file: Path
    text: str = ""
    data: dict[Any, Any] = field(default_factory=dict)
    lines: Mapping[Steps, int] = field(default_factory=dict)
    repeated: tuple[tuple[Steps, int, int], ...] = ()
    words: Mapping[Steps, str] = field(default_factory=dict)

    def line_of(self, steps: Steps) -> int | None:
        """Return the line of an entry, or of the nearest one around it."""
        return next((self.lines[part] for end in range(len(steps), 0, -1) if (part := steps[:end]) in self.lines), None)

    def require_unique_keys(self) -> Document:
        """Return this document. Raises `FileError` for a key that occurs twice."""
        for steps, line, first in self.repeated:
            raise FileError(
                f"{describe_repeated(steps, first)} {_REMEDY}", file=str(self.file), line=line, key=key_of(steps)
            )
        return self


def read_document(file: Path) -> Document:
    """Read a file; the document is empty when the file does not exist.

    Raises:
        FileError: the file cannot be read, is not YAML, holds no settings, or has a key twice.
    """
    return parse_document(file, read_text(file)).require_unique_keys()


def yaml_loader() -> Any:
    """Return the class of the fastest safe loader."""
    import yaml

    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def parse_document(file: Path, text: str | None) -> Document:
    """Parse a text. Keys that occur twice are noted, not refused.

    Raises:
        FileError: the text is not YAML, or holds no settings.
    """
    if text is None or not text.strip():
        return Document(file=file, text=text or "")
    import yaml

    loader = yaml_loader()(text)
    reader = _Reader(loader)
    try:
        _require_shallow(text, type(loader))
        node = loader.get_single_node()
        data = reader.read(node, ()) if node is not None else None
    except yaml.YAMLError as error:
        line, column = _position(error, text)
        raise FileError(f"{_problem(error)}. {_REMEDY}", file=str(file), line=line, column=column) from error
    finally:
        loader.dispose()
    if not isinstance(data, dict | None):
        example = "plugins: {disabled: [dice]}"
        raise FileError(f"it holds a {type(data).__name__}, not settings.", file=str(file), example=example)
    repeated = tuple(reader.repeated)
    return Document(file=file, text=text, data=data or {}, lines=reader.lines, repeated=repeated, words=reader.words)


def describe_repeated(steps: Steps, first: int) -> str:
    """Describe a key that occurs twice."""
    return f"the key {str(steps[-1])!r} occurs here for the second time; the first is in line {first}."


def find_entry(data: Any, steps: Steps) -> tuple[Steps, Any] | None:
    """Return a path with the keys of the data, and its value; the step `"123"` also matches the number."""
    found: Steps = ()
    for step in steps:
        if not isinstance(data, Mapping) or (key := matching_key(data, step)) not in data:
            return None
        found, data = (*found, key), data[key]
    return found, data


def matching_key(mapping: Mapping[Any, Any], step: Any) -> Any:
    """Return the key of a mapping that matches a step, or the step itself."""
    return step if step in mapping else next((key for key in mapping if str(key) == str(step)), step)


def key_of(steps: Steps) -> str:
    """Return a path as users write it: `web.backend`, `mcp_servers."my.server".url`, `jobs[2].name`."""
    text = ""
    for step in steps:
        if isinstance(step, int) and not isinstance(step, bool) and text:
            text += f"[{step}]"
        else:
            word = str(step)
            text += ("." if text else "") + (f'"{word}"' if not word or _ODD.search(word) else word)
    return text


def parse_key(key: str) -> tuple[str, ...]:
    """Return the steps of a key as users write it. Raises `FileError` when it is not a key."""
    steps: list[str] = []
    position = 0
    while match := _STEP.match(key, position):
        steps.append(match["quoted"] or match["plain"])
        position = match.end()
    if not steps or position < len(key):
        raise FileError(f"{key!r} is not a key.", example='web.backend, or mcp_servers."my.server".url')
    return tuple(steps)


def _require_shallow(text: str, loader: Any) -> None:
    """Refuse deep nesting: composing nodes is recursive C code, which could exhaust the stack."""
    import yaml

    depth = 0
    for event in yaml.parse(text, loader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > _MAX_DEPTH:
                raise _refused("it is nested too deeply", event)
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


class _Reader:
    """Converts nodes to values, and records their lines."""

    def __init__(self, loader: Any) -> None:
        self.lines: dict[Steps, int] = {}
        self.repeated: list[tuple[Steps, int, int]] = []
        self.words: dict[Steps, str] = {}
        self._loader = loader
        self._known: dict[int, tuple[Any, int] | None] = {}  # by node; None while it is being read
        self._count = 0
        self._copied = 0

    def read(self, node: Any, steps: Steps) -> Any:
        """Return the value of a node; the value of an alias is the same object."""
        if id(node) in self._known:
            return self._alias(node)
        before = self._count
        self._known[id(node)] = None
        if isinstance(node.value, str):
            value = self._scalar(node)
        elif node.tag == _TAG + "map" and node.id == "mapping":
            value = self._mapping(node, steps)
        elif node.tag == _TAG + "seq" and node.id == "sequence":
            value = self._list(node, steps)
        else:
            raise _refused(f"the tag {node.tag} has no meaning in settings", node)
        self._count += 1
        self._known[id(node)] = (value, self._count - before)
        return value

    def _alias(self, node: Any) -> Any:
        known = self._known[id(node)]
        if known is None:
            raise _refused("an alias refers to itself", node)
        value, weight = known
        self._count += weight
        self._copied += weight
        if self._copied > _MAX_COPIED:
            raise _refused(f"aliases stand for more than {_MAX_COPIED:,} values", node)
        return value

    def _list(self, node: Any, steps: Steps) -> list[Any]:
        found = []
        for index, item in enumerate(node.value):
            self._note_line((*steps, index), item)
            found.append(self.read(item, (*steps, index)))
        return found

    def _mapping(self, node: Any, steps: Steps) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        merged: list[Any] = []
        lines: dict[Any, int] = {}
        for key_node, value_node in node.value:
            if key_node.tag == _TAG + "merge":
                value = self.read(value_node, (*steps, "<<"))
                merged += value if isinstance(value, list) else [value]
                if not all(isinstance(source, dict) for source in merged):
                    raise _refused("only sections can be merged with <<", value_node)
                continue
            key = self.read(key_node, ())
            if isinstance(key, (dict, list)):
                raise _refused("a section or a list cannot be a key", key_node)
            line = key_node.start_mark.line + 1
            first = lines.setdefault(key, line)
            if key in found:
                self.repeated.append(((*steps, key), line, first))
            self._note_line((*steps, key), key_node)
            value = found[key] = self.read(value_node, (*steps, key))
            if (value is True or value is False) and value_node.value.lower() not in ("true", "false"):
                self.words[(*steps, key)] = value_node.value.lower()
        for source in merged:
            for key, item in source.items():
                found.setdefault(key, item)
        return found

    def _note_line(self, steps: Steps, node: Any) -> None:
        if len(steps) <= _MAX_LINE_DEPTH:
            self.lines.setdefault(steps, node.start_mark.line + 1)

    def _scalar(self, node: Any) -> Any:
        if node.tag in (_TAG + "str", _TAG + "merge", _TAG + "value"):
            return node.value
        try:
            value = self._loader.construct_object(node)
        except (ValueError, OverflowError) as error:  # it looks like a date or a number, but is not
            raise _refused(f"{error}; put the value in quotes", node) from error
        if isinstance(value, bytes):
            raise _refused("binary values have no meaning in settings", node)
        # Settings have no dates: they are text.
        return value if value is None or isinstance(value, (bool, int, float, str)) else node.value


def _refused(reason: str, event: Any) -> yaml.YAMLError:
    from yaml.constructor import ConstructorError

    return ConstructorError(None, None, reason, event.start_mark)


def _problem(error: Exception) -> str:
    parts = (getattr(error, name, None) for name in ("context", "problem", "reason"))
    text = ", ".join(filter(None, parts)) or "it is not valid YAML"
    if "cannot start any token" in text:
        text += " (YAML indents with spaces, never with tabs; a value that begins with @ or ` needs quotes)"
    return text


def _position(error: Exception, text: str) -> tuple[int | None, int | None]:
    """Return the line and column of a YAML error, counted from 1."""
    mark = getattr(error, "problem_mark", None)
    if mark is not None:
        return int(mark.line) + 1, int(mark.column) + 1
    position = getattr(error, "position", None)  # of a character that YAML does not allow
    if not isinstance(position, int):
        return None, None
    return text.count("\n", 0, position) + 1, position - text.rfind("\n", 0, position)
