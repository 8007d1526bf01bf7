"""Reads the signature of a function that a manifest describes, so that a call does not need pydantic."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, get_type_hints

from hermes_core.tools.spec import ContextMarker
from hermes_schemas.plain_types import Convert, Described, NotPlainError, converter


class PlainSignature:
    """What a typed function accepts, as `Signature` has it, where the manifest describes it and its types are plain.

    Attributes:
        parameters: The JSON schema of the manifest.
        description: The description of the manifest.
        context_parameter: The parameter that wants the tool context.
        checks: False: `bind` converts arguments that were checked against the schema.
    """

    __slots__ = ("_converters", "context_parameter", "description", "parameters")
    checks = False

    def __init__(self, function: Callable[..., object], entry: Mapping[str, Any]) -> None:
        """Raises `NotPlainError` when pydantic must read the function, or the manifest is not of this function."""
        self.parameters: Mapping[str, Any] = entry["parameters"]
        self.description: str = entry.get("description", "")
        found = inspect.signature(function).parameters
        hints = _hints(function)
        contexts = [name for name, hint in hints.items() if isinstance(hint, type) and issubclass(hint, ContextMarker)]
        self.context_parameter = contexts[0] if contexts else None
        accepted = {name: parameter for name, parameter in found.items() if name not in contexts}
        if len(contexts) > 1 or not _is_described(accepted, self.parameters):
            raise NotPlainError(function)
        self._converters: dict[str, Convert] = {name: converter(hints.get(name)) for name in accepted}

    def bind(self, args: Mapping[str, Any], *, strict: bool = False) -> dict[str, Any]:  # noqa: ARG002 - as `Signature`
        """Turn arguments that fit the schema into the function's own types. Raises `ValueError`."""
        try:
            return {name: self._converters[name](value) for name, value in args.items()}
        except KeyError as error:
            raise ValueError(f"there is no parameter {error}") from None


def plain_signature(
    function: Callable[..., object], name: str, entries: Mapping[str, Mapping[str, Any]]
) -> PlainSignature | None:
    """Return the signature of a function by the entries of its manifest; None when pydantic must read it."""
    if not inspect.isfunction(function):
        return None
    entry = entries.get(f"{function.__module__}:{function.__name__}")
    if entry is None or entry.get("name") != name or hasattr(function, "__wrapped__"):
        return None
    try:
        return PlainSignature(function, entry)
    except NotPlainError:
        return None


def _hints(function: Callable[..., object]) -> dict[str, Any]:
    # A module may import both for type checkers only.
    fallback = {"ToolContext": ContextMarker, "Field": Described}
    known: dict[str, Any] = getattr(function, "__globals__", {})
    names = {name: value for name, value in fallback.items() if name not in known}

    def annotated() -> None: ...

    annotated.__annotations__ = {
        name: hint for name, hint in getattr(function, "__annotations__", {}).items() if name != "return"
    }
    try:
        return get_type_hints(annotated, known, names, include_extras=True)
    except Exception as error:  # evaluating an annotation runs the author's code
        raise NotPlainError(function) from error


def _is_described(accepted: Mapping[str, inspect.Parameter], schema: Mapping[str, Any]) -> bool:
    """True when a schema has these parameters and defaults and no others: it is of this function."""
    properties = schema.get("properties", {})
    required = {name for name, parameter in accepted.items() if parameter.default is parameter.empty}
    by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return (
        accepted.keys() == properties.keys()
        and required == set(schema.get("required", ()))
        and all(parameter.kind in by_name for parameter in accepted.values())
        and all(accepted[name].default == properties[name].get("default") for name in accepted.keys() - required)
    )
