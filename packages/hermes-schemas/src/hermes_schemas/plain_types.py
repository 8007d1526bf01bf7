"""Converts JSON to plain Python types without pydantic, whose import takes longer than most calls.

Plain types are the scalars of JSON, lists, dicts, literals, unions of them, and dataclasses with such fields. All other
types raise `NotPlainError` and need pydantic.
"""

from __future__ import annotations

import dataclasses
import inspect
import operator
import types
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

Convert = Callable[[Any], Any]
"""Returns the value as the type, the same object when it already is; raises `ValueError`."""

_LIMITS: dict[str, Callable[[Any, Any], bool]] = {
    "ge": operator.ge,
    "gt": operator.gt,
    "le": operator.le,
    "lt": operator.lt,
}
_DESCRIPTIVE = frozenset({"description", "title", "examples", "json_schema_extra"})


class NotPlainError(Exception):
    """Raised for a type that only pydantic can convert."""


def converter(hint: Any) -> Convert:
    """Make a function that converts JSON values to a type.

    Raises:
        NotPlainError: the type is not plain.
    """
    if hint in _SCALARS:
        return _SCALARS[hint]
    origin, args = get_origin(hint), get_args(hint)
    if origin is Literal:
        return _literal(args)
    if origin in (Union, types.UnionType):
        return _union([converter(each) for each in args])
    if origin is list:
        return _list(converter(args[0]))
    if origin is dict and args[0] is str:
        return _dict(converter(args[1]))
    if isinstance(hint, type) and dataclasses.is_dataclass(hint) and "__pydantic_validator__" not in vars(hint):
        return _dataclass(hint)
    if origin is Annotated and all(isinstance(each, Described) for each in args[1:]):
        return converter(args[0])
    raise NotPlainError(hint)


class Described:
    """Replaces pydantic's `Field` in annotations that are read without pydantic."""

    _KEYWORDS = _DESCRIPTIVE | set(_LIMITS) | {"min_length", "max_length", "pattern", "multiple_of"}

    def __init__(self, *args: object, **keywords: object) -> None:
        if args or not self._KEYWORDS.issuperset(keywords):
            raise NotPlainError(keywords)


def plain_binder(
    accepted: Mapping[str, inspect.Parameter], hints: Mapping[str, Any], schema: Mapping[str, Any]
) -> Callable[..., dict[str, Any]]:
    """Make a function that converts arguments to the types of a function's parameters.

    It raises `ValueError` for values of other types, and accepts `strict` as pydantic does.

    Raises:
        NotPlainError: a type is not plain, or the schema does not have exactly these parameters and defaults.
    """
    if not _is_described(accepted, schema):
        raise NotPlainError(schema)
    converters = {name: converter(hints.get(name)) for name in accepted}

    def bind(args: Mapping[str, Any], *, strict: bool = False) -> dict[str, Any]:  # noqa: ARG001 - never lax
        try:
            return {name: converters[name](value) for name, value in args.items()}
        except KeyError as error:
            raise ValueError(f"there is no parameter {error}") from None

    return bind


def _is_described(accepted: Mapping[str, inspect.Parameter], schema: Mapping[str, Any]) -> bool:
    properties = schema.get("properties", {})
    required = {name for name, parameter in accepted.items() if parameter.default is parameter.empty}
    by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return (
        accepted.keys() == properties.keys()
        and required == set(schema.get("required", ()))
        and all(parameter.kind in by_name for parameter in accepted.values())
        and all(accepted[name].default == properties[name].get("default") for name in accepted.keys() - required)
    )


def _of_type(kind: type) -> Convert:
    def convert(value: Any) -> Any:
        if type(value) is not kind:
            raise ValueError(f"{value!r} is not of type {kind.__name__}")
        return value

    return convert


def _integer(value: Any) -> Any:
    if type(value) is float and value.is_integer():
        return int(value)
    return _of_type(int)(value)


def _number(value: Any) -> Any:
    return float(value) if type(value) is int else _of_type(float)(value)


_SCALARS: dict[Any, Convert] = {
    **{kind: _of_type(kind) for kind in (str, bool, type(None))},
    int: _integer,
    float: _number,
    Any: lambda value: value,
}


def _literal(words: tuple[Any, ...]) -> Convert:
    def convert(value: Any) -> Any:
        if not any(value == word and type(value) is type(word) for word in words):
            raise ValueError(f"{value!r} is none of {words}")
        return value

    return convert


def _union(members: list[Convert]) -> Convert:
    def convert(value: Any) -> Any:
        found = []
        for member in members:
            try:
                made = member(value)
            except ValueError:
                continue
            if made is value:
                return value
            found.append(made)
        if not found:
            raise ValueError(f"{value!r} fits none of the types")
        return found[0]

    return convert


def _list(each: Convert) -> Convert:
    def convert(value: Any) -> Any:
        made = [each(item) for item in _of_type(list)(value)]
        return value if all(map(operator.is_, made, value)) else made

    return convert


def _dict(each: Convert) -> Convert:
    def convert(value: Any) -> Any:
        made = {_of_type(str)(key): each(item) for key, item in _of_type(dict)(value).items()}
        return value if all(map(operator.is_, made.values(), value.values())) else made

    return convert


def _dataclass(kind: type) -> Convert:
    try:
        hints = get_type_hints(kind, include_extras=True)
    except Exception as error:  # evaluating an annotation runs the author's code
        raise NotPlainError(kind) from error
    fields = {field.name: (converter(hints[field.name]), _limits(field)) for field in dataclasses.fields(kind)}
    if any(not field.init for field in dataclasses.fields(kind)):
        raise NotPlainError(kind)

    def convert(value: Any) -> Any:
        if not isinstance(value, Mapping) or not fields.keys() >= value.keys():
            raise ValueError(f"{value!r} is not a {kind.__name__}")
        made: dict[str, Any] = {}
        for name, item in value.items():
            each, limits = fields[name]
            made[name] = each(item)
            if not all(holds(made[name], bound) for holds, bound in limits):
                raise ValueError(f"{item!r} is out of bounds")
        try:
            return kind(**made)
        except TypeError as error:  # a field without a default is missing
            raise ValueError(str(error)) from error

    return convert


def _limits(field: dataclasses.Field[Any]) -> list[tuple[Callable[[Any, Any], bool], Any]]:
    """Read the limits in the metadata of a field, as pydantic does."""
    if not field.metadata.keys() <= _DESCRIPTIVE | _LIMITS.keys():
        raise NotPlainError(field.name)
    return [(_LIMITS[name], bound) for name, bound in field.metadata.items() if name in _LIMITS]
