"""Turns a typed Python function into a JSON schema, and JSON arguments into the function's own types."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

from hermes_core.errors import ToolDefinitionError
from hermes_core.tools.docstring import read_docstring
from hermes_core.tools.spec import ContextMarker

if TYPE_CHECKING:
    from pydantic import TypeAdapter

_VARIADIC: dict[object, str] = {
    inspect.Parameter.VAR_POSITIONAL: "takes *{0}, which has no place in a JSON object.",
    inspect.Parameter.VAR_KEYWORD: "takes **{0}, so a model cannot know what to send.",
    inspect.Parameter.POSITIONAL_ONLY: "is positional-only, but arguments arrive by name.",
}


class Signature:
    """What a typed function accepts: its schema for the model and the way from JSON to Python values.

    Attributes:
        parameters: The JSON schema.
        description: What the docstring says of the function.
        context_parameter: The parameter that wants the tool context.
        bind: Turns arguments that fit the schema into the function's own types: dates, enums, models. With
            `strict=True` only arguments that need no conversion pass. Raises `ValueError`.
    """

    __slots__ = ("bind", "context_parameter", "description", "parameters")

    def __init__(self, name: str, function: Callable[..., object], names: Mapping[str, Any] | None = None) -> None:
        inspected, hints = _inspect(name, function, names or {})
        self.context_parameter = _find_context(name, hints)
        accepted = [p for p in inspected.parameters.values() if p.name != self.context_parameter]
        for parameter in accepted:
            _refuse_unusable(name, parameter, hints)
        adapter = _adapt(name, accepted, hints)
        documented = read_docstring(function.__doc__)
        self.description = documented.text
        self.parameters = _schema_of(name, adapter, documented.parameters)
        self.bind: Callable[..., dict[str, Any]] = adapter.validator.validate_python


def _inspect(
    name: str, function: Callable[..., object], names: Mapping[str, Any]
) -> tuple[inspect.Signature, dict[str, Any]]:
    """Read the signature; `names` are those in sight where the function was declared."""
    try:
        inspected = inspect.signature(function)
    except (TypeError, ValueError) as error:
        raise ToolDefinitionError(
            name, f"its signature cannot be read ({error}).", remedy="Use Tool.from_schema for it."
        ) from error
    annotated = _annotated_part(function)
    seen = {**_context_name(annotated), **names}
    try:
        hints = get_type_hints(annotated, localns=seen, include_extras=True)
    except Exception as error:  # evaluating annotations runs the author's code
        raise ToolDefinitionError(
            name,
            f"its annotations cannot be read ({type(error).__name__}: {error}).",
            remedy="Import the annotated types at module level, outside `if TYPE_CHECKING`.",
        ) from error
    return inspected, hints


def _annotated_part(function: Callable[..., object]) -> Callable[..., object]:
    """The function that carries the annotations of a partial or of a callable object."""
    if isinstance(function, functools.partial):
        return _annotated_part(function.func)
    if inspect.isroutine(function):
        return function
    return type(function).__call__


def _context_name(function: Callable[..., object]) -> dict[str, object]:
    """Lets a module import ToolContext for type checkers only and still have its annotations read."""
    known = getattr(function, "__globals__", {})
    return {} if "ToolContext" in known else {"ToolContext": ContextMarker}


def _find_context(name: str, hints: Mapping[str, Any]) -> str | None:
    found = []
    for parameter, hint in hints.items():
        candidates = [hint, *get_args(hint)]
        if any(isinstance(c, type) and issubclass(c, ContextMarker) for c in candidates) and parameter != "return":
            found.append(parameter)
    if len(found) > 1:
        raise ToolDefinitionError(
            name,
            "takes the tool context twice.",
            parameter=found[1],
            remedy=f"Remove it, and use {found[0]!r}.",
        )
    return found[0] if found else None


def _refuse_unusable(name: str, parameter: inspect.Parameter, hints: Mapping[str, Any]) -> None:
    if problem := _VARIADIC.get(parameter.kind):
        raise ToolDefinitionError(
            name,
            problem.format(parameter.name),
            parameter=parameter.name,
            remedy="Declare each argument as an ordinary parameter, or use Tool.from_schema.",
        )
    if parameter.name not in hints:
        raise ToolDefinitionError(
            name,
            "has no annotation, so its schema is unknown.",
            parameter=parameter.name,
            remedy=f"Write `{parameter.name}: str` (or the type it has).",
        )


def _adapt(name: str, accepted: list[inspect.Parameter], hints: Mapping[str, Any]) -> TypeAdapter[Any]:
    """Build pydantic's validator for the parameters, one by one first so that an error names its parameter."""
    from pydantic import TypeAdapter
    from pydantic.errors import PydanticUserError

    def collect(**values: object) -> dict[str, object]:
        return values

    keyword = inspect.Parameter.KEYWORD_ONLY
    collect.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [p.replace(kind=keyword, annotation=hints[p.name]) for p in accepted]
    )
    collect.__annotations__ = {p.name: hints[p.name] for p in accepted}
    try:
        return TypeAdapter(collect)  # type: ignore[arg-type]  # functions are accepted, the annotation is younger
    except (PydanticUserError, TypeError, ValueError, NameError) as error:
        culprit = next((p.name for p in accepted if not _has_schema(hints[p.name])), None)
        raise ToolDefinitionError(
            name,
            f"its type cannot be described to a model ({_first_line(error)}).",
            parameter=culprit,
            remedy="Use JSON types, enums, dataclasses or pydantic models.",
        ) from error


def _has_schema(hint: object) -> bool:
    from pydantic import TypeAdapter

    try:
        TypeAdapter(hint)  # type: ignore[arg-type]
    except Exception:  # any refusal by pydantic means the same here; the caller reports the original error
        return False
    return True


def _schema_of(name: str, adapter: TypeAdapter[Any], documented: Mapping[str, str]) -> dict[str, Any]:
    from pydantic.errors import PydanticUserError

    try:
        schema: dict[str, Any] = adapter.json_schema()
    except (PydanticUserError, TypeError, ValueError) as error:
        raise ToolDefinitionError(
            name,
            f"its parameters have no JSON schema ({_first_line(error)}).",
            remedy="Use JSON types, enums, dataclasses or pydantic models.",
        ) from error
    schema.setdefault("type", "object")
    properties: dict[str, Any] = schema.setdefault("properties", {})
    for parameter, description in documented.items():
        if description and isinstance(properties.get(parameter), dict):
            properties[parameter].setdefault("description", description)
    return schema


def _first_line(error: BaseException) -> str:
    text = str(error).strip().splitlines()
    return text[0] if text else type(error).__name__
