"""The tools of `hermes demo` where no package brings any: a plugin as you would write one, and what it shows."""

from __future__ import annotations

import inspect
import json
import textwrap
import time
from pathlib import Path
from typing import Annotated, Any, Literal

import anyio
from pydantic import Field

from hermes_core import Deny, Hermes, Tool, ToolCall, hookimpl, tool
from hermes_core.cli.demo import Script

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


_CITIES = ("Oslo", "Lima", "Cairo", "Hanoi", "Quito")
TOOLS = (add_numbers, read_note, delete_everything, long_report, ask_station)


class NothingIsDeleted:
    """A policy: it sees every call of every tool before it runs."""

    @hookimpl
    def hermes_pre_tool_call(self, call: ToolCall) -> Deny | None:
        if call.tool and "delete" in call.tool.effects:
            return Deny("on this computer nothing is deleted by an agent")
        return None


# The steps that show them.


def play_without_packages(script: Script, folder: Path) -> None:
    """Show what the core does, with the tools of this file."""
    with Hermes(tools=(*TOOLS, reader_of(folder)), plugins=[NothingIsDeleted()], home=folder / "home") as hermes:
        _declare(script, hermes)
        _decide(script, hermes)
        _repair(script, hermes)
        _spill(script, hermes)
        _run_together(script, hermes)


def _declare(script: Script, hermes: Hermes) -> None:
    with script.step("The tools"):
        script.say("No package with tools is installed, so the demo brings its own. A tool is a typed function:")
        for spec in hermes.tools():
            script.show(f"{spec.name:<18} {spec.description}")
        script.say("The model asks for one by name. The answer is always JSON:")
        _call(script, hermes, "add_numbers", {"a": 2, "b": 40})


def _decide(script: Script, hermes: Hermes) -> None:
    with script.step("Your policy decides"):
        script.say("A policy may be a hook: a function that sees every call before it runs. This one is at work here:")
        script.show(_source_of(NothingIsDeleted))
        _call(script, hermes, "delete_everything", {"folder": "/home"}, code="denied")


def _repair(script: Script, hermes: Hermes) -> None:
    with script.step("Arguments that nearly fit"):
        script.say('Models often send "3" where 3 is meant. What is certain is repaired, and recorded:')
        _call(script, hermes, "add_numbers", {"a": "3", "b": 4})
        script.say("What cannot be repaired comes back as an error that the model can act on:")
        _call(script, hermes, "read_note", {"title": "shoping"}, code="invalid_arguments")


def _spill(script: Script, hermes: Hermes) -> None:
    with script.step("Long results"):
        script.say("A result that is too long goes to a file. The model gets the beginning, and how to read on:")
        script.show('long_report {"days": 365}')
        notice = json.loads(hermes.call("long_report", {"days": 365}))
        lines = notice["preview"].splitlines()
        script.show(f"→ {len(lines):,} lines out of {notice['total_chars']:,} characters", "answer")
        script.show(f"  {notice['hint'].replace(notice['saved_to'], 'FILE')}", "answer")
        _call(script, hermes, "read_file", {"file_path": notice["saved_to"], "offset": len(lines), "limit": 2})


def _run_together(script: Script, hermes: Hermes) -> None:
    with script.step("Many calls at once"):
        script.say(
            f"{len(_CITIES)} calls that take 0.2 s each run side by side, because none of them changes anything:"
        )
        started = time.perf_counter()
        for answer in hermes.batch([("ask_station", {"city": city}) for city in _CITIES]):
            script.show(f"→ {answer}", "answer")
        script.say(f"They took {time.perf_counter() - started:.1f} s together.")


def _call(script: Script, hermes: Hermes, name: str, args: dict[str, Any], *, code: str | None = None) -> None:
    record = hermes.run(name, args)
    script.show(f"{name} {json.dumps(args)}")
    for repair in record.call.repairs:
        script.show(f"repaired: {repair}", "skipped")
    answer = record.result if record.code is None else json.dumps(json.loads(record.result), indent=2)
    script.show(f"→ {answer}", "answer" if record.code is None else "refusal")
    if record.code != code:
        raise RuntimeError(f"{name} ended with {record.code or 'success'}")


def _source_of(policy: type[Any]) -> str:
    try:
        return textwrap.dedent(inspect.getsource(policy)).rstrip()
    except OSError:  # an installation without sources
        return f"class {policy.__name__}: ..."
