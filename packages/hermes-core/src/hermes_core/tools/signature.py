"""Derives a JSON schema from a typed Python function, and converts JSON arguments to its types."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Union, cast, get_args, get_origin

from hermes_core.errors import ToolDefinitionError
from hermes_core.tools.tool_spec import ContextMarker
from hermes_schemas.annotations import read_annotations
from hermes_schemas.docstring import read_docstring

if TYPE_CHECKING:
    from pydantic import TypeAdapter
    from pydantic.json_schema import GenerateJsonSchema

_VARIADIC: dict[object, str] = {
    inspect.Parameter.VAR_POSITIONAL: "takes *{0}, which has no place in a JSON object.",
    inspect.Parameter.VAR_KEYWORD: "takes **{0}, so a model cannot know what to send.",
    inspect.Parameter.POSITIONAL_ONLY: "is positional-only, but arguments arrive by name.",
}


class Signature:
    """What a typed function accepts: its schema for models, and the conversion from JSON to Python values.

    Attributes:
        context_parameter: The parameter for the tool context.
        bind: Converts arguments that fit the schema to the function's types: dates, enums, models. With `strict=True`,
            only arguments that need no conversion pass. Raises `ValueError`.
        checks: True: `bind` validates arguments like the schema does.
    """

    __slots__ = ("bind", "context_parameter", "description", "parameters")
    checks = True

    def __init__(self, name: str, function: Callable[..., object], names: Mapping[str, Any] | None = None) -> None:
        parameters = _parameters_of(name, function)
        written = _written_function(function)
        for parameter in parameters:
            _refuse_unusable(name, parameter)
        hints = {p.name: _read_hint(name, p, written, names or {}) for p in parameters}
        self.context_parameter = _find_context(name, hints)
        accepted = [p for p in parameters if p.name != self.context_parameter]
        adapter = _adapt(name, accepted, hints)
        documented = read_docstring(written.__doc__ or _class_doc(function))
        self.description = documented.text
        self.parameters = _schema_of(name, adapter, hints, documented.parameters)
        self.bind: Callable[..., dict[str, Any]] = adapter.validator.validate_python


def _parameters_of(name: str, function: Callable[..., object]) -> list[inspect.Parameter]:
    """Return the parameters that a call can pass, without those that a partial has set by name."""
    if inspect.isclass(function):
        raise ToolDefinitionError(name, "is a class, not a function.", remedy="Declare a function that returns one.")
    try:
        inspected = inspect.signature(function)
    except (TypeError, ValueError, NameError) as error:
        reason = f"its signature cannot be read ({error})."
        raise ToolDefinitionError(name, reason, remedy="Use Tool.from_schema for it.") from error
    given = function.keywords if isinstance(function, functools.partial) else {}
    return [parameter for parameter in inspected.parameters.values() if parameter.name not in given]


def _written_function(function: Callable[..., object]) -> Callable[..., object]:
    """Return the function as its author wrote it, without partials, callable objects and decorators."""
    if isinstance(function, functools.partial):
        return _written_function(function.func)
    written: Callable[..., object] = function if inspect.isroutine(function) else type(function).__call__
    return cast("Callable[..., object]", inspect.unwrap(written))


def _class_doc(function: Callable[..., object]) -> str | None:
    """Return the docstring of a callable object's class, unless a dataclass generated it."""
    if isinstance(function, functools.partial):
        return _class_doc(function.func)
    kind = type(function)
    is_generated = (kind.__doc__ or "").startswith(f"{kind.__name__}(")
    return None if inspect.isroutine(function) or is_generated else kind.__doc__


def _read_hint(
    name: str, parameter: inspect.Parameter, written: Callable[..., object], names: Mapping[str, Any]
) -> Any:
    """Return the type of a parameter; `names` are those visible where it is declared."""
    from pydantic import Field

    fallback = {"ToolContext": ContextMarker, "Field": Field}
    generic = {variable.__name__: variable for variable in getattr(written, "__type_params__", ())}
    annotation = {parameter.name: parameter.annotation}
    try:
        return read_annotations(written, annotation, fallback=fallback, names={**generic, **names})[parameter.name]
    except Exception as error:  # evaluating an annotation runs the author's code
        reason = f"its annotation cannot be read ({type(error).__name__}: {error})."
        remedy = "Import the annotated types at module level, outside `if TYPE_CHECKING`."
        raise ToolDefinitionError(name, reason, parameter=parameter.name, remedy=remedy) from error


