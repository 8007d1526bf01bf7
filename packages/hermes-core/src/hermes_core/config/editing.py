"""Changes single entries of `config.yaml` and leaves the rest as its author wrote it, comments and all."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from hermes_core.config.document import Document, Place, Steps, key_of, parse_document
from hermes_core.errors import ConfigError

_BREAK = re.compile(r"\r\n|[\n\r\x85\u2028\u2029]")
_ODD_BREAK = re.compile(r"[\x85\u2028\u2029]")
_COMMENT = re.compile(r"[ \t]+#.*")


class _Elsewhere(Exception):  # noqa: N818 - no error: the entry does not stand on lines of its own
    """The entry stands within braces, or comes from an alias."""


def with_value(document: Document, steps: Steps, value: Any) -> str:
    """The text with one entry set; sections on the way to it are made.

    Raises:
        ConfigError: something on the way is a value and no section, or shared so that others would change too.
    """
    steps = _existing(document, steps)
    wanted = _unshared(document.data)
    inner = wanted
    for key in steps[:-1]:
        if inner.get(key) is None:
            inner[key] = {}
        inner = inner[key]
    inner[steps[-1]] = value
    try:
        text = _put_lines(document, steps, value)
    except _Elsewhere:
        text = None
    return _first_right(document, steps, wanted, value, text)


def without(document: Document, steps: Steps) -> str:
    """The text without an entry, and without sections that it leaves empty.

    Raises:
        ConfigError: the entry is shared so that others would change too.
    """
    steps = _existing(document, steps)
    wanted = _unshared(document.data)
    while True:
        inner = wanted
        for key in steps[:-1]:
            inner = inner[key]
        if len(inner) > 1 or len(steps) == 1:
            break
        steps = steps[:-1]
    del inner[steps[-1]]
    place = document.places.get(steps)
    text = None if place is None or not _is_block(document, place) else _drop_lines(document, place)
    return _first_right(document, steps, wanted, _REMOVE, text)


def _existing(document: Document, steps: Steps) -> Steps:
    """The way in the keys that the file has: `123` may be a number there."""
    inner: Any = document.data
    found: list[Any] = []
    for number, step in enumerate(steps):
        if inner is None:
            inner = {}
        if not isinstance(inner, dict):
            raise ConfigError(
                "is a value, not a section that could hold a key.",
                file=str(document.file),
                line=document.line_of(tuple(found)),
                key=key_of(tuple(steps[:number])),
            )
        key = step if step in inner else next((each for each in inner if str(each) == str(step)), step)
        found.append(key)
        inner = inner.get(key)
    return tuple(found)


def _unshared(data: Any) -> Any:
    """A copy in which nothing stands in two places: what an alias repeats must be able to change alone."""
    if isinstance(data, dict):
        return {key: _unshared(item) for key, item in data.items()}
    return [_unshared(item) for item in data] if isinstance(data, list) else data


def _first_right(document: Document, steps: Steps, wanted: Any, value: Any, by_lines: str | None) -> str:
    """The first of several ways to change the text after which reading it gives exactly what was wanted."""
    ways: tuple[Callable[[], str | None], ...] = (lambda: by_lines, lambda: _in_braces(document, steps, value))
    for make in ways:
        text = make()
        if text is not None and _says(document, text, wanted):
            return text or "\n"
    raise ConfigError(
        "cannot be changed without changing something else that the file shares with it; edit the file by hand.",
        file=str(document.file),
        line=document.line_of(steps),
        key=key_of(steps),
    )


def _says(document: Document, text: str, wanted: Any) -> bool:
    try:
        read = parse_document(document.file, text)
    except ConfigError:
        return False
    return _same(read.data, wanted) and not read.repeated


def _same(one: Any, other: Any) -> bool:
    """Whether two values are the same in YAML: 1 is not true there, and .nan is .nan."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_same(item, other[key]) for key, item in one.items())
    if isinstance(one, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other or (one != one and other != other))  # noqa: PLR0124 - only nan differs from itself


# -- lines -------------------------------------------------------------------------------------------------------


