"""The text of a tool's definition: the same on every machine, reviewed line by line, and pinned by its digest."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Mapping
from typing import Any

from hermes_core.errors import ToolDefinitionError
from hermes_core.tools.definitions import neutral_definition
from hermes_core.tools.spec import ToolSpec

_MAX_DEPTH = 200
"""Containers inside containers. Models are shown 64 schemas deep, and each takes at most three containers."""
_MAX_NODES = 50_000
"""Values in one definition: far more than any model could read."""
_MAX_CHARS = 1_000_000
"""Characters in one string: larger than any model's context."""
_MAX_BITS = 10_000
"""Python refuses to read or write integers of more than 4,300 digits."""

_PLAIN_KEY = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]*").fullmatch
_PIECES = re.compile(r"(?<=\n)(?=.)|(?<=[.:;!?] )(?=.)", re.DOTALL).split
"""Long texts are split after lines and sentences, so that a diff shows the one that changed."""
_LONGEST_LINE = 80
# Characters that Python calls printable though they show nothing: fillers, selectors, and the blank Braille pattern.
_UNSEEN = re.compile(
    r"[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]"
)


def define(spec: ToolSpec, *, plugin: str, distribution: str | None) -> list[str]:
    """Return the lines that pin a tool: what models are shown, what policy decides by, and where the tool comes from.

    Two tools have the same lines only if all of that is the same. Each line is printable: control characters and
    invisible characters are JSON escapes.

    Raises:
        ToolDefinitionError: The definition is not JSON, or larger than anything a model could read.
    """
    definition: dict[str, Any] = {
        "name": spec.name,
        "plugin": plugin,
        "distribution": distribution,
        "toolset": spec.toolset,
        "effects": _sorted(spec.effects),
        "requires_env": _sorted(spec.requires_env),
        "needs": _sorted(map(_service, spec.needs)),
        "aliases": _sorted(spec.aliases),
        "argument_aliases": spec.argument_aliases,
        "description": spec.description,
        "parameters": spec.parameters,
    }
    text = _Text()
    try:
        for key, value in definition.items():
            if value:
                text.add(f"{key}:", value, "  ", 1)
    except ValueError as error:
        raise ToolDefinitionError(spec.name, f"its definition {error}, so it cannot be locked.") from error
    return text.lines


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
    if text.isascii():
        quoted = json.dumps(text)
        return quoted.replace("\x7f", "\\u007f") if "\x7f" in quoted else quoted
    # Two halves of a surrogate pair are one character to everyone who reads them from JSON.
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    quoted = json.dumps(whole, ensure_ascii=False)
    if quoted.isprintable() and not _UNSEEN.search(quoted):
        return quoted
    return "".join(
        char if char.isprintable() and not _UNSEEN.match(char) else json.dumps(char)[1:-1] for char in quoted
    )


def _service(need: type | str) -> str:
    return need if isinstance(need, str) else f"{need.__module__}.{need.__qualname__}"


def _sorted(words: Any) -> list[str]:
    return sorted(set(words))


class _Text:
    """Writes JSON data as indented lines. Raises `ValueError` for what is not JSON, or has no end."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._nodes_left = _MAX_NODES

    def add(self, label: str, value: Any, indent: str, depth: int) -> None:
        if isinstance(value, str):
            self._add_text(label, value, indent)
        elif not isinstance(value, Mapping | list | tuple) or not value:
            self.lines.append(f"{label} {_scalar(value)}")
        else:
            self._count(len(value), depth)
            self.lines.append(label)
            if isinstance(value, Mapping):
                self._add_mapping(value, indent, depth)
            else:
                for child in value:
                    self.add(f"{indent}-", child, f"{indent}  ", depth + 1)

    def _add_text(self, label: str, text: str, indent: str) -> None:
        if len(text) > _MAX_CHARS:
            raise ValueError(f"holds a text of more than {_MAX_CHARS:,} characters")
        if len(text) <= _LONGEST_LINE and "\n" not in text:
            self.lines.append(f"{label} {quote(text)}")
        else:
            self.lines.append(label)
            self.lines += [f"{indent}{quote(piece)}" for piece in _PIECES(text)]

    def _add_mapping(self, value: Mapping[Any, Any], indent: str, depth: int) -> None:
        named = {self._key(key): child for key, child in value.items()}
        if len(named) != len(value):
            raise ValueError("has one key twice")
        for key in sorted(named):
            label = key if _PLAIN_KEY(key) else quote(key)
            self.add(f"{indent}{label}:", named[key], f"{indent}  ", depth + 1)

    def _key(self, key: Any) -> str:
        if isinstance(key, str):
            return key
        if key is None or isinstance(key, bool | int | float):
            return json.dumps(key)  # as JSON writes it
        raise ValueError(f"has a {type(key).__name__} for a key")

    def _count(self, children: int, depth: int) -> None:
        self._nodes_left -= 1 + children
        if self._nodes_left < 0:
            raise ValueError(f"holds more than {_MAX_NODES:,} values")
        if depth > _MAX_DEPTH:
            raise ValueError(f"is nested deeper than {_MAX_DEPTH} levels")


def _scalar(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{}"
    if isinstance(value, list | tuple):
        return "[]"
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"holds {value!r}, which is not JSON")
        value = int(value) if value.is_integer() else float(value)  # 1 and 1.0 are one number
    if isinstance(value, int) and value.bit_length() > _MAX_BITS:
        raise ValueError("holds an integer with thousands of digits")
    if isinstance(value, int | float):
        return json.dumps(value)
    raise ValueError(f"holds a {type(value).__name__}, which is not JSON")
