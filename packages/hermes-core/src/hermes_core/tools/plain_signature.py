"""Reads the signature of a function that a manifest describes, without importing pydantic."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from hermes_core.tools.tool_spec import ContextMarker
from hermes_schemas.annotations import read_annotations
from hermes_schemas.plain_types import Described, NotPlainError, plain_binder

_FALLBACK = {"ToolContext": ContextMarker, "Field": Described}


class PlainSignature:
    """Like `Signature`, for a typed function with plain types whose schema is in a manifest."""

    __slots__ = ("bind", "context_parameter", "description", "parameters")
    checks = False

    def __init__(self, function: Callable[..., object], entry: Mapping[str, Any]) -> None:
        """Raise `NotPlainError` if pydantic is needed, or the manifest does not describe the function."""
        self.parameters: Mapping[str, Any] = entry["parameters"]
        self.description: str = entry.get("description", "")
        written = getattr(function, "__annotations__", {})
        annotations = {name: hint for name, hint in written.items() if name != "return"}
        try:
            hints = read_annotations(function, annotations, fallback=_FALLBACK)
        except Exception as error:  # evaluating an annotation runs the author's code
            raise NotPlainError(function) from error
        contexts = [name for name, hint in hints.items() if isinstance(hint, type) and issubclass(hint, ContextMarker)]
        if len(contexts) > 1:
            raise NotPlainError(function)
        self.context_parameter = contexts[0] if contexts else None
        found = inspect.signature(function).parameters
        accepted = {name: parameter for name, parameter in found.items() if name not in contexts}
        self.bind = plain_binder(accepted, hints, self.parameters)


def plain_signature(
    function: Callable[..., object], name: str, entries: Mapping[str, Mapping[str, Any]]
) -> PlainSignature | None:
    """Return the signature of a function from its manifest entry; None if pydantic is needed."""
    if not inspect.isfunction(function):
        return None
    entry = entries.get(f"{function.__module__}:{function.__name__}")
    if entry is None or entry.get("name") != name or hasattr(function, "__wrapped__"):
        return None
    try:
        return PlainSignature(function, entry)
    except NotPlainError:
        return None
