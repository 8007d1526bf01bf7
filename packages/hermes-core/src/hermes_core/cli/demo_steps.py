"""The steps of `hermes demo` that need no package, with tools as you would write them in a plugin."""

from __future__ import annotations

import inspect
import json
import textwrap
import time
from pathlib import Path
from typing import Annotated, Any, Literal

import anyio
from pydantic import Field

from hermes_core import Deny, Tool, ToolCall, hookimpl, tool
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


def make_reader(folder: Path) -> Tool:
    """Make a tool that reads the files of one folder."""

    @tool(toolset="demo", emoji="📖", effects=["read"])
    def read_file(file_path: str, offset: int = 1, limit: int = 500) -> dict[str, Any]:
        """Read some lines of a text file."""
        path = Path(file_path).resolve()
        if not path.is_relative_to(folder.resolve()):
            raise ValueError(f"{path} is outside of the demo's folder")
        lines = path.read_text(encoding="utf-8").splitlines()
        return {"lines": lines[offset - 1 : offset - 1 + limit], "total_lines": len(lines)}

    return read_file


_CITIES = ("Oslo", "Lima", "Cairo", "Hanoi", "Quito")


def tools(folder: Path) -> tuple[Tool, ...]:
    """Return the tools of the demo."""
    return (add_numbers, read_note, delete_everything, long_report, ask_station, make_reader(folder))


class NothingIsDeleted:
    """A policy: it sees every call of every tool before it runs."""

    @hookimpl
    def hermes_pre_tool_call(self, call: ToolCall) -> Deny | None:
        if call.tool and "delete" in call.tool.effects:
            return Deny("on this computer nothing is deleted by an agent")
        return None


# The steps that show them.


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


def _spill(demo: Demo) -> None:
    demo.say("A result that is too long goes to a file. The model gets the beginning, and how to read on:")
    demo.show('long_report {"days": 365}')
    notice = json.loads(demo.hermes.call("long_report", {"days": 365}))
    lines = notice["preview"].splitlines()
    demo.show(f"→ {len(lines):,} lines out of {notice['total_chars']:,} characters", "answer")
    demo.show(f"  {notice['hint'].replace(notice['saved_to'], 'FILE')}", "answer")
    demo.call("read_file", {"file_path": notice["saved_to"], "offset": len(lines), "limit": 2})


def _run_together(demo: Demo) -> None:
    demo.say(f"{len(_CITIES)} calls that take 0.2 s each run side by side, because none of them changes anything:")
    started = time.perf_counter()
    for answer in demo.hermes.batch([("ask_station", {"city": city}) for city in _CITIES]):
        demo.show(f"→ {answer}", "answer")
    demo.say(f"They took {time.perf_counter() - started:.1f} s together.")


LIST_TOOLS = DemoStep(title="The tools", run=_list_installed)
STEPS = (
    DemoStep(title="The tools", run=_declare),
    DemoStep(title="Your policy decides", run=_deny),
    DemoStep(title="Arguments that nearly fit", run=_repair),
    DemoStep(title="Long results", run=_spill),
    DemoStep(title="Many calls at once", run=_run_together),
)
