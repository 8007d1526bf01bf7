"""Reads a tool's arguments from the words of a command line."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import click

from hermes_core.errors import describe_json_error

Pairs = list[tuple[str, str]]

_FORMS = "Write key=value pairs, one JSON object, or - to read a JSON object from stdin."


def read_words(words: Sequence[str]) -> dict[str, Any] | Pairs:
    """Return the arguments as an object if they are JSON, otherwise the pairs for `type_pairs`."""
    whole = [word for word in words if word == "-" or word.lstrip().startswith(("{", "["))]
    if whole and len(words) > 1:
        raise click.UsageError(f"{_shorten(whole[0])} cannot be combined with other arguments. {_FORMS}")
    if whole:
        return _read_stdin() if whole[0] == "-" else _read_object(whole[0], "The arguments")
    return [_pair(word) for word in words]


def type_pairs(pairs: Pairs, schema: Mapping[str, Any], aliases: Mapping[str, str]) -> dict[str, Any]:
    """Convert the values of pairs to the types in the tool's schema. A repeated key makes an array."""
    from hermes_schemas import repair_arguments

    grouped: dict[str, list[str]] = {}
    for key, text in pairs:
        grouped.setdefault(key, []).append(text)
    typed: dict[str, Any] = {}
    for key, texts in grouped.items():
        name = aliases.get(key, key)
        given = texts if len(texts) > 1 else texts[0]
        # The pipeline repairs misspelled keys and reports that.
        typed[key] = repair_arguments(schema, {name: given}).args.get(name, given)
    return typed


def _pair(word: str) -> tuple[str, str]:
    key, sign, value = word.partition("=")
    if not sign or not key.strip():
        raise click.UsageError(f"{_shorten(word)} is not an argument. {_FORMS}")
    return key.strip(), value


def _shorten(word: str) -> str:
    return repr(word if len(word) <= 40 else f"{word[:39]}…")


def _read_stdin() -> dict[str, Any]:
    if sys.stdin is None:
        raise click.UsageError("Stdin is closed.")
    try:
        text = sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise click.UsageError("The text from stdin is not UTF-8.") from error
    if not text.strip():
        raise click.UsageError("Stdin is empty: send one JSON object.")
    return _read_object(text, "The arguments from stdin")


def _read_object(text: str, source: str) -> dict[str, Any]:
    try:
        value = json.loads(text.rstrip(), parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        problem = describe_json_error(error)
        hint = " Close every quotation mark, bracket and brace." if problem.startswith("unterminated") else ""
        raise click.UsageError(f"{source} are {problem}.{hint}") from error
    except (ValueError, RecursionError) as error:
        raise click.UsageError(f"{source} are invalid JSON: {error}.") from error
    if not isinstance(value, dict):
        raise click.UsageError(f'{source} must be a JSON object like {{"key": 1}}.')
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
