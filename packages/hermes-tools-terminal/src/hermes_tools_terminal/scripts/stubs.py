"""Writes the module `hermes_tools`: a typed function for each tool that a script may call, made from its schema."""

from __future__ import annotations

import keyword
import re
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

LEFT_OUT: Mapping[str, frozenset[str]] = {
    "terminal": frozenset({"background", "pty", "notify_on_complete", "watch_patterns"}),
}
"""Parameters that a script cannot use: what they start would outlive it, and nobody would hear of it."""

_TYPES = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "array": "list",
    "object": "dict",
    "null": "None",
}
_HELPERS = ("json_parse", "retry", "shell_quote")
_HEAD = '''"""Tools that this script may call. Each answers with what its JSON says: mostly a dict.

A call that failed has "error" in it.

Beside them: json_parse(text), shell_quote(text) and retry(function, max_attempts=3, delay=2).
"""

from __future__ import annotations

from typing import Any, Literal

'''


def module_source(definitions: Sequence[Mapping[str, Any]]) -> str:
    """The text of the module.

    Args:
        definitions: The tools, as `{"name", "description", "parameters"}`.
    """
    functions = [_function(each) for each in definitions]
    names = sorted([*_HELPERS, *(each["name"] for each in definitions)])
    return "\n\n".join([f"{_HEAD}__all__ = {names!r}", *functions]) + "\n"


def signature(definition: Mapping[str, Any]) -> str:
    """How a tool is called, in one line: `name(first: str, second: int = 5)`."""
    return f"{definition['name']}({', '.join(shown for _, shown in _parameters(definition))})"


def _function(definition: Mapping[str, Any]) -> str:
    parameters = _parameters(definition)
    words = ", ".join(map(repr, [definition["name"], *(name for name, _ in parameters)]))
    return f"@_tool({words})\ndef {signature(definition)} -> dict[str, Any]:\n{_docstring(definition)}"


def _parameters(definition: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Each parameter as the tool calls it, and as a function declares it; those without a default come first."""
    schema = definition.get("parameters") or {}
    properties: Mapping[str, Any] = schema.get("properties") or {}
    left_out = LEFT_OUT.get(definition["name"], frozenset())
    required = [name for name in schema.get("required") or () if name in properties]
    order = [*required, *(name for name in properties if name not in required)]
    taken: set[str] = set()
    found = []
    for name in order:
        if name not in left_out:
            own = _identifier(name, taken)
            found.append((name, f"{own}: {_annotated(properties[name], optional=name not in required)}"))
    return found


def _identifier(name: str, taken: set[str]) -> str:
    """A name that Python takes: words of the language get an underscore, and so do names that are taken."""
    own = re.sub(r"\W", "_", name, flags=re.ASCII)
    if not own or own[0].isdigit() or keyword.iskeyword(own):
        own = f"{own}_" if keyword.iskeyword(own) else f"_{own}"
    while own in taken:
        own += "_"
    taken.add(own)
    return own


def _annotated(schema: object, *, optional: bool) -> str:
    hint = _hint(schema)
    if not optional:
        return hint
    default = schema.get("default") if isinstance(schema, Mapping) else None
    if default is None and hint != "Any" and "None" not in hint.split(" | "):
        hint += " | None"
    return f"{hint} = {default!r}"


def _hint(schema: object, depth: int = 0) -> str:
    """A schema as a type, as far as types can say it."""
    if not isinstance(schema, Mapping) or depth > 3:
        return "Any"
    choices = schema.get("enum")
    if isinstance(choices, list) and choices and all(isinstance(each, str | int) or each is None for each in choices):
        return f"Literal[{', '.join(map(repr, choices))}]"
    for key in ("anyOf", "oneOf"):
        if isinstance(schema.get(key), list):
            return _either([_hint(each, depth + 1) for each in schema[key]])
    kind = schema.get("type")
    if isinstance(kind, list):
        return _either([_TYPES.get(each, "Any") for each in kind if isinstance(each, str)])
    if kind == "array" and "items" in schema:
        return f"list[{_hint(schema['items'], depth + 1)}]"
    if kind == "object":
        return "dict[str, Any]"
    return _TYPES.get(kind, "Any") if isinstance(kind, str) else "Any"


def _either(hints: list[str]) -> str:
    return "Any" if not hints or "Any" in hints else " | ".join(dict.fromkeys(hints))


def _docstring(definition: Mapping[str, Any]) -> str:
    """What the tool and its parameters say of themselves; never more than a text, whatever is in it."""
    properties = (definition.get("parameters") or {}).get("properties") or {}
    lines = [str(definition.get("description") or "").strip()]
    told = [
        (own.partition(":")[0], str(properties[name]["description"]))
        for name, own in _parameters(definition)
        if isinstance(properties[name], Mapping) and properties[name].get("description")
    ]
    if told:
        lines += ["", "Args:", *(textwrap.indent(f"{name}: {text}", "    ") for name, text in told)]
    body = "\n".join(lines).strip() or f"Call the tool {definition['name']}."
    if "\\" in body or '"""' in body or body.endswith('"') or not body.replace("\n", "").isprintable():
        return f"    {body!r}"
    return textwrap.indent(
        f'"""{body}\n"""' if "\n" in body else f'"""{body}"""', "    ", lambda line: bool(line.strip())
    )
