"""Cleans the text of tools for models, and rejects definitions that are too large or that cleaning would break."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from hermes_core.errors import ToolDefinitionError
from hermes_schemas.keywords import ONE_SCHEMA, SCHEMA_LIST, SCHEMA_MAP

MAX_DESCRIPTION_BYTES = 16 * 1024
"""The longest description: some model APIs accept a sixteenth of it."""
MAX_SCHEMA_BYTES = 128 * 1024
"""The largest parameters, as JSON: about 30,000 tokens of every conversation."""
MAX_DEPTH = 64
"""How deep schemas may be nested in each other."""
MAX_PROPERTIES = 512
"""How many properties the parameters may have, those of nested objects included."""

# Everything that `sanitize_text` could change; other text need not import it.
_ROLES = ("Human", "Assistant", "HUMAN", "ASSISTANT", "USER", "SYSTEM")
_SUSPECT = re.compile(rf"[^\t\n -~]|[<\[]|(?:{'|'.join(_ROLES)})[ \t]*:")
# In the `repr` of JSON a backslash escapes something, and dots in brackets are a container inside itself. A bracket
# before a letter may begin a chat template token; others begin a list.
_SUSPECT_IN_REPR = ("\\", "<", "...}", "...]", *_ROLES)
_SUSPECT_BRACKET = re.compile(r"\[(?![]'\"\d{[-])")
_UNCLEAN = "contains control characters, invisible characters or chat template tokens"


def clean_text(text: str) -> str:
    """Remove chat template tokens, role tags, escape sequences and invisible characters; other text is unchanged."""
    if not _SUSPECT.search(text):
        return text
    from hermes_text.sanitize import sanitize_text  # rarely needed

    return sanitize_text(text)


def is_clean_name(name: str) -> bool:
    """True for a name on one line that `clean_text` does not change."""
    return "\n" not in name and "\t" not in name and clean_text(name) == name


def check_description(tool: str, description: str) -> None:
    """Raise `ToolDefinitionError` for a description that is longer than `MAX_DESCRIPTION_BYTES`."""
    size = _size(description)
    if size > MAX_DESCRIPTION_BYTES:
        raise ToolDefinitionError(
            tool,
            f"its description has {size:,} bytes, and {MAX_DESCRIPTION_BYTES:,} are the limit.",
            remedy="Shorten it, and describe each parameter where it is declared.",
        )


def is_plain_schema(parameters: Mapping[str, Any]) -> bool:
    """True for JSON in which `check_schema_text` finds nothing; quick, and False means only that it must look."""
    try:
        text = repr(parameters)
    except RecursionError:
        return False
    return (
        len(text) <= MAX_SCHEMA_BYTES // 2  # `repr` may write a little less than JSON
        and text.count("{") + text.count("[") <= MAX_DEPTH
        and text.count(":") <= MAX_PROPERTIES
        and text.isascii()
        and text.isprintable()
        and not any(suspect in text for suspect in _SUSPECT_IN_REPR)
        and not _SUSPECT_BRACKET.search(text)
    )


class _Part(NamedTuple):
    """A part of the parameters: what it is, what it belongs to, and how deep it is nested."""

    value: object
    kind: str  # "schema", "names" (a mapping of names to schemas), "literal" (enum and const) or "data"
    parameter: str | None
    depth: int


def check_schema_text(tool: str, parameters: Mapping[str, Any]) -> None:
    """Raise `ToolDefinitionError` for parameters beyond a limit, and for names or values that models cannot repeat.

    A model repeats names and enum values in its calls. If cleaning changes one, no call with it would be valid.
    """
    size = properties = 0
    todo = [_Part(parameters, "schema", None, 1)]
    while todo:
        part = todo.pop()
        size += _part_size(part.value)
        if size > MAX_SCHEMA_BYTES:
            raise _too_large(tool, f"take more than {MAX_SCHEMA_BYTES:,} bytes as JSON")
        if isinstance(part.value, str):
            if part.kind == "literal" and clean_text(part.value) != part.value:
                raise ToolDefinitionError(
                    tool,
                    f"its allowed value {part.value!r} {_UNCLEAN}.",
                    parameter=part.parameter,
                    remedy="Models would be shown another value. Use a plain word, and translate it in the handler.",
                )
            continue
        if not isinstance(part.value, Mapping | list | tuple):
            continue
        if part.depth > MAX_DEPTH:
            raise _too_large(tool, f"are nested deeper than {MAX_DEPTH} levels, or contain themselves")
        if isinstance(part.value, Mapping):
            _check_keys(tool, part)
            properties += len(part.value) if part.kind == "names" else 0
            if properties > MAX_PROPERTIES:
                raise _too_large(tool, f"have more than {MAX_PROPERTIES} properties")
        todo.extend(_children(part))


def _too_large(tool: str, reason: str) -> ToolDefinitionError:
    return ToolDefinitionError(tool, f"its parameters {reason}.", remedy="Simplify them, or split the tool.")


def _check_keys(tool: str, part: _Part) -> None:
    for key in part.value if isinstance(part.value, Mapping) else ():
        if isinstance(key, str) and not is_clean_name(key):
            raise ToolDefinitionError(
                tool, f"the name {key!r} {_UNCLEAN}.", parameter=part.parameter, remedy="Rename it: use plain letters."
            )


def _children(part: _Part) -> Iterator[_Part]:
    value, kind, parameter, depth = part
    if isinstance(value, list | tuple):
        yield from (_Part(child, kind, parameter, depth + (kind != "schema")) for child in value)
    elif isinstance(value, Mapping):
        for key, child in value.items():
            if kind == "names":
                # The first level of names is that of the tool's own parameters.
                yield _Part(child, "schema", str(key) if depth == 2 else parameter, depth)
            else:
                yield _Part(child, _kind(key, child) if kind == "schema" else kind, parameter, depth + 1)


def _kind(keyword: object, value: object) -> str:
    if keyword in SCHEMA_MAP and isinstance(value, Mapping):
        return "names"
    if keyword in ("enum", "const"):
        return "literal"
    if keyword in ONE_SCHEMA or keyword in SCHEMA_LIST:
        return "schema"
    return "data"


def _part_size(value: object) -> int:
    """The least that a part takes in JSON, without what is inside it."""
    if isinstance(value, str):
        return _size(value) + 2
    if isinstance(value, Mapping):
        return 2 + sum(_size(key) + 4 for key in value if isinstance(key, str))
    return 2


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
