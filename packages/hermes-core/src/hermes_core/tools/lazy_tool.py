"""Tools from a manifest, whose code is not imported yet."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any

from hermes_core.errors import ToolDefinitionError
from hermes_core.tools.declaration import NO_PARAMETERS, check_data, check_schema_text, normalized, words
from hermes_core.tools.tool import Tool
from hermes_core.tools.tool_spec import SPEC_FIELDS, LazyHandler
from hermes_schemas.readonly import frozen
from hermes_schemas.schema_limits import is_small
from hermes_text import is_clean_repr

UNLIMITED = "unlimited"
"""The representation of infinity in a manifest, because JSON has none."""

TOOL_KEYS = frozenset({*SPEC_FIELDS, "code", "source"})
"""The keys of a tool in a manifest."""

_DEFAULTS = {field.name: None if field.default is MISSING else field.default for field in fields(Tool)}
_DEFAULTS["parameters"] = NO_PARAMETERS


def lazy_tool(entry: Mapping[str, Any], handler: LazyHandler) -> Tool:
    """Return the tool that a manifest describes. Raises `ToolDefinitionError` if its entry is invalid."""
    made = object.__new__(Tool)
    put = functools.partial(object.__setattr__, made)
    for field, value in (_DEFAULTS | {key: entry[key] for key in SPEC_FIELDS if key in entry}).items():
        put(field, math.inf if value == UNLIMITED and field in ("max_result_size_chars", "timeout") else value)
    put("handler", handler)
    for field, value in normalized(made).items():
        put(field, value)
    if not _is_harmless(made.parameters):
        check_schema_text(str(made.name), made.parameters)
    check_data(made)
    put("parameters", frozen(made.parameters))
    if not isinstance(entry.get("source", ""), str):
        raise ToolDefinitionError(made.name, f"source is {entry['source']!r}.")
    if "forward" in words(made.name, "code", entry.get("code", ())):
        put("forward", handler)  # planning and explaining a call must know about forwarding
    return made


def _is_harmless(parameters: object) -> bool:
    """Return True if a quick check of the whole schema finds nothing suspicious."""
    try:
        shown = repr(parameters)
    except RecursionError:
        return False
    return isinstance(parameters, Mapping) and is_small(shown) and is_clean_repr(shown)
