"""The text of a tool's definition: the same on every machine, reviewed line by line, and pinned by its digest."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from hermes_core.errors import ToolDefinitionError
from hermes_core.tools.definitions import neutral_definition
from hermes_core.tools.spec import ToolSpec

_MAX_DEPTH = 200
"""Containers inside containers. Models are shown 64 schemas deep, and each takes at most three containers."""
_MAX_CHARS = 2_000_000
"""The length of a definition: larger than any model's context."""
_LONGEST_LINE = 80

_PLAIN_KEY = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]*").fullmatch
_PIECES = re.compile(r"(?<=\n)(?=.)|(?<=[.:;!?] )(?=.)", re.DOTALL).split
"""Long texts are split after lines and sentences, so that a diff shows the one that changed."""
# Characters that Python calls printable though they show nothing: fillers, selectors, and the blank Braille pattern.
_UNSEEN = re.compile(
    r"[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]"
)


def define(spec: ToolSpec, *, plugin: str, distribution: str | None) -> list[str]:
    """Return the lines that pin a tool: what models are shown, what policy decides by, and where the tool comes from.

    Each line is `path: value`, such as `parameters.properties.n.maximum: 10`. Two tools have the same lines only if
    all of that is the same. Control characters and invisible characters are JSON escapes.

    Raises:
        ToolDefinitionError: The definition is not JSON, or larger than anything a model could read.
    """
    definition: dict[str, Any] = {
        "name": spec.name,
        "plugin": plugin,
        "distribution": distribution,
        "toolset": spec.toolset,
        "effects": sorted(set(spec.effects)),
        "requires_env": sorted(set(spec.requires_env)),
        "needs": sorted({each if isinstance(each, str) else _full_name(each) for each in spec.needs}),
        "aliases": sorted(set(spec.aliases)),
        "argument_aliases": spec.argument_aliases,
        "description": spec.description,
        "parameters": spec.parameters,
    }
    lines: list[str] = []
    left = _MAX_CHARS
    try:
        for key, value in definition.items():
            for line in _lines(key, value, 1) if value else ():
                left -= len(line)
                if left < 0:
                    raise ValueError(f"it has more than {_MAX_CHARS:,} characters")
                lines.append(line)
    except ValueError as error:
        raise ToolDefinitionError(spec.name, f"its definition cannot be locked: {error}.") from error
    return lines


def digest(lines: list[str]) -> str:
    """Return `sha256:` and the hash of a definition's lines."""
    return "sha256:" + hashlib.sha256("\n".join(lines).encode("utf-8", "backslashreplace")).hexdigest()


def estimate_tokens(spec: ToolSpec) -> int:
    """Return about how many tokens the definition costs in every request: four characters each."""
    function = neutral_definition(spec.name, spec.description, spec.parameters)
    shown = {"type": "function", "function": function}
    return -(-len(json.dumps(shown, separators=(",", ":"), ensure_ascii=False)) // 4)


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


def _full_name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def _lines(path: str, value: Any, depth: int) -> Iterator[str]:
    """Yield the lines of a value. Raises `ValueError` for what is not JSON, or has no end."""
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
    else:
        yield f"{path}: {_scalar(value)}"


def _key(key: Any) -> str:
    if not isinstance(key, str | bool | int | float | None):
        raise ValueError(f"it has a {type(key).__name__} for a key")  # noqa: TRY004 - as whatever is not JSON
    text = key if isinstance(key, str) else json.dumps(key)
    return text if _PLAIN_KEY(text) else quote(text)


def _scalar(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_scalar, value))}]"
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"it holds {value!r}, which is not JSON")
        value = int(value) if value.is_integer() else float(value)  # 1 and 1.0 are one number
    if value is None or isinstance(value, bool | int | float):
        return json.dumps(value)
    raise ValueError(f"it holds a {type(value).__name__}, which is not JSON")
