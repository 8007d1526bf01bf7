"""Reads `config.yaml` with the place of every key, and refuses what is broken, doubtful or a bomb."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hermes_core.config.texts import read_text
from hermes_core.errors import ConfigError

if TYPE_CHECKING:
    import yaml

Steps = tuple[Any, ...]
"""The way to a value: keys of sections and positions in lists."""

_MAX_DEPTH = 100
"""No settings nest deeper, and everything that walks them later may use the stack."""

_MAX_PLACED = 16
"""Entries that lie deeper have no place of their own, so that the ways to them cannot fill the memory."""

_MAX_COPIED = 100_000
"""So many values may come from aliases: a few lines of aliases of aliases stand for billions."""

_ODD = re.compile(r'[."\[\]\s]')
_STEP = re.compile(r'(?:"(?P<quoted>[^"]+)"|(?P<plain>[^."\[\]\s]+))(?:\.(?=.)|\Z)')
_MEND = "Nothing was changed; mend the file and try again."
_TAG = "tag:yaml.org,2002:"


@dataclass(slots=True)
class Place:
    """Where an entry stands: lines count from 1, columns from 0; `flow` says that it stands within braces.

    `last_column` is the end of a value that ends on the line of its key; None when it ends elsewhere or is not there.
    """

    line: int
    column: int
    last_line: int
    flow: bool
    last_column: int | None = None

    def finish(self, end: tuple[int, int] | None) -> None:
        """Note where the value ends; None when that is unknown, because it is empty or an alias."""
        self.last_line = max(self.line, end[0]) if end else self.line
        self.last_column = end[1] if end and end[0] == self.line else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """What a file says, and where it says it.

    Attributes:
        file: The file.
        text: Its text; empty when there is no such file.
        data: Its contents.
        places: The place of each entry; entries that an alias repeats have none of their own.
        repeated: Keys that stand twice in one section: the way, the second line and the first.
        words: The words `on`, `off`, `yes` and `no` that YAML 1.1 reads as booleans, in lower case.
    """

    file: Path
    text: str = ""
    data: dict[Any, Any] = field(default_factory=dict)
    places: Mapping[Steps, Place] = field(default_factory=dict)
    repeated: tuple[tuple[Steps, int, int], ...] = ()
    words: Mapping[Steps, str] = field(default_factory=dict)

    def line_of(self, steps: Steps) -> int | None:
        """The line of an entry, or of the nearest one around it."""
        while steps:
            place = self.places.get(steps)
            if place is not None:
                return place.line
            steps = steps[:-1]
        return None


def read_document(file: Path) -> Document:
    """A file as it can be used; an empty document when there is no such file.

    Raises:
        ConfigError: the file cannot be read, is not YAML, holds no settings, or says something twice.
    """
    document = parse_document(file, read_text(file))
    for steps, line, first in document.repeated:
        raise ConfigError(twice(steps, first) + f" {_MEND}", file=str(file), line=line, key=key_of(steps))
    return document


def parse_document(file: Path, text: str | None) -> Document:
    """The document in a text. Keys that stand twice are noted, not refused.

    Raises:
        ConfigError: the text is not YAML, or holds no settings.
    """
    if text is None or not text.strip():
        return Document(file=file, text=text or "")
    import yaml

    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)
    try:
        _require_shallow(text, type(loader))
        node = loader.get_single_node()
        reader = _Reader(loader)
        data = reader.read(node, ())[0] if node is not None else None
    except yaml.YAMLError as error:
        line, column = _position(error, text)
        raise ConfigError(f"{_problem(error)}. {_MEND}", file=str(file), line=line, column=column) from error
    finally:
        loader.dispose()
    if data is None:
        data = {}
    if not isinstance(data, dict):
        raise ConfigError(
            f"it holds a {type(data).__name__}, not settings.", file=str(file), example="plugins: {disabled: [dice]}"
        )
    return Document(
        file=file, text=text, data=data, places=reader.places, repeated=tuple(reader.repeated), words=reader.words
    )


def twice(steps: Steps, first: int) -> str:
    """What is said of a key that stands twice."""
    return f"the key {str(steps[-1])!r} stands here for the second time; the first is in line {first}."


def key_of(steps: Steps) -> str:
    """A way as users write it: `web.backend`, `mcp_servers."my.server".url`, `jobs[2].name`."""
    text = ""
    for step in steps:
        if isinstance(step, int) and not isinstance(step, bool) and text:
            text += f"[{step}]"
        else:
            word = str(step)
            text += ("." if text else "") + (f'"{word}"' if not word or _ODD.search(word) else word)
    return text


def parse_key(key: str) -> tuple[str, ...]:
    """The steps of a key as users write it, the opposite of `key_of`.

    Raises:
        ConfigError: it is not a key.
    """
    steps: list[str] = []
    position = 0
    while match := _STEP.match(key, position):
        steps.append(match["quoted"] or match["plain"])
        position = match.end()
    if not steps or position < len(key):
        raise ConfigError(f"{key!r} is not a key.", example='web.backend, or mcp_servers."my.server".url')
    return tuple(steps)


def _require_shallow(text: str, loader: Any) -> None:
    """Refuse what nests so deep that composing nodes, which is recursive and in C, could exhaust the stack."""
    import yaml

    depth = 0
    for event in yaml.parse(text, loader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > _MAX_DEPTH:
                raise _refused("it is nested too deeply", event)
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


_End = tuple[int, int] | None
"""The line, counted from 1, and the column where something ends; None for what is empty or an alias."""


class _Reader:
    """Makes values out of nodes, and notes where they are."""

    def __init__(self, loader: Any) -> None:
        self.places: dict[Steps, Place] = {}
        self.repeated: list[tuple[Steps, int, int]] = []
        self.words: dict[Steps, str] = {}
        self._loader = loader
        self._known: dict[int, tuple[Any, int] | None] = {}  # by node; None while it is being read
        self._count = 0
        self._copied = 0

    def read(self, node: Any, steps: Steps) -> tuple[Any, _End]:
        """Return the value of a node, and where it ends."""
        if id(node) in self._known:
            return self._copy(node), None
        before = self._count
        self._known[id(node)] = None
        value, end = self._scalar(node) if isinstance(node.value, str) else self._collection(node, steps)
        self._count += 1
        self._known[id(node)] = (value, self._count - before)
        return value, end

    def _collection(self, node: Any, steps: Steps) -> tuple[Any, _End]:
        if node.tag not in (_TAG + "map", _TAG + "seq") or node.tag.endswith("map") is not (node.id == "mapping"):
            raise _refused(f"the tag {node.tag} has no meaning in settings", node)
        value, end = (self._mapping if node.id == "mapping" else self._list)(node, steps)
        return value, (node.end_mark.line + 1, node.end_mark.column) if node.flow_style else end

    def _mapping(self, node: Any, steps: Steps) -> tuple[dict[Any, Any], _End]:
        found: dict[Any, Any] = {}
        merged: list[Any] = []
        lines: dict[Any, int] = {}
        end: _End = None
        for key_node, value_node in node.value:
            if key_node.tag == _TAG + "merge":
                value, end = self.read(value_node, (*steps, "<<"))
                merged += value if isinstance(value, list) else [value]
                if not all(isinstance(source, dict) for source in merged):
                    raise _refused("only sections can be merged with <<", value_node)
                end = end or _end_of(key_node)
                continue
            key, _ = self.read(key_node, ())
            if isinstance(key, (dict, list)):
                raise _refused("a section or a list cannot be a key", key_node)
            line = key_node.start_mark.line + 1
            first = lines.setdefault(key, line)
            if key in found:
                self.repeated.append(((*steps, key), line, first))
            place = self._place((*steps, key), key_node, node)
            found[key], end = self.read(value_node, (*steps, key))
            place.finish(end)
            end = end or _end_of(key_node)
            if found[key] is True or found[key] is False:
                word = value_node.value.lower()
                if word not in ("true", "false"):
                    self.words[(*steps, key)] = word
        for source in merged:
            for key, item in source.items():
                found.setdefault(key, item)
        return found, end

    def _list(self, node: Any, steps: Steps) -> tuple[list[Any], _End]:
        found: list[Any] = []
        end: _End = None
        for index, item in enumerate(node.value):
            place = self._place((*steps, index), item, node)
            value, end = self.read(item, (*steps, index))
            place.finish(end)
            end = end or (place.line, place.column)
            found.append(value)
        return found, end

    def _place(self, steps: Steps, node: Any, around: Any) -> Place:
        place = self.places.get(steps)
        if place is None:
            line = node.start_mark.line + 1
            place = Place(line, node.start_mark.column, line, bool(around.flow_style))
            if len(steps) <= _MAX_PLACED:
                self.places[steps] = place
        return place

    def _copy(self, node: Any) -> Any:
        known = self._known[id(node)]
        if known is None:
            raise _refused("an alias refers to itself", node)
        value, weight = known
        self._count += weight
        self._copied += weight
        if self._copied > _MAX_COPIED:
            raise _refused(f"aliases stand for more than {_MAX_COPIED:,} values", node)
        return value

    def _scalar(self, node: Any) -> tuple[Any, _End]:
        end = _end_of(node)
        if node.tag in (_TAG + "str", _TAG + "merge", _TAG + "value"):
            return node.value, end
        try:
            value = self._loader.construct_object(node)
        except (ValueError, OverflowError) as error:  # it looks like a date or a number, and is none
            raise _refused(f"{error}; put the value in quotes", node) from error
        if isinstance(value, bytes):
            raise _refused("binary values have no meaning in settings", node)
        # Settings have no dates: what looks like one is text.
        return (value if value is None or isinstance(value, (bool, int, float, str)) else node.value), end


def _end_of(node: Any) -> _End:
    """Where a scalar ends. The marks of what is empty stand behind blank lines and comments."""
    start, end = node.start_mark, node.end_mark
    if (start.line, start.column) == (end.line, end.column):
        return None
    after_break = end.column == 0 and end.line > start.line
    return end.line + (0 if after_break else 1), end.column


def _refused(reason: str, event: Any) -> yaml.YAMLError:
    from yaml.constructor import ConstructorError

    return ConstructorError(None, None, reason, event.start_mark)


def _problem(error: Exception) -> str:
    parts = (getattr(error, "context", None), getattr(error, "problem", None), getattr(error, "reason", None))
    text = ", ".join(part for part in parts if part) or "it is not valid YAML"
    if "cannot start any token" in text:
        text += " (YAML indents with spaces, never with tabs; a value that begins with @ or ` needs quotes)"
    return text


def _position(error: Exception, text: str) -> tuple[int | None, int | None]:
    """The line and the column of a YAML error, counted from 1."""
    mark = getattr(error, "problem_mark", None)
    if mark is not None:
        return int(mark.line) + 1, int(mark.column) + 1
    position = getattr(error, "position", None)  # of a character that YAML does not allow
    if not isinstance(position, int):
        return None, None
    return text.count("\n", 0, position) + 1, position - text.rfind("\n", 0, position)
