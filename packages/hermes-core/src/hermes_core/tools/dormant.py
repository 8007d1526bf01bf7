"""Tools whose code is not imported yet: everything about them is known but the way to run them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from hermes_core.errors import ToolDefinitionError
from hermes_core.tools.declaration import check_names, check_parameters, check_schema_text
from hermes_core.tools.spec import DEFAULT_RESULT_CHARS, EFFECTS, Dormant
from hermes_core.tools.tool import Tool
from hermes_schemas.limits import is_small
from hermes_schemas.readonly import frozen
from hermes_text import is_clean_repr

UNLIMITED = "unlimited"
"""How a manifest writes the infinity that JSON lacks."""

CODE_FIELDS = ("check", "assess", "binding", "forward", "dynamic_schema")
"""What only the code can do; a manifest says that it is there."""

_NO_ALIASES: Mapping[str, str] = MappingProxyType({})
_TEXTS: dict[str, Any] = {"toolset": None, "description": "", "emoji": ""}
_FLAGS = ("is_async", "always_load", "in_every_scope")
_WORDS = ("requires_env", "requires_bin", "requires_extra", "aliases", "keywords", "calls", "needs")
_KINDS: dict[str, type] = {
    **dict.fromkeys(("description", "emoji", "source"), str),
    **dict.fromkeys(_FLAGS, bool),
    **dict.fromkeys((*_WORDS, "effects", "code"), list),
    **dict.fromkeys(("argument_aliases", "parameters"), dict),
}
TOOL_KEYS = frozenset({"name", "toolset", "max_result_size_chars", "timeout", *_KINDS})
"""What a manifest may say of a tool."""


def dormant_tool(entry: Mapping[str, Any], dormant: Dormant) -> Tool:
    """Return the tool that a manifest describes.

    Args:
        entry: What the manifest says of it, as JSON.
        dormant: What stands for its code.

    Raises:
        ToolDefinitionError: no tool can be like that.
    """
    name = entry.get("name")
    for key, value in entry.items():
        kind = _KINDS.get(key)
        if kind is not None and not isinstance(value, kind):
            raise ToolDefinitionError(str(name), f"its {key} is {value!r}.")
        if kind is list and not all(type(word) is str for word in value):
            raise ToolDefinitionError(str(name), f"its {key} are not all words.")
    effects = frozenset(entry.get("effects", ()))
    if not effects <= EFFECTS:
        raise ToolDefinitionError(str(name), f"{min(effects - EFFECTS)!r} is not an effect.")
    aliases = entry.get("argument_aliases")
    if aliases and not all(type(target) is str for target in aliases.values()):
        raise ToolDefinitionError(str(name), "its argument_aliases are not all words.")
    made = object.__new__(Tool)
    put = object.__setattr__
    put(made, "name", name)
    for key, default in _TEXTS.items():
        put(made, key, entry.get(key, default))
    for key in _FLAGS:
        put(made, key, entry.get(key, False))
    for key in _WORDS:
        put(made, key, tuple(entry.get(key, ())))
    put(made, "effects", effects)
    put(made, "parameters", frozen(entry.get("parameters") or {"type": "object", "properties": {}}))
    put(made, "max_result_size_chars", _amount(name, entry, "max_result_size_chars", DEFAULT_RESULT_CHARS))
    put(made, "timeout", _amount(name, entry, "timeout", None))
    put(made, "argument_aliases", MappingProxyType(aliases) if aliases else _NO_ALIASES)
    put(made, "handler", dormant)
    for code in (*CODE_FIELDS, "signature", "blocked"):
        put(made, code, None)
    if "forward" in entry.get("code", ()):
        put(made, "forward", dormant)  # whoever plans or explains a call must know that it is about another tool
    check_names(made)
    _check_schema_text(made)
    check_parameters(made)
    return made


def _check_schema_text(made: Tool) -> None:
    """Look at each text only if one look at all of them finds something suspicious."""
    try:
        shown = repr(made.parameters)
    except RecursionError:
        shown = ""
    if not (shown and is_small(shown) and is_clean_repr(shown)):
        check_schema_text(made.name, made.parameters)


def _amount(name: object, entry: Mapping[str, Any], key: str, default: float | None) -> float | None:
    value = entry.get(key, default)
    if value == UNLIMITED:
        return math.inf
    if value is None and default is None:
        return None
    if type(value) not in (int, float) or not 0 < value < math.inf:
        raise ToolDefinitionError(str(name), f"its {key} is {value!r}.")
    return value  # type: ignore[no-any-return]
