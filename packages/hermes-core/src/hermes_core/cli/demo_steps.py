"""The steps of `hermes demo` that need no package, with tools as you would write them in a plugin."""

from __future__ import annotations

import inspect
import textwrap
from typing import Annotated, Any, Literal

from pydantic import Field

from hermes_core import Deny, ToolCall, hookimpl, tool
from hermes_core.demo import Demo, DemoStep

# A tool is a typed function. The docstring tells the model what it is for; the annotations become its JSON schema.


@tool(toolset="demo", emoji="➕")
def add_numbers(
    a: Annotated[int, Field(description="The first number")],
    b: Annotated[int, Field(description="The second number")],
) -> dict[str, int]:
    """Add two whole numbers."""
    return {"sum": a + b}


@tool(toolset="demo", emoji="📝", effects=["read"])
def read_note(
    title: Literal["shopping", "ideas"],
    lines: Annotated[int, Field(ge=1, le=20, description="How many lines to read")] = 5,
) -> dict[str, Any]:
    """Read one of the user's notes."""
    notes = {"shopping": ["bread", "olives", "tea"], "ideas": ["learn the cello", "build a boat"]}
    return {"title": title, "lines": notes[title][:lines]}


# Effects say what a tool may do. Policies are written in these words, so they also hold for tools that are installed
# later.


@tool(toolset="demo", emoji="💥", effects=["delete"])
def delete_everything(folder: str) -> dict[str, str]:
    """Delete a folder and everything in it."""
    raise AssertionError(f"the demo must never get here: {folder}")


class NothingIsDeleted:
    """A policy: it sees every call of every tool before it runs."""

    @hookimpl
    def hermes_pre_tool_call(self, call: ToolCall) -> Deny | None:
        if call.tool and "delete" in call.tool.effects:
            return Deny("on this computer nothing is deleted by an agent")
        return None


def _list_installed(demo: Demo) -> None:
    demo.say("These tools come from the packages that are installed. Nothing of them is imported yet:")
    by_toolset: dict[str, list[str]] = {}
    for spec in demo.hermes.tools():
        by_toolset.setdefault(spec.toolset, []).append(spec.name)
    for toolset, names in sorted(by_toolset.items()):
        demo.show(f"{toolset:<16} {', '.join(names)}")


def _declare(demo: Demo) -> None:
    demo.say("No package with tools is installed, so the demo brings its own. A tool is a typed function:")
    for spec in demo.hermes.tools():
        demo.show(f"{spec.name:<18} {spec.description}")
    demo.say("The model asks for one by name. The answer is always JSON:")
    demo.call("add_numbers", {"a": 2, "b": 40})


def _deny(demo: Demo) -> None:
    demo.say("A policy may be a hook: a function that sees every call before it runs. This one is at work here:")
    try:
        demo.show(textwrap.dedent(inspect.getsource(NothingIsDeleted)).rstrip())
    except OSError:  # an installation without sources
        demo.show("class NothingIsDeleted: ...")
    demo.call("delete_everything", {"folder": "/home"}, code="denied")


def _repair(demo: Demo) -> None:
    demo.say('Models often send "3" where 3 is meant. What is certain is repaired, and recorded:')
    demo.call("add_numbers", {"a": "3", "b": 4})
    demo.say("What cannot be repaired comes back as an error that the model can act on:")
    demo.call("read_note", {"title": "shoping"}, code="invalid_arguments")


TOOLS = (add_numbers, read_note, delete_everything)
LIST_TOOLS = DemoStep(title="The tools", run=_list_installed)
STEPS = (
    DemoStep(title="The tools", run=_declare),
    DemoStep(title="Your policy decides", run=_deny),
    DemoStep(title="Arguments that nearly fit", run=_repair),
)
