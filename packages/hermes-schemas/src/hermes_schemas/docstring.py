"""Splits a docstring in the style of Google, NumPy or Sphinx into its text and the descriptions of the parameters."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass

_GOOGLE = re.compile(r"^(args|arguments|parameters|params|keyword args|other parameters):\s*$", re.IGNORECASE)
_GOOGLE_ITEM = re.compile(r"^(\*{0,2}\w+)(?:\s*\((?:[^()]|\([^()]*\))*\))?\s*:\s*(.*)$")
_NUMPY = re.compile(r"^(parameters|other parameters)$", re.IGNORECASE)
_NUMPY_ITEM = re.compile(r"^(\*{0,2}\w+(?:, *\*{0,2}\w+)*)(?:\s*:.*)?()$")
_SPHINX = re.compile(r"^:(?:param|parameter|arg|argument|key)\s([^:]*):\s*(.*)$")
_SPHINX_TYPE = re.compile(r"^:(?:type)\s+\w+\s*:")


@dataclass(frozen=True, slots=True)
class Docstring:
    """The text without its parameters, and the description of each parameter."""

    text: str
    parameters: dict[str, str]


def read_docstring(doc: str | None) -> Docstring:
    """Split a docstring."""
    if not doc:
        return Docstring("", {})
    lines = inspect.cleandoc(doc).splitlines()
    text: list[str] = []
    found: dict[str, list[str]] = {}
    at = 0
    while at < len(lines):
        line = lines[at]
        if _GOOGLE.match(line):
            at = _read_items(lines, at + 1, _GOOGLE_ITEM, found, indented=True)
        elif _NUMPY.match(line) and at + 1 < len(lines) and set(lines[at + 1].strip()) == {"-"}:
            at = _read_items(lines, at + 2, _NUMPY_ITEM, found, indented=False)
        elif match := _SPHINX.match(line):
            at = _read_sphinx(lines, at, match, found)
        elif _SPHINX_TYPE.match(line):
            at += 1
        else:
            text.append(line)
            at += 1
    whole = re.sub(r"\n{3,}", "\n\n", "\n".join(text)).strip()
    return Docstring(whole, {name: " ".join(" ".join(parts).split()) for name, parts in found.items()})


def _read_items(
    lines: list[str], at: int, item: re.Pattern[str], found: dict[str, list[str]], *, indented: bool
) -> int:
    """Read `name: text` items until the section ends; deeper lines continue the item above them."""
    base: int | None = None
    current: list[str] | None = None
    while at < len(lines):
        line = lines[at]
        if not line.strip():
            at += 1
            continue
        indent = len(line) - len(line.lstrip())
        if base is None:
            base = indent
        if indent < base or (indented and indent == 0):
            break
        if not indented and indent == base and at + 1 < len(lines) and set(lines[at + 1].strip()) == {"-"}:
            break
        match = item.match(line.strip()) if indent == base else None
        if match:
            current = [match.group(2)]
            found.update((name.strip(" *"), current) for name in match.group(1).split(","))
        elif current is not None:
            current.append(line.strip())
        at += 1
    return at


def _read_sphinx(lines: list[str], at: int, match: re.Match[str], found: dict[str, list[str]]) -> int:
    """Read one `:param name: text` field with its continuation lines."""
    parts = [match.group(2)]
    if words := match.group(1).split():  # `:param int x:` names the type first
        found[words[-1].lstrip("*")] = parts
    at += 1
    while at < len(lines) and lines[at][:1].isspace() and lines[at].strip():
        parts.append(lines[at].strip())
        at += 1
    return at
