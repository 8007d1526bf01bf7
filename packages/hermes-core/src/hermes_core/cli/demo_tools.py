"""The tools and the policy of `hermes demo`: a plugin as you would write one, small enough to read in a minute."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Literal

import anyio
from pydantic import Field

from hermes_core import Deny, Tool, ToolCall, hookimpl, tool

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


# Effects say what a tool may do to the world. Policies are written in these words, so they also hold for tools that
# are installed later.


@tool(toolset="demo", emoji="💥", effects=["delete"])
def delete_everything(folder: str) -> dict[str, str]:
    """Delete a folder and all that is in it."""
    raise AssertionError(f"the demo must never get here: {folder}")


# A result that is too long for a model is kept in a file; the model gets the beginning and the way to the rest.


@tool(toolset="demo", emoji="📚", effects=["read"], max_result_size_chars=4_000)
def long_report(days: Annotated[int, Field(ge=1, le=1_000)] = 365) -> str:
    """Write a report with one entry for each day."""
    return json.dumps([f"day {day}: {day * 7 % 31} visitors" for day in range(1, days + 1)], indent=0)


# A tool may be async. Sync callers need not know.


@tool(toolset="demo", emoji="⛅", effects=["network"])
async def ask_station(city: str) -> dict[str, Any]:
    """Ask the weather station of a city, which takes a moment to answer."""
    await anyio.sleep(0.2)  # stands for the network: the demo works offline
    return {"city": city, "celsius": 10 + len(city)}


def reader_of(folder: Path) -> Tool:
    """A tool that reads the files of one folder: made by a function, because it needs to know which folder."""

    @tool(toolset="demo", emoji="📖", effects=["read"])
    def read_file(file_path: str, offset: int = 1, limit: int = 500) -> dict[str, Any]:
        """Read some lines of a text file."""
        path = Path(file_path).resolve()
        if not path.is_relative_to(folder.resolve()):
            raise ValueError(f"{path} is outside of the demo's folder")
        lines = path.read_text(encoding="utf-8").splitlines()
        return {"lines": lines[offset - 1 : offset - 1 + limit], "total_lines": len(lines)}

    return read_file


TOOLS = (add_numbers, read_note, delete_everything, long_report, ask_station)


class NothingIsDeleted:
    """A policy: it sees every call of every tool before it runs."""

    @hookimpl
    def hermes_pre_tool_call(self, call: ToolCall) -> Deny | None:
        if call.tool and "delete" in call.tool.effects:
            return Deny("on this computer nothing is deleted by an agent")
        return None
