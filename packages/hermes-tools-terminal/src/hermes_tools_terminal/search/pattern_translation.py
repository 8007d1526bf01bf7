"""Translate patterns for each engine, so that all engines find the same lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from hermes_tools_terminal.search.pattern import (
    LAST,
    Chars,
    Choice,
    Dot,
    Edge,
    Node,
    Repeat,
    Sequence,
    Text,
)

WORD = "\0w"
"""The placeholder for the word characters of all scripts in translations for Python: they are many."""

# White space in Unicode, without the line feed, which no line contains.
_SPACE = "\\t\\x0b-\\r \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000"
_ASCII = {"d": "0-9", "w": "0-9A-Za-z_", "s": "\\t\\x0b-\\r "}
_UNICODE = {"d": "\\d", "w": WORD, "s": _SPACE}
# Undecodable bytes are read as lone surrogates, which no pattern matches.
_ANY_TEXT = "[^\\n\\ud800-\\udfff]"
_ANY_BYTE = "[^\\n]"
# Python treats these as forms of i; Unicode's simple case folding, and so ripgrep, does not.
_TURKISH = "\u0130\u0131"
_LINE_FEED = 10
_LAST_ASCII = 0x7F


def to_ripgrep(node: Node) -> str:
    """Translate a pattern for Rust's regex engine."""
    if isinstance(node, Text):
        return _folded(_rust(node.code), node.fold)
    if isinstance(node, Dot):
        return "."
    if isinstance(node, Edge):
        return node.kind if node.kind in "^$" else f"\\{node.kind}"
    if isinstance(node, Chars):
        members = "".join(f"{_rust(low)}-{_rust(high)}" for low, high in _in_lines(node.ranges))
        members += "".join(f"\\{name.upper() if inverse else name}" for name, inverse in node.names)
        return _folded(f"[{'^' if node.negated else ''}{members}]", node.fold) if members else "[^\\x{0}-\\x{10FFFF}]"
    if isinstance(node, Repeat):
        return f"(?:{to_ripgrep(node.node)}){_times(node)}{'?' if node.lazy else ''}"
    if isinstance(node, Sequence):
        return _grouped("".join(map(to_ripgrep, node.nodes)))
    return _grouped("|".join(map(to_ripgrep, node.nodes)))


def to_python(node: Node, kind: Literal["ascii", "text"]) -> str:
    """Translate a pattern for Python's regex engine, for a whole file at once.

    Args:
        node: The pattern.
        kind: Whether it is for ASCII bytes, or for text whose undecodable bytes are surrogates. The latter contains
            `WORD` for the word characters of all scripts.
    """
    if isinstance(node, Text):
        return _python_text(node, kind)
    if isinstance(node, Dot):
        return _ANY_TEXT if kind == "text" else _ANY_BYTE
    if isinstance(node, Edge):
        return _python_edge(node, kind)
    if isinstance(node, Chars):
        return _python_chars(node, kind)
    if isinstance(node, Repeat):
        return f"(?:{to_python(node.node, kind)}){_times(node)}{'?' if node.lazy else ''}"
    parts = [to_python(each, kind) for each in node.nodes]
    return _grouped(("" if isinstance(node, Sequence) else "|").join(parts))


def required_texts(node: Node) -> tuple[str, ...]:
    """Return ASCII texts of which every matching line contains at least one, ignoring case; none if unknown."""
    if isinstance(node, Text):
        return (chr(node.code),) if _is_needle(node) else ()
    if isinstance(node, Repeat):
        return required_texts(node.node) if node.least else ()
    if isinstance(node, Choice):
        parts = [required_texts(each) for each in node.nodes]
        return tuple(text for part in parts for text in part) if all(parts) else ()
    if not isinstance(node, Sequence):
        return ()
    found: list[tuple[str, ...]] = [()]
    run = ""
    for each in node.nodes:
        plain = isinstance(each, Text) and _is_needle(each)
        run = run + chr(each.code) if plain and isinstance(each, Text) else ""
        found.append((run,) if run else required_texts(each))
    return max(found, key=lambda texts: min(map(len, texts), default=0))


