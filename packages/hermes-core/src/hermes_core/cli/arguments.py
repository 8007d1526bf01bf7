"""Reads a tool's arguments from the words of a command line."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import click

from hermes_core.cli.schemas import Node, SchemaReader, allowed_values, json_type

Pairs = list[tuple[str, str]]

_FORMS = "Write key=value pairs, one JSON object, or - to read a JSON object from stdin."


def read_words(words: Sequence[str]) -> dict[str, Any] | Pairs:
    """The arguments as an object when they came as JSON, else the pairs that still have to be typed.

    Raises:
        click.UsageError: the words are neither, or a mixture.
    """
    whole = [word for word in words if word == "-" or word.lstrip().startswith(("{", "["))]
    if whole and len(words) > 1:
        raise click.UsageError(f"{_shown(whole[0])} cannot stand beside other arguments. {_FORMS}")
    if whole:
        return _read_stdin() if whole[0] == "-" else _read_object(whole[0], "The arguments")
    return [_pair(word) for word in words]


def _pair(word: str) -> tuple[str, str]:
    key, sign, value = word.partition("=")
    if not sign or not key.strip():
        raise click.UsageError(f"{_shown(word)} is not an argument. {_FORMS}")
    return key.strip(), value


def _shown(word: str) -> str:
    return repr(word if len(word) <= 40 else f"{word[:39]}…")


def _read_stdin() -> dict[str, Any]:
    if sys.stdin is None:
        raise click.UsageError("There is no stdin to read from: it is closed.")
    try:
        text = sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise click.UsageError("What came from stdin is not UTF-8 text.") from error
    if not text.strip():
        raise click.UsageError("Nothing came from stdin: send one JSON object.")
    return _read_object(text, "What came from stdin")


def _read_object(text: str, source: str) -> dict[str, Any]:
    try:
        value = _parse(text)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise click.UsageError(f"{source} cannot be read as JSON: {error.msg} ({where}).") from error
    except (ValueError, RecursionError) as error:
        raise click.UsageError(f"{source} cannot be read as JSON: {error}.") from error
    if not isinstance(value, dict):
        raise click.UsageError(f'{source} must be a JSON object like {{"key": 1}}, not of type {json_type(value)}.')
    return value


def type_pairs(pairs: Pairs, schema: Node, aliases: Mapping[str, str]) -> dict[str, Any]:
    """Pairs as arguments, each value of the type that the tool's schema gives it.

    What the schema cannot type stays text: the pipeline repairs it or says what is wrong with it.

    Raises:
        click.UsageError: a key is given twice that does not take several values.
    """
    reader = SchemaReader(schema)
    grouped: dict[str, list[str]] = {}
    for key, value in pairs:
        grouped.setdefault(key, []).append(value)
    return {
        key: _typed_group(reader, key, texts, _schema_of(reader, aliases.get(key, key)))
        for key, texts in grouped.items()
    }


def _schema_of(reader: SchemaReader, key: str) -> object:
    properties = reader.properties(reader.root)
    return properties[key] if key in properties else reader.resolve(reader.root).get("additionalProperties")


def _typed_group(reader: SchemaReader, key: str, texts: list[str], node: object) -> Any:
    if len(texts) == 1:
        return _typed(reader, texts[0], node)
    if "array" not in reader.types(node):
        raise click.UsageError(f"{key!r} is given {len(texts)} times, but it takes one value.")
    items = reader.branch(node, "array").get("items")
    return [_typed(reader, text, items) for text in texts]


def _typed(reader: SchemaReader, text: str, node: object) -> Any:
    """One value. Text stays text wherever the schema allows text, even if it looks like a number."""
    types = reader.types(node)
    if not types:
        return text
    values = allowed_values(reader.resolve(node))
    if "string" in types and (values is None or text in values):
        return text
    value = _parsed_or_text(text)
    if values is not None:
        return value if any(value == each and json_type(value) == json_type(each) for each in values) else text
    kind = json_type(value)
    if kind in types or (kind == "integer" and "number" in types):
        return value
    if "array" in types and not text.lstrip().startswith("["):
        return [_typed(reader, text, reader.branch(node, "array").get("items"))]
    return text


def _parsed_or_text(text: str) -> Any:
    lowered = text.lower()
    if lowered in ("true", "false"):
        return lowered == "true"
    try:
        return _parse(text)
    except (ValueError, RecursionError):
        return text


def _parse(text: str) -> Any:
    return json.loads(text, parse_constant=_refuse)


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
