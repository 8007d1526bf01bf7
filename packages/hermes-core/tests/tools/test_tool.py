"""A tool is a frozen value, written as a typed function or with a ready schema."""

from __future__ import annotations

import dataclasses
import functools
import json
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from hermes_core import Hermes, Tool, ToolDefinitionError, tool
from hermes_core.tools.tool_spec import SPEC_FIELDS, ToolSpec

if TYPE_CHECKING:
    from hermes_core import ToolContext

Make = Callable[..., Hermes]

WEATHER: dict[str, Any] = {
    "name": "weather",
    "description": "The weather of a city.",
    "parameters": {
        "type": "object",
        "properties": {"city": {"type": "string"}, "days": {"type": "integer", "enum": [1, 2]}},
        "required": ["city"],
    },
}


def answer(args: dict[str, Any], **info: Any) -> str:
    return json.dumps(args)


# The typed form


@tool
def add(a: int, b: int = 2) -> int:
    """Add two numbers."""
    return a + b


def test_a_bare_decorator_makes_a_tool() -> None:
    assert isinstance(add, Tool)
    assert (add.name, add.toolset, add.description, add.is_async) == ("add", "default", "Add two numbers.", False)
    assert add.parameters["required"] == ["a"]


def test_the_author_can_still_call_the_function() -> None:
    assert add(1, b=5) == 6


def test_a_sync_tool_is_called_with_typed_values(host: Make) -> None:
    assert host(tools=[add]).call("add", {"a": "40"}) == "42"


def test_an_async_tool_knows_that_it_is_one(host: Make) -> None:
    @tool(toolset="math")
    async def double(number: int) -> int:
        """Double a number."""
        return 2 * number

    assert double.is_async
    assert host(tools=[double]).call("double", {"number": 4}) == "8"


def test_a_partial_has_the_name_and_docstring_of_its_function_and_hides_what_is_settled(host: Make) -> None:
    def fetch(url: str, token: str = "", retries: int = 1) -> list[Any]:
        """Fetch a page.

        Args:
            url: Where it is.
        """
        return [url, token, retries]

    made = Tool.from_function(functools.partial(fetch, token="secret"))
    assert (made.name, made.description) == ("fetch", "Fetch a page.")
    assert set(made.parameters["properties"]) == {"url", "retries"}
    assert made.parameters["properties"]["url"]["description"] == "Where it is."
    assert "secret" not in json.dumps(made.parameters)
    hermes = host(tools=[made])
    assert json.loads(hermes.call("fetch", {"url": "x"})) == ["x", "secret", 1]
    assert "secret" not in json.dumps(hermes.definitions())


def test_a_partial_with_settled_positions_takes_the_rest(host: Make) -> None:
    def join(first: str, second: str) -> str:
        """Join."""
        return first + second

    made = Tool.from_function(functools.partial(functools.partial(join), "a"))
    assert list(made.parameters["properties"]) == ["second"]


def test_a_partial_of_a_coroutine_function_is_async(host: Make) -> None:
    async def join(first: str, second: str) -> str:
        """Join."""
        return first + second

    made = Tool.from_function(functools.partial(join, second="b"))
    assert made.is_async
    assert host(tools=[made]).call("join", {"first": "a"}) == '"ab"'


def test_a_callable_object_is_named_after_its_class(host: Make) -> None:
    class Counter:
        """Counts things."""

        def __init__(self) -> None:
            self.total = 0

        def __call__(self, by: int = 1) -> int:
            """Count on.

            Args:
                by: How far.
            """
            self.total += by
            return self.total

    made = Tool.from_function(Counter())
    assert (made.name, made.description) == ("Counter", "Count on.")
    assert made.parameters["properties"]["by"]["description"] == "How far."
    hermes = host(tools=[made])
    assert [hermes.call("Counter", {"by": 2}), hermes.call("Counter")] == ["2", "3"]


def test_a_callable_object_without_its_own_docstring_has_that_of_its_class() -> None:
    class Documented:
        """Says hello."""

        def __call__(self) -> str:
            return "hello"

    @dataclasses.dataclass
    class Undocumented:
        greeting: str = "hello"

        def __call__(self) -> str:
            return self.greeting

    assert Tool.from_function(Documented()).description == "Says hello."
    assert Tool.from_function(Undocumented()).description == ""


def test_an_object_with_an_async_call_is_async(host: Make) -> None:
    class Later:
        """Answer later."""

        async def __call__(self, number: int) -> int:
            return number + 1

    made = Tool.from_function(Later(), name="later")
    assert made.is_async
    assert host(tools=[made]).call("later", {"number": 1}) == "2"