def _is_needle(node: Text) -> bool:
    """Return whether a character has the same bytes in nearly every encoding, except for its case."""
    character = chr(node.code)
    # Unicode has other forms of these two letters beside their capitals.
    return character.isascii() and character not in "\0\n" and not (node.fold and character in "sSkK")


def has_non_ascii(node: Node) -> bool:
    """Return whether a pattern names characters beyond ASCII, whose bytes differ between encodings."""
    if isinstance(node, Text):
        return node.code > _LAST_ASCII
    if isinstance(node, Chars):
        return any(low > _LAST_ASCII or _LAST_ASCII < high < LAST for low, high in node.ranges)
    if isinstance(node, Repeat):
        return has_non_ascii(node.node)
    return isinstance(node, Sequence | Choice) and any(map(has_non_ascii, node.nodes))


def _folded(text: str, fold: bool) -> str:
    return f"(?i:{text})" if fold else text


def _grouped(text: str) -> str:
    return f"(?:{text})"


def _times(node: Repeat) -> str:
    if node.most is None:
        return {0: "*", 1: "+"}.get(node.least, f"{{{node.least},}}")
    return f"{{{node.least},{node.most}}}"


def _in_lines(ranges: tuple[tuple[int, int], ...]) -> Iterator[tuple[int, int]]:
    """Yield ranges without what no line contains: line feeds and surrogates."""
    for low, high in ranges:
        for first, last in ((0, _LINE_FEED - 1), (_LINE_FEED + 1, 0xD7FF), (0xE000, LAST)):
            if max(low, first) <= min(high, last):
                yield max(low, first), min(high, last)


def _rust(code: int) -> str:
    character = chr(code)
    return character if character.isascii() and character.isalnum() else f"\\x{{{code:x}}}"


def _python(code: int) -> str:
    character = chr(code)
    if character.isascii() and character.isalnum():
        return character
    return f"\\x{code:02x}" if code < 0x100 else f"\\U{code:08x}"


def _python_text(node: Text, kind: str) -> str:
    if kind == "ascii":
        return _folded(_python(node.code), node.fold) if node.code < 0x80 else "(?!)"
    if node.fold and chr(node.code) in "iI":
        return "[iI]"
    return _folded(_python(node.code), node.fold and chr(node.code) not in _TURKISH)


def _python_edge(node: Edge, kind: str) -> str:
    if node.kind in "^$" or kind == "ascii":
        return node.kind if node.kind in "^$" else f"\\{node.kind}"
    word = f"[{WORD}]"
    if node.kind == "b":
        return f"(?:(?<={word})(?!{word})|(?<!{word})(?={word}))"
    return f"(?:(?<={word})(?={word})|(?<!{word})(?!{word}))"


def _python_chars(node: Chars, kind: str) -> str:
    classes = _UNICODE if kind == "text" else _ASCII
    highest = 0x10FFFF if kind == "text" else 0x7F
    ranges = [(low, min(high, highest)) for low, high in _in_lines(node.ranges) if low <= highest]
    members = "".join(f"{_python(low)}-{_python(high)}" for low, high in ranges)
    members += "".join(classes[name] for name, inverse in node.names if not inverse)
    anything = _ANY_TEXT if kind == "text" else _ANY_BYTE
    plain = not (node.fold and kind == "text") and not any(inverse for _, inverse in node.names)
    if node.negated and plain:
        return _folded(f"{anything[:-1]}{members}]", node.fold)
    choices = [f"[{members}]"] if members else []
    choices += [f"(?![{classes[name]}]){anything}" for name, inverse in node.names if inverse]
    found = _grouped("|".join(choices or ["(?!)"]))
    if node.fold and kind == "text":
        found = f"(?:(?![{_TURKISH}])(?i:{found})|(?=[{_TURKISH}]){found})"
    elif node.fold:
        found = f"(?i:{found})"
    return f"(?:(?!{found}){anything})" if node.negated else found
