"""Changes single entries of a YAML file, and preserves the rest, including comments."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from hermes_files import FileError
from hermes_files.yaml_document import Document, Steps, find_entry, key_of, matching_key, parse_document, yaml_loader

_BREAK = re.compile(r"\r\n|[\n\r\x85\u2028\u2029]")
_ODD_BREAK = re.compile(r"[\x85\u2028\u2029]")
_COMMENT = re.compile(r"[ \t]+#.*")


def set_entry(document: Document, steps: Steps, value: Any) -> str:
    """Return the text of a document with one entry set; missing sections around it are added.

    Raises:
        FileError: something around the entry is a value and no section, an alias shares it with other entries,
            or YAML cannot hold the value.
    """
    wanted = inner = _unshared(document.data)
    found: Steps = ()
    for number, step in enumerate(steps, 1):
        if not isinstance(inner, dict):
            raise _refused(document, found, "is a value, not a section that could hold a key.")
        key = matching_key(inner, step)
        found = (*found, key)
        if number == len(steps):
            inner[key] = _plain(document, found, value)
        elif inner.get(key) is None:
            inner[key] = {}
        inner = inner[key]
    return _checked(document, found, wanted, _put(document, found, wanted))


def remove_entry(document: Document, steps: Steps) -> str:
    """Return the text of a document without an entry, if it has it, and without sections that this leaves empty.

    Raises:
        FileError: an alias shares the entry with other entries.
    """
    wanted = _unshared(document.data)
    entry = find_entry(wanted, steps)
    if entry is None:
        return document.text
    steps = entry[0]
    sections = [wanted]
    for key in steps[:-1]:
        sections.append(sections[-1][key])
    while len(steps) > 1 and len(sections[-1]) == 1:
        steps = steps[:-1]
        sections.pop()
    del sections[-1][steps[-1]]
    return _checked(document, steps, wanted, _drop(document, steps))


def _unshared(data: Any) -> Any:
    """Copy data so that no object occurs twice: the values of an alias must be able to change separately."""
    if isinstance(data, dict):
        return {key: _unshared(item) for key, item in data.items()}
    return [_unshared(item) for item in data] if isinstance(data, list) else data


def _plain(document: Document, steps: Steps, value: Any) -> Any:
    """Return a value as YAML holds it: tuples are lists, and other types are refused."""
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, (list, tuple)):
        return [_plain(document, steps, item) for item in value]
    if isinstance(value, Mapping) and all(isinstance(name, (str, int)) for name in value):
        return {name: _plain(document, steps, item) for name, item in value.items()}
    raise FileError(f"{document.file.name} cannot hold a value of type {type(value).__name__}.", key=key_of(steps))


def _checked(document: Document, steps: Steps, wanted: Any, text: str | None) -> str:
    """Return the new text if it parses to exactly the expected data."""
    if text is not None:
        try:
            read = parse_document(document.file, text)
        except FileError:
            pass
        else:
            if _same(read.data, wanted) and not read.repeated:
                return text or "\n"
    reason = "cannot be changed without changing something else that the file shares with it; edit the file by hand."
    raise _refused(document, steps, reason)


def _refused(document: Document, steps: Steps, reason: str) -> FileError:
    return FileError(reason, file=str(document.file), line=document.line_of(steps), key=key_of(steps))


def _same(one: Any, other: Any) -> bool:
    """Return True for equal YAML values: 1 is not true, and .nan equals .nan."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_same(item, other[key]) for key, item in one.items())
    if isinstance(one, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other or (one != one and other != other))  # noqa: PLR0124 - only nan differs from itself


# -- the text ----------------------------------------------------------------------------------------------------


def _put(document: Document, steps: Steps, wanted: Any) -> str | None:
    """Return the text with an entry set; None when another value is on the same line."""
    lines = _BREAK.split(document.text)
    if not document.data:  # an empty document, such as {}
        lines = [line for line in lines if not line.strip() or line.lstrip()[0] == "#" or line.strip() == "---"]
        end = _find_last_line(lines)
        return _joined(document, lines[:end] + _rendered(steps[0], wanted[steps[0]], 0) + lines[end:])
    steps, section, entry = _locate(document, steps)
    found = find_entry(wanted, steps)
    assert found is not None
    value = found[1]
    if section.flow_style and entry is not None:
        return _replaced(document, entry[0].start_mark.index, _end_index(entry), _in_flow({steps[-1]: value}))
    if section.flow_style:
        end = _end_index(section.value[-1])
        return _replaced(document, end, end, f", {_in_flow({steps[-1]: value})}")
    start_mark = (entry or section.value[0])[0].start_mark
    if lines[start_mark.line][: start_mark.column].strip():
        return None
    new = _rendered(steps[-1], value, start_mark.column)
    if entry is not None:
        start, end = start_mark.line, _end(*entry)[0] + 1
        new[0] += _comment_beside(lines, entry)
    else:
        start = end = _find_last_line(lines) if len(steps) == 1 else _end(*section.value[-1])[0] + 1
    return _joined(document, lines[:start] + new + lines[end:])