def _put_lines(document: Document, steps: Steps, value: Any) -> str:
    lines = _lines(document.text)
    place = document.places.get(steps)
    if place is not None:
        if not _is_block(document, place):
            raise _Elsewhere
        new = _rendered(steps[-1], value, place.column)
        new[0] += _comment_beside(document, place)
        return _joined(document, lines[: place.line - 1] + new + lines[place.last_line :])
    inner: Any = document.data
    for key in steps[:-1]:
        inner = inner.get(key) if isinstance(inner, dict) else None
    if not inner and len(steps) > 1:
        return _put_lines(document, steps[:-1], {steps[-1]: value})
    if not inner:  # the file says nothing yet; what stands for nothing, such as {}, would be in the way
        lines = [line for line in lines if not line.strip() or line.lstrip()[0] == "#" or line.strip() == "---"]
    # What a merge brings has no place of its own.
    siblings = [found for key in inner or () if (found := document.places.get((*steps[:-1], key))) is not None]
    blocks = [sibling for sibling in siblings if _is_block(document, sibling)]
    if len(blocks) != len(siblings) or (inner and not blocks):
        raise _Elsewhere
    column = blocks[0].column if blocks else 0
    after = max((sibling.last_line for sibling in blocks), default=_last_written(lines))
    if len(steps) == 1 and blocks:
        after = _last_written(lines)
    return _joined(document, lines[:after] + _rendered(steps[-1], value, column) + lines[after:])


def _drop_lines(document: Document, place: Place) -> str:
    lines = _lines(document.text)
    return _joined(document, lines[: place.line - 1] + lines[place.last_line :])


def _is_block(document: Document, place: Place) -> bool:
    """Whether an entry has its lines for itself."""
    return not place.flow and not _lines(document.text)[place.line - 1][: place.column].strip()


def _lines(text: str) -> list[str]:
    return _BREAK.split(text)


def _joined(document: Document, lines: list[str]) -> str:
    newline = "\r\n" if "\r\n" in document.text else "\n"
    text = newline.join(lines)
    return text if text.endswith(newline) or not text else text + newline


def _last_written(lines: list[str]) -> int:
    """How many lines there are up to the last one that says anything, comments included."""
    return max((number for number, line in enumerate(lines, 1) if line.strip()), default=0)


def _rendered(key: Any, value: Any, column: int) -> list[str]:
    text = _dumped({key: value}).rstrip("\n")
    return [" " * column + line if line else line for line in text.split("\n")]


def _dumped(value: Any, *, flow: bool = False) -> str:
    import yaml

    def dump(*, plain: bool) -> str:
        return yaml.safe_dump(
            value, default_flow_style=flow, sort_keys=False, allow_unicode=plain, width=1_000_000, indent=2
        )

    text = dump(plain=True)
    return dump(plain=False) if _ODD_BREAK.search(text) else text


def _comment_beside(document: Document, place: Place) -> str:
    """The comment on the line of an entry; a # within a quoted value begins none."""
    line = _lines(document.text)[place.line - 1]
    if place.last_column is None:  # there is no value on this line
        found = _COMMENT.search(line, place.column)
        return found[0] if found else ""
    rest = line[place.last_column :] if place.last_line == place.line else ""
    return rest if _COMMENT.fullmatch(rest) else ""


# -- braces ------------------------------------------------------------------------------------------------------

_REMOVE = object()


def _in_braces(document: Document, steps: Steps, value: Any) -> str | None:
    """Change an entry within braces by replacing its characters, and no others."""
    import yaml

    node: Any = yaml.compose(document.text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    entry: Any = None
    around: list[Any] = []
    for number, step in enumerate(steps):
        around = node.value if isinstance(node, yaml.MappingNode) else []
        entry = next((pair for pair in around if str(pair[0].value) == str(step)), None)
        if number == len(steps) - 1:
            break
        if entry is None or not isinstance(entry[1], yaml.MappingNode) or not entry[1].value:
            for key in reversed(steps[number + 1 :]):
                value = {key: value}
            break
        node = entry[1]
    if not isinstance(node, yaml.MappingNode) or not node.flow_style:
        return None
    if not around:
        return _replaced(document, node, node, _in_flow({step: value}, brackets=True))
    if entry is None:
        return _replaced(document, around[-1][1], around[-1][1], f", {_in_flow({step: value})}", after=True)
    if value is not _REMOVE:
        return _replaced(document, entry[0], entry[1], _in_flow({step: value}))
    index = around.index(entry)
    if index + 1 < len(around):
        return document.text[: entry[0].start_mark.index] + document.text[around[index + 1][0].start_mark.index :]
    before = around[index - 1][1] if index else entry[0]
    start = before.end_mark.index if index else before.start_mark.index
    return document.text[:start] + document.text[entry[1].end_mark.index :]


def _replaced(document: Document, first: Any, last: Any, new: str, *, after: bool = False) -> str:
    """The text with something else in place of two nodes and what is between them, or after the last of them."""
    end = last.end_mark.index
    return document.text[: end if after else first.start_mark.index] + new + document.text[end:]


def _in_flow(value: dict[Any, Any], *, brackets: bool = False) -> str:
    import json

    text = _dumped(value, flow=True).strip()
    if "\n" in text:  # texts of several lines, which JSON writes on one
        text = json.dumps(value, ensure_ascii=False)
        text = _ODD_BREAK.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    return text if brackets else text[1:-1]
