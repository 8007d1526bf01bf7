"""Read the text of a page from the data in its scripts, when the page itself has none."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from hermes_tools_web.documents.html_tree import Node, attr
from hermes_tools_web.documents.markdown.escaping import escape
from hermes_tools_web.text import one_line, strip_invisible

FROM_DATA = "The page needs JavaScript. The text is from data in its scripts; readers may not see all of it."
_MAX_JSON = 3_000_000
_MAX_TEXT = 60_000
_MAX_VALUES = 20_000
_PROSE = re.compile(r"\S+(?: \S+){9}|[\u3040-\u9fff]{20}")
_NOT_PROSE = re.compile(r"[{};]\s*[\w.#-]+\s*[{:(]|https?://\S+\Z|\A[\w+/=-]{60}")
_TAG = re.compile(r"<[a-zA-Z/!][^<>]{0,1000}>")
_BREAK = re.compile(r"</?(?:p|div|li|h[1-6]|br|tr)\b[^<>]{0,1000}>|\n\s*\n", re.IGNORECASE)
_FACTS = ("name", "brand", "sku", "price", "priceCurrency", "availability", "startDate")
_TEXTS = ("description", "articleBody", "text", "recipeIngredient", "recipeInstructions", "reviewBody")
_UNREAD = re.compile(r"person|organization|breadcrumb|listitem|image|website|action|rating", re.IGNORECASE)


def read_page_data(root: Node) -> str:
    """Return the text in JSON-LD, otherwise what reads like prose in other JSON; empty when there is none."""
    linked = [data for node in root.iter("script") if "ld+json" in _type(node) for data in _load(node)]
    lines = [line for data in linked for line in _structured_lines(data)]
    if sum(map(len, lines)) < 200:
        states = [
            data
            for node in root.iter("script")
            if _type(node) == "application/json" or attr(node, "id") == "__NEXT_DATA__"
            for data in _load(node)
        ]
        lines += [line for data in states for text in _strings(data) for line in _prose_lines(text)]
    return "\n\n".join(dict.fromkeys(_limited(lines)))


def _type(node: Node) -> str:
    return attr(node, "type").strip().lower()


def _load(node: Node) -> Iterator[Any]:
    text = "".join(node.itertext())
    if len(text) <= _MAX_JSON:
        try:
            yield json.loads(text, strict=False)
        except (ValueError, RecursionError):
            return


def _structured_lines(data: Any) -> Iterator[str]:
    for thing in _walk(data):
        if not isinstance(thing, dict) or _UNREAD.search(str(thing.get("@type", ""))):
            continue
        for name in _FACTS:
            value = thing.get(name)
            if isinstance(value, (str, int, float)) and str(value).strip():
                yield f"- {name}: {escape(one_line(str(value).removeprefix('https://schema.org/')))}"
        for name in _TEXTS:
            for text in _strings(thing.get(name)):
                yield from _lines(text)


def _walk(data: Any) -> Iterator[Any]:
    """Yield the values of JSON in order."""
    left = [data]
    for _ in range(_MAX_VALUES):
        if not left:
            return
        value = left.pop()
        yield value
        if isinstance(value, dict):
            left.extend(reversed(value.values()))
        elif isinstance(value, list):
            left.extend(reversed(value))


def _strings(data: Any) -> Iterator[str]:
    return (value for value in _walk(data) if isinstance(value, str))


def _prose_lines(text: str) -> Iterator[str]:
    return (line for line in _lines(text) if _PROSE.search(line) and not _NOT_PROSE.search(line))


def _lines(text: str) -> Iterator[str]:
    for part in _BREAK.split(text[:_MAX_TEXT]):
        line = " ".join(strip_invisible(_TAG.sub("", part)).split())
        if line and not line.startswith(("http://", "https://")):
            yield escape(line)


def _limited(lines: list[str]) -> Iterator[str]:
    left = _MAX_TEXT
    for line in lines:
        left -= len(line)
        if left < 0:
            return
        yield line
