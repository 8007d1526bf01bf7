"""A function's annotations, defaults and docstring become the schema that a model reads."""

from __future__ import annotations

import datetime
import enum
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, Optional

import pytest
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from hermes_core import Hermes, Tool, ToolDefinitionError, tool

if TYPE_CHECKING:
    from decimal import Decimal

    from hermes_core import ToolContext

Make = Callable[..., Hermes]


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Point(BaseModel):
    """A place on the map."""

    x: int = Field(ge=0)
    y: int = 0


class Line(BaseModel):
    start: Point
    end: Point | None = None


@dataclass
class Box:
    width: int
    label: str = "box"


class Options(TypedDict, total=False):
    fast: bool


def properties(made: Tool) -> dict[str, Any]:
    found: dict[str, Any] = made.parameters["properties"]
    return found


def test_simple_types_and_defaults() -> None:
    @tool
    def f(a: str, b: int, c: float = 1.5, d: bool = False, e: list[str] | None = None) -> None:
        """F."""

    assert f.parameters["required"] == ["a", "b"]
    assert [properties(f)[name]["type"] for name in "abcd"] == ["string", "integer", "number", "boolean"]
    assert [properties(f)[name]["default"] for name in "cd"] == [1.5, False]
    assert {"type": "array", "items": {"type": "string"}} in properties(f)["e"]["anyOf"]
    assert f.parameters["additionalProperties"] is False


def test_choices_come_from_literals_and_enums(host: Make) -> None:
    @tool
    def paint(colour: Colour, finish: Literal["matt", "gloss"] = "matt", coats: Literal[1, 2, 3] = 1) -> str:
        """Paint."""
        return f"{colour.name} {finish} {coats}"

    text = json.dumps(paint.parameters)
    assert '"enum": ["red", "blue"]' in text
    assert properties(paint)["finish"]["enum"] == ["matt", "gloss"]
    assert properties(paint)["coats"]["enum"] == [1, 2, 3]
    hermes = host(tools=[paint])
    assert hermes.call("paint", {"colour": "blue"}) == '"BLUE matt 1"'
    assert json.loads(hermes.call("paint", {"colour": "green"}))["code"] == "invalid_arguments"


def test_unions_and_optionals() -> None:
    @tool
    def f(a: int | str, b: Optional[int] = None) -> None:  # noqa: UP045 - the old spelling is tested
        """F."""

    assert properties(f)["a"]["anyOf"] == [{"type": "integer"}, {"type": "string"}]
    assert {"type": "null"} in properties(f)["b"]["anyOf"]
    assert f.parameters["required"] == ["a"]


def test_models_dataclasses_and_typed_dicts_arrive_as_such(host: Make) -> None:
    @tool
    def draw(line: Line, box: Box, options: Options, boxes: list[Box] | None = None) -> str:
        """Draw."""
        assert isinstance(line, Line)
        assert isinstance(box, Box)
        assert boxes is None or all(isinstance(one, Box) for one in boxes)
        return f"{line.start.x} {box.width} {box.label} {options.get('fast')} {len(boxes or [])}"

    args = {"line": {"start": {"x": 1}}, "box": {"width": 2}, "options": {"fast": True}, "boxes": [{"width": 3}]}
    assert host(tools=[draw]).call("draw", args) == '"1 2 box True 1"'
    assert "A place on the map." in json.dumps(draw.parameters)


def test_a_nested_rule_of_a_model_is_enforced(host: Make) -> None:
    @tool
    def draw(line: Line) -> str:
        """Draw."""
        return "drawn"

    result = json.loads(host(tools=[draw]).call("draw", {"line": {"start": {"x": -1}}}))
    assert result["code"] == "invalid_arguments"
    assert "line.start.x" in json.dumps(result)


def test_constraints_are_in_the_schema() -> None:
    @tool
    def f(
        a: Annotated[int, Field(ge=1, le=9)],
        b: Annotated[str, Field(min_length=2, max_length=5, pattern="^[a-z]+$")],
        c: list[int] = Field(default_factory=list, max_length=3, description="Numbers."),
        d: str = Field("x", description="A letter.", examples=["y"]),
        e: int = Field(description="Wanted."),
    ) -> None:
        """F."""

    schema = properties(f)
    assert (schema["a"]["minimum"], schema["a"]["maximum"]) == (1, 9)
    assert (schema["b"]["minLength"], schema["b"]["maxLength"], schema["b"]["pattern"]) == (2, 5, "^[a-z]+$")
    assert (schema["c"]["maxItems"], schema["c"]["description"]) == (3, "Numbers.")
    assert (schema["d"]["default"], schema["d"]["description"]) == ("x", "A letter.")
    assert f.parameters["required"] == ["a", "b", "e"]


def test_defaults_of_fields_reach_the_function(host: Make) -> None:
    @tool
    def f(a: list[int] = Field(default_factory=lambda: [7]), b: str = Field("x")) -> list[Any]:
        """F."""
        return [a, b]

    assert host(tools=[f]).call("f") == '[[7], "x"]'


def test_a_field_description_wins_over_the_docstring() -> None:
    @tool
    def f(a: Annotated[str, Field(description="From the field.")], b: str) -> None:
        """F.

        Args:
            a: From the docstring.
            b: From the docstring.
            c: Of nothing.
        """

    assert properties(f)["a"]["description"] == "From the field."
    assert properties(f)["b"]["description"] == "From the docstring."
    assert set(properties(f)) == {"a", "b"}
    assert f.description == "F."