def test_a_bound_method_keeps_its_object(host: Make) -> None:
    class Shelf:
        def __init__(self) -> None:
            self.books: list[str] = []

        def put(self, book: str) -> int:
            """Put a book on the shelf."""
            self.books.append(book)
            return len(self.books)

    shelf = Shelf()
    made = Tool.from_function(shelf.put, toolset="library")
    assert made.name == "put"
    assert list(made.parameters["properties"]) == ["book"]
    assert host(tools=[made]).call("put", {"book": "Iliad"}) == "1"
    assert shelf.books == ["Iliad"]


def test_a_decorated_function_is_read_as_it_was_written(host: Make) -> None:
    def logged(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            return function(*args, **kwargs)

        return wrapper

    @tool
    @logged
    def shout(text: str, ctx: ToolContext) -> str:
        """Shout."""
        return text.upper() + ctx.call.name

    assert list(shout.parameters["properties"]) == ["text"]
    assert host(tools=[shout]).call("shout", {"text": "a"}) == '"Ashout"'


def test_a_context_that_only_type_checkers_import_is_filled_in(host: Make) -> None:
    @tool
    def who(ctx: ToolContext, loud: bool = False) -> str:
        """Say who is called."""
        return ctx.call.name

    @tool
    async def whom(loud: bool = False, ctx: ToolContext | None = None) -> str:
        """Say who is called."""
        assert ctx is not None
        return ctx.call.name

    hermes = host(tools=[who, whom])
    for made in (who, whom):
        assert list(made.parameters["properties"]) == ["loud"]
        assert "ctx" not in json.dumps(made.parameters)
    assert [hermes.call("who"), hermes.call("whom")] == ['"who"', '"whom"']


def test_a_model_cannot_send_the_context(host: Make) -> None:
    @tool
    def who(ctx: ToolContext) -> str:
        """Say who is called."""
        return type(ctx).__name__

    assert host(tools=[who]).call("who", {"ctx": "me"}) != '"str"'


def test_name_and_description_can_be_given() -> None:
    @tool(name="sum-up", description="Sums.", toolset="math")
    def anything(a: int) -> int:
        """Not this."""
        return a

    assert (anything.name, anything.description, anything.toolset) == ("sum-up", "Sums.", "math")


def test_an_empty_name_is_a_mistake_and_not_left_out() -> None:
    def anything(a: int) -> int:
        """Anything."""
        return a

    with pytest.raises(ToolDefinitionError, match="'' is not a name"):
        Tool.from_function(anything, name="")
    with pytest.raises(ToolDefinitionError, match="'' is not a name"):
        Tool.from_schema(WEATHER, answer, name="")


# Every field


class Store:
    """A service."""


def test_every_field_arrives() -> None:
    def check() -> bool:
        return True

    def assess(args: Any, ctx: Any) -> None: ...

    def dynamic() -> dict[str, Any]:
        return {}

    @tool(
        toolset="web",
        requires_env=["KEY"],
        requires_bin=("git",),
        requires_extra={"hermes-core[pdf]"},
        effects=["network", "read", "read"],
        check=check,
        assess=assess,
        emoji="🔎",
        max_result_size_chars=5,
        timeout=1.5,
        dynamic_schema=dynamic,
        argument_aliases={"q": "query"},
        aliases=["find"],
        always_load=True,
        needs=[Store, "memory"],
        keywords=(word for word in ("internet", "google")),
    )
    def search(query: str) -> str:
        """Search."""
        return query

    assert search.requires_env == ("KEY",)
    assert search.requires_bin == ("git",)
    assert search.requires_extra == ("hermes-core[pdf]",)
    assert search.effects == frozenset({"network", "read"})
    assert (search.check, search.assess, search.dynamic_schema) == (check, assess, dynamic)
    assert (search.emoji, search.max_result_size_chars, search.timeout) == ("🔎", 5, 1.5)
    assert dict(search.argument_aliases) == {"q": "query"}
    assert search.aliases == ("find",)
    assert search.always_load
    assert search.needs == (Store, "memory")
    assert search.keywords == ("internet", "google")


def test_a_result_may_have_a_hundred_thousand_characters_unless_said_otherwise() -> None:
    sizes: list[Any] = [
        Tool.from_schema(WEATHER, answer).max_result_size_chars,
        Tool.from_schema(WEATHER, answer, max_result_size_chars=None).max_result_size_chars,
        Tool.from_schema(WEATHER, answer, max_result_size_chars=math.inf).max_result_size_chars,
    ]
    assert sizes == [100_000, 100_000, math.inf]


def test_no_timeout_means_the_hosts_and_infinity_means_none() -> None:
    assert Tool.from_schema(WEATHER, answer).timeout is None
    assert Tool.from_schema(WEATHER, answer, timeout=math.inf).timeout == math.inf


def test_one_service_needs_no_list() -> None:
    assert Tool.from_schema(WEATHER, answer, needs=Store).needs == (Store,)
    assert Tool.from_schema(WEATHER, answer, needs="memory").needs == ("memory",)


def test_aliases_and_argument_aliases_work_in_a_call(host: Make) -> None:
    made = Tool.from_schema(WEATHER, answer, aliases=["forecast"], argument_aliases={"town": "city"})
    assert json.loads(host(tools=[made]).call("forecast", {"town": "Rome"})) == {"city": "Rome"}


# The explicit form


@pytest.mark.parametrize(
    "schema",
    [
        WEATHER,
        {"type": "function", "function": WEATHER},
        {"type": "function", **WEATHER, "strict": False},
        {"name": "weather", "description": WEATHER["description"], "inputSchema": WEATHER["parameters"]},
        {"name": "weather", "description": WEATHER["description"], "input_schema": WEATHER["parameters"]},
    ],
    ids=["flat", "wrapped", "responses", "mcp", "anthropic"],
)
def test_a_ready_schema_is_taken_in_every_shape(schema: dict[str, Any], host: Make) -> None:
    made = Tool.from_schema(schema, answer, toolset="weather")
    assert (made.name, made.description) == ("weather", WEATHER["description"])
    assert made.parameters == WEATHER["parameters"]
    assert json.loads(host(tools=[made]).call("weather", {"city": "Rome"})) == {"city": "Rome"}


def test_a_schema_without_parameters_takes_none() -> None:
    for empty in ({"name": "now"}, {"name": "now", "parameters": None}):
        assert Tool.from_schema(empty, answer).parameters == {"type": "object", "properties": {}}


def test_name_and_description_given_beside_the_schema_win() -> None:
    made = Tool.from_schema(WEATHER, answer, name="mcp_x_weather", description="Other.")
    assert (made.name, made.description) == ("mcp_x_weather", "Other.")


def test_a_description_that_is_no_text_counts_as_none() -> None:
    assert Tool.from_schema({"name": "x", "description": None}, answer).description == ""


def test_an_async_handler_of_the_explicit_form_is_known_as_one() -> None:
    async def later(args: dict[str, Any], **info: Any) -> str:
        return ""

    assert Tool.from_schema(WEATHER, later).is_async
    assert Tool.from_schema(WEATHER, answer, is_async=True).is_async


# Frozen


@pytest.mark.parametrize("field", [entry.name for entry in dataclasses.fields(Tool)])
def test_no_field_of_a_tool_can_be_assigned(field: str) -> None:
    made = Tool.from_schema(WEATHER, answer)
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(made, field, None)


def test_a_tool_has_no_room_for_further_attributes() -> None:
    assert not hasattr(add, "__dict__")
    with pytest.raises((AttributeError, TypeError)):
        add.other = 1  # type: ignore[attr-defined]


def test_the_schema_is_a_copy_that_cannot_be_changed() -> None:
    schema = json.loads(json.dumps(WEATHER))
    made = Tool.from_schema(schema, answer)
    schema["parameters"]["properties"]["city"]["type"] = "integer"
    schema["parameters"]["required"].append("days")
    assert made.parameters == WEATHER["parameters"]
    with pytest.raises(TypeError):
        made.parameters["properties"]["city"]["type"] = "integer"
    with pytest.raises(TypeError):
        made.parameters["properties"]["days"]["enum"].append(3)
    with pytest.raises(TypeError):
        made.argument_aliases["x"] = "city"  # type: ignore[index]


def test_the_fields_are_copies_too() -> None:
    names, aliases = ["KEY"], {"town": "city"}
    made = Tool.from_schema(WEATHER, answer, requires_env=names, argument_aliases=aliases)
    names.append("OTHER")
    aliases["where"] = "city"
    assert made.requires_env == ("KEY",)
    assert dict(made.argument_aliases) == {"town": "city"}


def test_a_changed_copy_is_checked_like_a_new_declaration() -> None:
    assert dataclasses.replace(add, timeout=3).timeout == 3
    with pytest.raises(ToolDefinitionError, match="timeout"):
        dataclasses.replace(add, timeout=-1)


def test_a_tool_made_by_hand_is_brought_into_shape() -> None:
    parameters = {"type": "object", "properties": {"a": {"type": "string"}}}
    made = Tool(
        name="by-hand",
        toolset="t",
        parameters=parameters,
        handler=answer,
        requires_env=["KEY"],  # type: ignore[arg-type]
        effects={"read"},  # type: ignore[arg-type]
    )
    parameters["properties"]["b"] = {}  # type: ignore[index]
    assert made.requires_env == ("KEY",)
    assert made.effects == frozenset({"read"})
    assert list(made.parameters["properties"]) == ["a"]


def test_the_spec_is_the_tool_without_its_code() -> None:
    made = Tool.from_schema(WEATHER, answer, check=lambda: True, emoji="⛅")
    spec = made.spec
    assert type(spec) is ToolSpec
    assert {name: getattr(spec, name) for name in SPEC_FIELDS} == {name: getattr(made, name) for name in SPEC_FIELDS}
    for code in ("handler", "check", "assess", "dynamic_schema", "signature"):
        assert not hasattr(spec, code)
