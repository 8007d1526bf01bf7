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
        builder = _Builder(loader)
        data = builder.build()
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
        file=file, text=text, data=data, places=builder.places, repeated=tuple(builder.repeated), words=builder.words
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


class _Frame:
    """A section or a list that is being read."""

    __slots__ = ("anchor", "before", "flow", "key", "lines", "merged", "steps", "value")

    def __init__(self, value: Any, steps: Steps, *, flow: bool, anchor: str | None, before: int) -> None:
        self.value = value
        self.steps = steps
        self.flow = flow
        self.anchor = anchor
        self.before = before  # how many values had been read when it began
        self.key: Any = _NO_KEY
        self.lines: dict[Any, int] = {}
        self.merged: list[Any] = []


_NO_KEY = object()
_MERGE = object()


class _Builder:
    """Builds values out of the parser's events with a stack of its own, so that no nesting can exhaust the real one."""

    def __init__(self, loader: Any) -> None:
        self.places: dict[Steps, Place] = {}
        self.repeated: list[tuple[Steps, int, int]] = []
        self.words: dict[Steps, str] = {}
        self._loader = loader
        self._stack: list[_Frame] = []
        self._anchors: dict[str, tuple[Any, int] | None] = {}  # None while the value is still being read
        self._count = 0
        self._copied = 0
        self._last_line = 0
        self._end = self._key_end = (0, 0)
        self._root: Any = None

    def build(self) -> Any:
        import yaml

        documents = 0
        while True:
            event = self._loader.get_event()
            if isinstance(event, yaml.StreamEndEvent):
                return self._root
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise _refused("there is a second document; settings are one", event)
            elif isinstance(event, yaml.AliasEvent):
                self._end_at(event)
                self._add(self._copy(event), event)
            elif isinstance(event, yaml.ScalarEvent):
                self._end_at(event)
                self._add(self._scalar(event), event)
            elif isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
                self._open(event, {} if isinstance(event, yaml.MappingStartEvent) else [])
            elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
                self._close(event)

    def _open(self, event: Any, value: Any) -> None:
        kind = "map" if isinstance(value, dict) else "seq"
        if event.tag not in (None, "!", _TAG + kind):
            raise _refused(f"the tag {event.tag} has no meaning in settings", event)
        if len(self._stack) >= _MAX_DEPTH:
            raise _refused("it is nested too deeply", event)
        steps: Steps = ()
        if self._stack:
            frame = self._stack[-1]
            if isinstance(frame.value, dict) and frame.key is _NO_KEY:
                raise _refused("a section or a list cannot be a key", event)
            steps = (*frame.steps, self._step(frame, event))
        if event.anchor:
            self._anchors[event.anchor] = None
        flow = bool(event.flow_style)
        self._stack.append(_Frame(value, steps, flow=flow, anchor=event.anchor, before=self._count))
        self._last_line = max(self._last_line, event.start_mark.line + 1)

    def _close(self, event: Any) -> None:
        frame = self._stack.pop()
        value = frame.value
        if frame.flow:
            self._last_line = event.end_mark.line + 1
            self._end = (self._last_line, event.end_mark.column)
        for merged in frame.merged:
            for key, item in merged.items():
                value.setdefault(key, item)
        if frame.anchor:
            self._anchors[frame.anchor] = (value, self._count - frame.before)
        self._add(value, event)

    def _add(self, value: Any, event: Any) -> None:
        self._count += 1
        if not self._stack:
            self._root = value
            return
        frame = self._stack[-1]
        if isinstance(frame.value, list):
            self._finish(self._place((*frame.steps, len(frame.value)), event, frame))
            frame.value.append(value)
        elif frame.key is _NO_KEY:
            self._begin_entry(frame, value, event)
        else:
            key, frame.key = frame.key, _NO_KEY
            if key is _MERGE:
                self._merge(frame, value, event)
                return
            self._finish(self.places.get((*frame.steps, key)))
            frame.value[key] = value
            if isinstance(value, bool) and (word := getattr(event, "value", "").lower()) not in ("", "true", "false"):
                self.words[(*frame.steps, key)] = word

    def _begin_entry(self, frame: _Frame, key: Any, event: Any) -> None:
        if key is _MERGE:
            frame.key = key
            return
        try:
            first = frame.lines.setdefault(key, event.start_mark.line + 1)
        except TypeError as error:  # an alias may stand for a list
            raise _refused("a section or a list cannot be a key", event) from error
        frame.key = key
        self._key_end = self._end
        steps = (*frame.steps, key)
        if key in frame.value:
            self.repeated.append((steps, event.start_mark.line + 1, first))
        self._place(steps, event, frame)

    def _place(self, steps: Steps, event: Any, frame: _Frame) -> Place:
        place = self.places.get(steps)
        if place is None:
            line = event.start_mark.line + 1
            place = Place(line, event.start_mark.column, line, frame.flow)
            if len(steps) <= _MAX_PLACED:
                self.places[steps] = place
        return place

    def _finish(self, place: Place | None) -> None:
        if place is None:
            return
        place.last_line = max(place.line, self._last_line)
        if self._end[0] == place.line and self._end != self._key_end:
            place.last_column = self._end[1]

    def _step(self, frame: _Frame, event: Any) -> Any:
        """The step to the value that begins here; an item of a list gets its place now, a key has it already."""
        if isinstance(frame.value, list):
            self._place((*frame.steps, len(frame.value)), event, frame)
            return len(frame.value)
        return frame.key

    def _merge(self, frame: _Frame, value: Any, event: Any) -> None:
        sources = value if isinstance(value, list) else [value]
        if not all(isinstance(source, dict) for source in sources):
            raise _refused("only sections can be merged with <<", event)
        frame.merged += sources

    def _copy(self, event: Any) -> Any:
        if event.anchor not in self._anchors:
            raise _refused(f"found undefined alias {event.anchor!r}", event)
        known = self._anchors[event.anchor]
        if known is None:
            raise _refused(f"the alias {event.anchor!r} refers to itself", event)
        value, weight = known
        self._count += weight
        self._copied += weight
        if self._copied > _MAX_COPIED:
            raise _refused(f"aliases stand for more than {_MAX_COPIED:,} values", event)
        return value

    def _scalar(self, event: Any) -> Any:
        import yaml

        tag = event.tag
        if tag is None or tag == "!":
            tag = self._loader.resolve(yaml.ScalarNode, event.value, event.implicit)
        if tag == _TAG + "merge":
            frame = self._stack[-1] if self._stack else None
            is_key = frame is not None and isinstance(frame.value, dict) and frame.key is _NO_KEY
            return _MERGE if is_key else event.value
        value = event.value if tag == _TAG + "value" else self._constructed(tag, event)
        if event.anchor:
            self._anchors[event.anchor] = (value, 1)
        return value

    def _constructed(self, tag: str, event: Any) -> Any:
        import yaml

        if tag == _TAG + "str":
            return event.value
        node = yaml.ScalarNode(tag, event.value, event.start_mark, event.end_mark)
        try:
            value = self._loader.construct_object(node)
        except (ValueError, OverflowError) as error:  # it looks like a date or a number, and is none
            raise _refused(f"{error}; put the value in quotes", event) from error
        if isinstance(value, bytes):
            raise _refused("binary values have no meaning in settings", event)
        # Settings have no dates: what looks like one is text.
        return value if value is None or isinstance(value, (bool, int, float, str)) else event.value

    def _end_at(self, event: Any) -> None:
        """Remember where the contents end; the marks of what is empty stand behind blank lines and comments."""
        start, end = event.start_mark, event.end_mark
        if (start.line, start.column) == (end.line, end.column):
            return
        after_break = end.column == 0 and end.line > start.line
        self._last_line = end.line + (0 if after_break else 1)
        self._end = (end.line + 1, end.column)


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