def _find_context(name: str, hints: Mapping[str, Any]) -> str | None:
    found = [parameter for parameter, hint in hints.items() if _is_context(hint)]
    if len(found) > 1:
        remedy = f"Remove it, and use {found[0]!r}."
        raise ToolDefinitionError(name, "takes the tool context twice.", parameter=found[1], remedy=remedy)
    return found[0] if found else None


def _is_context(hint: object) -> bool:
    if get_origin(hint) in (Union, types.UnionType, Annotated):
        return any(_is_context(part) for part in get_args(hint))
    return isinstance(hint, type) and issubclass(hint, ContextMarker)


def _refuse_unusable(name: str, parameter: inspect.Parameter) -> None:
    if parameter.kind in _VARIADIC:
        reason = _VARIADIC[parameter.kind].format(parameter.name)
        remedy = "Declare each argument as an ordinary parameter, or use Tool.from_schema."
    elif parameter.annotation is not parameter.empty:
        return
    elif parameter.name in ("self", "cls"):
        reason = "belongs to a method without an object, so no call could pass it."
        remedy = f"Declare it from an object: Tool.from_function(object.{name})."
    else:
        reason = "has no annotation, so its schema is unknown."
        remedy = f"Write `{parameter.name}: str` (or the type it has)."
    raise ToolDefinitionError(name, reason, parameter=parameter.name, remedy=remedy)


def _adapt(name: str, accepted: list[inspect.Parameter], hints: Mapping[str, Any]) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    def collect(**values: object) -> dict[str, object]:
        return values

    keyword = inspect.Parameter.KEYWORD_ONLY
    collect.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [p.replace(kind=keyword, annotation=hints[p.name]) for p in accepted]
    )
    collect.__annotations__ = {p.name: hints[p.name] for p in accepted}
    try:
        return TypeAdapter(collect)  # type: ignore[arg-type]  # functions are accepted, the annotation is younger
    except Exception as error:  # pydantic's errors, and those of a type's own schema hook
        raise _undescribable(name, {p.name: hints[p.name] for p in accepted}, error) from error


def _schema_of(
    name: str, adapter: TypeAdapter[Any], hints: Mapping[str, Any], documented: Mapping[str, str]
) -> dict[str, Any]:
    try:
        schema: dict[str, Any] = adapter.json_schema(schema_generator=_schema_generator())
    except Exception as error:  # as above
        raise _undescribable(name, hints, error) from error
    schema.setdefault("type", "object")
    properties: dict[str, Any] = schema.setdefault("properties", {})
    for parameter, description in documented.items():
        if description and isinstance(properties.get(parameter), dict):
            properties[parameter].setdefault("description", description)
    return schema


@functools.cache
def _schema_generator() -> type[GenerateJsonSchema]:
    """Return pydantic's generator without its warning about defaults that are not JSON."""
    from pydantic.json_schema import GenerateJsonSchema

    class Silent(GenerateJsonSchema):
        ignored_warning_kinds = {"skipped-choice", "non-serializable-default"}  # noqa: RUF012 - as pydantic types it

    return Silent


def _undescribable(name: str, hints: Mapping[str, Any], error: Exception) -> ToolDefinitionError:
    culprit = next((parameter for parameter, hint in hints.items() if not _has_schema(hint)), None)
    text = [line.strip() for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
    if "regex parse error" in str(error):
        reason, remedy = text[-1], "Fix the pattern; it may not look ahead or behind."
    else:
        reason, remedy = text[0], "Use JSON types, enums, dataclasses or pydantic models."
    reason = f"its type cannot be described to a model ({reason.rstrip('.')})."
    return ToolDefinitionError(name, reason, parameter=culprit, remedy=remedy)


def _has_schema(hint: Any) -> bool:
    from pydantic import TypeAdapter

    try:
        TypeAdapter(hint).json_schema(schema_generator=_schema_generator())
    except Exception:  # the caller reports the original error
        return False
    return True
