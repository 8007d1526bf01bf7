"""Conversion of JSON to plain types, which must agree with pydantic wherever it does not refuse."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field, TypeAdapter, ValidationError

from hermes_schemas.plain_types import Described, NotPlainError, converter

HINTS: list[Any] = [
    str,
    int,
    float,
    bool,
    Any,
    None | int,
    int | float,
    float | int,
    str | list[str],
    list[int],
    dict[str, float],
    Literal["a", "1"],
    Literal["a", "on"] | None,
    list[dict[str, int | None]],
]
VALUES: list[Any] = ["a", "1", 1, 1.0, 1.5, True, None, [], ["a"], [1, 2.0], {}, {"a": 1}, [{"a": None}], {"a": 0.5}]


@dataclass(frozen=True)
class Inner:
    """One section in another."""

    names: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Outer:
    """A section."""

    seconds: float = field(metadata={"gt": 0, "le": 10, "description": "How long."})
    inner: Inner = field(default_factory=Inner)


@pytest.mark.parametrize("hint", HINTS, ids=str)
@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_converted_value_is_that_of_pydantic(hint: Any, value: object) -> None:
    try:
        made = converter(hint)(value)
    except ValueError:
        return  # pydantic converts more: it is asked next
    expected = TypeAdapter(hint).validate_python(value)
    assert (made, type(made)) == (expected, type(expected))


@pytest.mark.parametrize("hint", HINTS, ids=str)
@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_what_pydantic_takes_as_it_is_is_converted(hint: Any, value: object) -> None:
    try:
        TypeAdapter(hint).validate_python(value, strict=True)
    except ValidationError:
        return
    assert converter(hint)(value) == value


@pytest.mark.parametrize("value", [{"seconds": 2}, {"seconds": 2.5, "inner": {"names": ["a"]}}], ids=repr)
def test_a_dataclass_is_made_with_those_inside_of_it(value: dict[str, Any]) -> None:
    assert converter(Outer)(value) == TypeAdapter(Outer).validate_python(value)


@pytest.mark.parametrize(
    "value",
    [{}, {"seconds": 0}, {"seconds": 11}, {"seconds": "1"}, {"seconds": 1, "x": 1}, {"seconds": 1, "inner": []}, []],
    ids=repr,
)
def test_a_dataclass_refuses_other_fields_types_and_values(value: object) -> None:
    with pytest.raises(ValueError):
        converter(Outer)(value)


@dataclass
class WithAlias:
    """A field that pydantic reads under another name."""

    name: str = field(default="", metadata={"alias": "other"})


@dataclass
class Computed:
    """A field that is no parameter."""

    name: str = field(default="", init=False)


@pytest.mark.parametrize(
    "hint",
    [date, set[str], tuple[int, ...], dict[int, str], bytes, WithAlias, Computed, Annotated[str, Field(min_length=1)]],
    ids=str,
)
def test_other_types_are_left_to_pydantic(hint: Any) -> None:
    with pytest.raises(NotPlainError):
        converter(hint)


def test_a_field_that_a_schema_cannot_express_is_left_to_pydantic() -> None:
    assert converter(Annotated[int, Described(description="How many.", ge=1)])(3) == 3
    with pytest.raises(NotPlainError):
        Described(alias="other")
    with pytest.raises(NotPlainError):
        Described(5)