def _drop(document: Document, steps: Steps) -> str | None:
    found, section, entry = _locate(document, steps)
    if entry is None or found != steps:
        return None
    start_mark = entry[0].start_mark
    if not section.flow_style:
        lines = _BREAK.split(document.text)
        if lines[start_mark.line][: start_mark.column].strip():
            return None
        return _joined(document, lines[: start_mark.line] + lines[_end(*entry)[0] + 1 :])
    index = section.value.index(entry)
    if index + 1 < len(section.value):
        return _replaced(document, start_mark.index, section.value[index + 1][0].start_mark.index, "")
    start = _end_index(section.value[index - 1]) if index else start_mark.index
    return _replaced(document, start, _end_index(entry), "")


def _locate(document: Document, steps: Steps) -> tuple[Steps, Any, Any]:
    """Return the part of a path that is in the text, the section around its end, and the entry there, if any.

    The path ends at an entry without a value, or with an empty section, which has to be rewritten.
    """
    import yaml

    node: Any = yaml.compose(document.text, yaml_loader())
    number = 1
    while True:
        entry = next((pair for pair in node.value if str(pair[0].value) == str(steps[number - 1])), None)
        inner = entry[1] if entry else None
        if number == len(steps) or not isinstance(inner, yaml.MappingNode) or not inner.value:
            return steps[:number], node, entry
        node = inner
        number += 1


def _end(*nodes: Any) -> tuple[int, int]:
    """Return the line and column where nodes end. An alias has the earlier marks of its anchor."""
    return max(map(_end_of, nodes))


def _end_of(node: Any) -> tuple[int, int]:
    start, end = node.start_mark, node.end_mark
    if (start.line, start.column) == (end.line, end.column):
        return 0, 0  # the marks of empty nodes are after blank lines and comments
    if isinstance(node.value, list) and not node.flow_style:
        last = node.value[-1]
        return _end(*last) if isinstance(last, tuple) else _end_of(last)
    after_break = end.column == 0 and end.line > start.line
    return end.line - after_break, end.column


def _end_index(entry: Any) -> int:
    return max(int(node.end_mark.index) for node in entry)


def _comment_beside(lines: list[str], entry: Any) -> str:
    """Return the comment on the line of an entry; a # within a quoted value starts none."""
    key, value = entry
    line, start = lines[key.start_mark.line], key.end_mark.column
    end_line, end_column = _end_of(value)
    if end_line == key.start_mark.line and end_column > start:
        found = _COMMENT.fullmatch(line, end_column)
    else:  # the value is empty, an alias, or ends on another line
        found = _COMMENT.search(line, start)
    return found[0] if found else ""


def _find_last_line(lines: list[str]) -> int:
    """Return the number of the last line that is not blank."""
    return max((number for number, line in enumerate(lines, 1) if line.strip()), default=0)


def _joined(document: Document, lines: list[str]) -> str:
    newline = "\r\n" if "\r\n" in document.text else "\n"
    text = newline.join(lines)
    return text if text.endswith(newline) or not text else text + newline


def _replaced(document: Document, start: int, end: int, new: str) -> str:
    return document.text[:start] + new + document.text[end:]


def _rendered(key: Any, value: Any, column: int) -> list[str]:
    text = _dumped({key: value}).rstrip("\n")
    return [" " * column + line if line else line for line in text.split("\n")]


def _in_flow(value: dict[Any, Any]) -> str:
    text = _dumped(value, flow=True).strip()
    if "\n" in text:  # strings with line breaks, which JSON writes on one line
        text = json.dumps(value, ensure_ascii=False)
        text = _ODD_BREAK.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    return text[1:-1]


def _dumped(value: Any, *, flow: bool = False, unicode: bool = True) -> str:
    import yaml

    text = yaml.safe_dump(
        value, default_flow_style=flow, sort_keys=False, allow_unicode=unicode, width=1_000_000, indent=2
    )
    return _dumped(value, flow=flow, unicode=False) if unicode and _ODD_BREAK.search(text) else text
