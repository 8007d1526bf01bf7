"""Reads the searchable texts of a tool's definition."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from hermes_search.ranking.stems import stem
from hermes_search.ranking.words import STOP_WORDS, split

FIELDS = ("name", "keywords", "summary", "description", "parameters", "parameter descriptions")
"""The fields of a tool. The summary is the first sentence of the description."""
_TEXT = 8_000
"""How many characters of one text are read: an MCP server may send megabytes."""
_MEMBERS = 256
"""How many parameters of one tool are read, including nested ones."""
_NODES = 4 * _MEMBERS
"""How many nested schemas of a tool are read, as they can be deeply nested."""
_DEPTH = 6
_SAID = 32
"""How many words describe what a tool does, from the beginning."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n\s*\n|\n\s*[-*#]")


@dataclass(frozen=True, slots=True)
class Fields:
    """The words of one tool, field by field, in the order of `FIELDS`."""

    name: str
    words: tuple[list[str], ...]
    text: str = ""
    """The text of the tool's embedding."""

    def first_words(self) -> list[str]:
        """Return the first words, which say what the tool does."""
        return [word for place in self.words[:4] for word in place][:_SAID]


def read_fields(definition: object, keywords: Mapping[str, Iterable[str]] | None = None) -> Fields | None:
    """Return the fields of a definition in OpenAI's format, wrapped or flat; None if it has no name.

    Args:
        definition: The definition.
        keywords: Additional keywords, by the tool's name.
    """
    if not isinstance(definition, Mapping):
        return None
    function = definition.get("function")
    if not isinstance(function, Mapping):
        function = definition
    name = function.get("name")
    if not isinstance(name, str) or not name.strip():
        return None
    declared = function.get("keywords") or definition.get("keywords") or ()
    summary, rest = _sentences(function.get("description"))
    names: list[str] = []
    texts: list[str] = []
    for key, text in _parameters(_schema(function)):
        names.append(key)
        texts.append(text)
    return Fields(
        name,
        (
            [stem(word) for word in split(name[:_TEXT])],
            _terms(" ".join([*_strings(declared), *_strings((keywords or {}).get(name))])),
            _terms(summary),
            _terms(rest),
            _terms(" ".join(names)),
            _terms(" ".join(texts)),
        ),
        f"{' '.join(split(name[:_TEXT]))} {summary} {rest}"[:_TEXT],
    )


def _schema(function: Mapping[Any, Any]) -> object:
    """Return the parameters, whether in OpenAI's format, another one, or a list, as web services have them."""
    found = next((function[key] for key in ("parameters", "inputSchema", "input_schema") if key in function), None)
    return {"properties": found} if isinstance(found, list) else found


def _members(properties: object) -> Iterable[tuple[object, object]]:
    if isinstance(properties, list):
        return [(it.get("name"), it) for it in properties if isinstance(it, Mapping)]
    return properties.items() if isinstance(properties, Mapping) else ()


def _terms(text: str) -> list[str]:
    return [stem(word) for word in split(text[:_TEXT]) if word not in STOP_WORDS]


def _sentences(description: object) -> tuple[str, str]:
    """Return the first sentence of a description, and the rest."""
    if not isinstance(description, str):
        return "", ""
    text = description[:_TEXT].strip()
    found = _SENTENCE.search(text)
    return (text, "") if found is None else (text[: found.start()], text[found.end() :])


def _strings(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, Iterable) and not isinstance(value, Mapping | bytes):
        return [it for it in value if isinstance(it, str)]
    return []


def _parameters(schema: object) -> Iterator[tuple[str, str]]:
    """Yield name and text of each parameter, including nested ones."""
    waiting: deque[tuple[object, int]] = deque([(schema, 0)])
    left, nodes = _MEMBERS, _NODES
    while waiting and left > 0 and nodes > 0:
        nodes -= 1
        node, depth = waiting.popleft()
        if not isinstance(node, Mapping) or depth > _DEPTH:
            continue
        for key, member in _members(node.get("properties")):
            left -= 1
            if isinstance(key, str) and left >= 0:
                yield key, _text_of(member)
                waiting.append((member, depth + 1))
        waiting += [(inner, depth + 1) for inner in _inside(node)]


def _inside(node: Mapping[Any, Any]) -> list[object]:
    found: list[object] = [node.get("items"), node.get("additionalProperties")]
    for key in ("anyOf", "oneOf", "allOf"):
        choices = node.get(key)
        if isinstance(choices, list):
            found += choices[:8]
    for key in ("$defs", "definitions"):
        shared = node.get(key)
        if isinstance(shared, Mapping):
            found += list(islice(shared.values(), _MEMBERS))
    return [it for it in found if isinstance(it, Mapping)]


def _text_of(member: object) -> str:
    if not isinstance(member, Mapping):
        return ""
    description = member.get("description")
    choices = member.get("enum")
    words = _strings(choices[:20]) if isinstance(choices, list) else []
    return " ".join([description[:1000] if isinstance(description, str) else "", *words])