@pytest.mark.parametrize(
    "doc",
    [
        "F.\n\nArgs:\n    a: The a.\n",
        "F.\n\nParameters\n----------\na : str\n    The a.\n",
        "F.\n\n:param a: The a.\n",
    ],
    ids=["google", "numpy", "sphinx"],
)
def test_the_docstring_describes_parameters_in_each_style(doc: str) -> None:
    def f(a: str) -> None: ...

    f.__doc__ = doc
    assert properties(Tool.from_function(f))["a"]["description"] == "The a."


def test_values_are_converted_to_the_functions_types(host: Make) -> None:
    @tool
    def when(day: datetime.date, tags: set[str]) -> str:
        """When."""
        assert isinstance(day, datetime.date)
        assert isinstance(tags, set)
        return f"{day:%d.%m.%Y} {len(tags)}"

    assert host(tools=[when]).call("when", {"day": "2024-02-29", "tags": ["a", "b"]}) == '"29.02.2024 2"'


def test_types_declared_beside_the_function_are_found() -> None:
    class Local(BaseModel):
        here: int

    @tool
    def f(a: Local, b: list[Local] | None = None) -> None:
        """F."""

    @tool(toolset="x")
    def g(a: Local) -> None:
        """G."""

    assert "here" in json.dumps(f.parameters)
    assert "here" in json.dumps(g.parameters)


def test_what_a_function_returns_need_not_be_known() -> None:
    @tool
    def f(a: int) -> Decimal:
        """F."""
        raise NotImplementedError

    assert set(properties(f)) == {"a"}


def test_a_default_that_json_cannot_say_makes_the_parameter_optional(host: Make) -> None:
    missing = object()

    @tool
    def f(a: int = missing) -> bool:  # type: ignore[assignment]
        """F."""
        return a is missing

    assert "default" not in properties(f)["a"]
    assert "required" not in f.parameters
    assert host(tools=[f]).call("f") == "true"


def test_a_function_without_parameters_has_an_empty_schema() -> None:
    @tool
    def now() -> str:
        """Now."""
        return ""

    assert now.parameters["type"] == "object"
    assert properties(now) == {}


def test_a_recursive_model_is_described() -> None:
    @tool
    def f(tree: Tree) -> None:
        """F."""

    assert "$ref" in json.dumps(f.parameters)


class Tree(BaseModel):
    children: list[Tree] = []


# Refused


class Opaque:
    """Something that no schema describes."""


class Rude:
    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        raise KeyError("rude")


def variadic(*words: str) -> None: ...
def keywords(**words: str) -> None: ...
def positional(word: str, /) -> None: ...
def bare(known: str, word) -> None: ...  # type: ignore[no-untyped-def]
def opaque(known: str, word: Opaque) -> None: ...
def function(known: str, word: Callable[[], int]) -> None: ...
def rude(known: str, word: Rude) -> None: ...
def unknown(known: str, word: NoSuchType) -> None: ...  # type: ignore[name-defined]  # noqa: F821
def broken(known: str, word: Annotated[str, Field(pattern="(")]) -> None: ...
def looking(known: str, word: Annotated[str, Field(pattern="(?=a)b")]) -> None: ...
def nan(known: str, word: float = float("nan")) -> None: ...
def context_first(word: ToolContext, /) -> None: ...
def contexts(*word: ToolContext) -> None: ...
def two(ctx: ToolContext, word: ToolContext) -> None: ...
def many(word: list[ToolContext]) -> None: ...


@pytest.mark.parametrize(
    ("function", "reason", "remedy"),
    [
        (variadic, r"takes \*word", "ordinary parameter"),
        (keywords, r"takes \*\*word", "ordinary parameter"),
        (positional, "positional-only", "ordinary parameter"),
        (bare, "no annotation", "`word: str`"),
        (opaque, "cannot be described", "pydantic models"),
        (function, "cannot be described", "pydantic models"),
        (rude, "cannot be described", "pydantic models"),
        (unknown, "NoSuchType", "module level"),
        (broken, "unclosed group", "pattern"),
        (looking, "look-ahead", "pattern"),
        (nan, "not JSON", "JSON values"),
        (context_first, "positional-only", "ordinary parameter"),
        (contexts, r"takes \*word", "ordinary parameter"),
        (two, "context twice", "'ctx'"),
        (many, "cannot be described", "pydantic models"),
    ],
)
def test_what_cannot_be_a_tool_is_refused_with_its_parameter_and_the_remedy(
    function: Callable[..., None], reason: str, remedy: str
) -> None:
    with pytest.raises(ToolDefinitionError, match=reason) as caught:
        Tool.from_function(function)
    error = caught.value
    assert error.tool == function.__name__
    assert error.parameter in ("word", "words")
    assert remedy in (error.remedy or "")
    for fact in (error.tool, error.parameter, error.remedy):
        assert str(fact) in str(error)


def test_a_method_that_is_not_bound_is_refused_with_the_remedy() -> None:
    class Shelf:
        def put(self, book: str) -> None: ...

    with pytest.raises(ToolDefinitionError, match="from an object") as caught:
        Tool.from_function(Shelf.put)
    assert caught.value.parameter == "self"


@pytest.mark.parametrize("thing", [42, None, "text", Opaque, print])
def test_what_is_no_typed_function_is_refused(thing: Any) -> None:
    with pytest.raises(ToolDefinitionError) as caught:
        Tool.from_function(thing)
    assert caught.value.remedy
