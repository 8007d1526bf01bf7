"""JSON as lines of text: the same lines for equal documents, so that they can be compared, hashed and reviewed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

_MAX_DEPTH = 200
"""Containers inside containers."""
_MAX_COMPARED = 1_000
"""Lines that are matched with each other: the time for it grows faster than their number."""
_LONGEST_LINE = 80

_PLAIN_KEY = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]*").fullmatch
_PIECES = re.compile(r"(?<=\n)(?=.)|(?<=[.:;!?] )(?=.)", re.DOTALL).split
"""Long texts are split after lines and sentences, so that a diff shows the one that changed."""
# Characters that Python calls printable though they show nothing: fillers, selectors, and the blank Braille pattern.
_UNSEEN = re.compile(
    r"[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]"
)


def json_lines(document: Mapping[str, Any], *, max_chars: int) -> list[str]:
    """Return the lines of a document: `path: value`, such as `parameters.properties.n.maximum: 10`.

    Two documents have the same lines only if they are equal; 1 and 1.0 are. The entries of the document are in its
    order, those of the objects inside are sorted. Control characters and invisible characters are JSON escapes.

    Raises:
        ValueError: it is not JSON, or too deep or too long.
    """
    lines: list[str] = []
    for key, value in document.items():
        for line in _lines(key, value, 1):
            max_chars -= len(line)
            if max_chars < 0:
                raise ValueError("it has too many characters")
            lines.append(line)
    return lines


def changed_lines(old: list[str], new: list[str]) -> list[str]:
    """Return the lines that were removed and added, after `- ` or `+ `. A very long document is shown as replaced."""
    from difflib import SequenceMatcher

    blocks = [("replace", 0, len(old), 0, len(new))]
    if max(len(old), len(new)) <= _MAX_COMPARED:
        blocks = list(SequenceMatcher(None, old, new, autojunk=False).get_opcodes())
    changed = []
    for tag, old_start, old_end, new_start, new_end in blocks:
        if tag != "equal":
            changed += [f"- {line}" for line in old[old_start:old_end]]
            changed += [f"+ {line}" for line in new[new_start:new_end]]
    return changed


def quote(text: str) -> str:
    """Return text as a JSON string in which every character is visible."""
    # Two halves of a surrogate pair are one character to everyone who reads them from JSON.
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    quoted = json.dumps(whole, ensure_ascii=False)
    if quoted.isprintable() and not _UNSEEN.search(quoted):
        return quoted
    return "".join(
        char if char.isprintable() and not _UNSEEN.match(char) else json.dumps(char)[1:-1] for char in quoted
    )


def _lines(path: str, value: Any, depth: int) -> Iterator[str]:
    if depth > _MAX_DEPTH:
        raise ValueError(f"it is nested deeper than {_MAX_DEPTH} levels")
    if isinstance(value, Mapping) and value:
        children = {_key(key): child for key, child in value.items()}
        if len(children) != len(value):
            raise ValueError("it has one key twice")
        for key in sorted(children):
            yield from _lines(f"{path}.{key}", children[key], depth + 1)
    elif isinstance(value, list | tuple) and any(isinstance(child, Mapping | list | tuple) for child in value):
        for index, child in enumerate(value):
            yield from _lines(f"{path}[{index}]", child, depth + 1)
    elif isinstance(value, str) and (len(value) > _LONGEST_LINE or "\n" in value):
        yield from (f"{path}: {quote(piece)}" for piece in _PIECES(value))
    elif isinstance(value, list | tuple):
        yield f"{path}: [{', '.join(map(_scalar, value))}]"
    else:
        yield f"{path}: {_scalar(value)}"


def _key(key: Any) -> str:
    if not isinstance(key, str | bool | int | float | None):
        raise ValueError(f"it has a {type(key).__name__} for a key")  # noqa: TRY004 - as whatever is not JSON
    text = key if isinstance(key, str) else json.dumps(key)
    return text if _PLAIN_KEY(text) else quote(text)


def _scalar(value: Any) -> str:
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    try:
        return json.dumps({} if isinstance(value, Mapping) else value, allow_nan=False)
    except TypeError as error:
        raise ValueError(str(error)) from error


_PART = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*"|[{}\[\],:]|[^"{}\[\],:\s]++')


def spread_out(text: str) -> str:
    """Return JSON text with a line for each item. Numbers and keys are left as they are written."""
    out: list[str] = []
    depth = 0
    before = ""
    for part in _PART.findall(text):
        if part in "}]":
            depth -= 1
            if before not in "{[":
                out.append("\n" + " " * depth)
        elif before and before in "{[,":
            out.append("\n" + " " * depth)
        out.append(": " if part == ":" else part)
        if part in "{[":
            depth += 1
        before = part
    return "".join(out)
