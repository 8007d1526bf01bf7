"""The module of the tools is typed Python, whatever their schemas say."""

from __future__ import annotations

import ast
import inspect
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tools_terminal.scripts.tool_calls import module_source, signature


def definition(name: str = "read_file", **properties: Any) -> dict[str, Any]:
    required = properties.pop("required", [])
    return {
        "name": name,
        "description": "Read a file.",
        "parameters": {"type": "object", "properties": properties, "required": required},
    }


def functions(*definitions: dict[str, Any]) -> dict[str, Any]:
    """What the module holds when it is run; calls are kept instead of made."""
    space: dict[str, Any] = {"_tool": lambda *names: lambda function: function}
    exec(compile(module_source(definitions), "hermes_tools.py", "exec", dont_inherit=True), space)
    return space


def test_a_function_says_what_it_takes() -> None:
    made = definition(
        path={"type": "string", "description": "Which."},
        offset={"type": "integer", "default": 1},
        limit={"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
        mode={"enum": ["a", "b"], "type": "string", "default": "a"},
        names={"type": "array", "items": {"type": "string"}},
        more={"type": "object"},
        any={},
        required=["path"],
    )
    assert signature(made) == (
        "read_file(path: str, offset: int = 1, limit: int | None = None, mode: Literal['a', 'b'] = 'a', "
        "names: list[str] | None = None, more: dict[str, Any] | None = None, any: Any = None)"
    )
    function = functions(made)["read_file"]
    assert inspect.getdoc(function) == "Read a file.\n\nArgs:\n    path: Which."


def test_what_is_required_comes_first_in_whatever_order_it_was_declared() -> None:
    made = definition(optional={"type": "string"}, needed={"type": "string"}, required=["needed", "unknown"])
    assert signature(made) == "read_file(needed: str, optional: str | None = None)"


def test_names_that_python_does_not_take_are_changed() -> None:
    names: dict[str, Any] = {"from": {}, "from_": {}, "a-b": {}, "2nd": {}, "class": {}, "": {}, "naïve": {}}
    made = definition(**names)
    source = module_source([made])
    assert "def read_file(from_: Any = None, from__: Any = None, a_b: Any = None, _2nd: Any = None" in source
    assert "@_tool('read_file', 'from', 'from_', 'a-b', '2nd', 'class', '', 'naïve')" in source
    ast.parse(source)


def test_parameters_that_outlive_a_script_are_left_out_of_terminal_alone() -> None:
    properties = {"command": {"type": "string"}, "background": {"type": "boolean"}, "pty": {"type": "boolean"}}
    assert signature(definition("terminal", **properties)) == "terminal(command: str | None = None)"
    assert "background" in signature(definition("web_search", **properties))


def test_the_helpers_are_named_even_when_there_is_no_tool() -> None:
    assert functions()["__all__"] == ["json_parse", "retry", "shell_quote"]
    assert functions(definition())["__all__"] == ["json_parse", "read_file", "retry", "shell_quote"]


@pytest.mark.parametrize(
    "text", ['"""\nimport os', "\\", 'ends with "', "\0", "\x1b[31m", '\\"""', "\r\n\u2028", "'''"]
)
def test_a_description_is_never_more_than_a_text(text: str) -> None:
    made = {**definition(path={"type": "string", "description": text}), "description": f"about {text}"}
    tree = ast.parse(module_source([made]))
    (function,) = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    assert len(function.body) == 1
    assert text.strip()[:1] in (ast.get_docstring(function) or "")


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=40, deadline=None)
@given(
    st.dictionaries(
        st.text(max_size=8),
        st.fixed_dictionaries(
            {},
            optional={
                "type": _json,
                "enum": _json,
                "anyOf": _json,
                "default": _json,
                "description": st.text(),
                "items": _json,
            },
        ),
        max_size=4,
    ),
    st.text(),
)
def test_whatever_a_schema_says_the_module_can_be_run(properties: dict[str, Any], description: str) -> None:
    made = {
        "name": "patch",
        "description": description,
        "parameters": {"properties": properties, "required": [*properties][:1]},
    }
    function = functions(made)["patch"]
    assert len(inspect.signature(function).parameters) == len(properties)
