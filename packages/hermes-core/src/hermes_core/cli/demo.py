"""`hermes demo`: what Hermes tools do, shown in a second, offline, with nothing left behind."""

from __future__ import annotations

import contextlib
import inspect
import io
import json
import re
import tempfile
import textwrap
import time
from pathlib import Path
from typing import Any

import click

from hermes_core import Hermes
from hermes_core.cli.invocation import current_invocation
from hermes_core.cli.logs import warning_lines
from hermes_core.cli.output import print_json, say

_CITIES = ("Oslo", "Lima", "Cairo", "Hanoi", "Quito")


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON: the title and the text of each step.")
def command(as_json: bool) -> None:
    """See in a second what Hermes tools do, offline.

    The demo works in a temporary folder, which it removes. It needs no network, no keys and no plugins, and does not
    touch your settings. Exit status: 0.
    """
    if as_json:
        told = io.StringIO()
        with contextlib.redirect_stdout(told):
            _tell()
        print_json({"steps": [{"title": title, "text": text} for title, text in _steps(told.getvalue())]})
    else:
        _tell()


def _steps(told: str) -> list[tuple[str, str]]:
    """The demo in pieces: what stands below each heading."""
    _, *parts = re.split(r"^(\d\. .*|What next)$", told, flags=re.MULTILINE)
    return [(title.lstrip("0123456789. "), text.strip()) for title, text in zip(parts[::2], parts[1::2], strict=True)]


def _tell() -> None:
    say("Hermes gives an AI agent its tools. This demo plays both sides: the model that calls, and you who decide.")
    with (
        tempfile.TemporaryDirectory(prefix="hermes-demo-") as folder,
        warning_lines(show=True, debug=current_invocation().debug),
    ):
        _play(Path(folder))
    say()
    say("The temporary folder is gone again, and your own settings were never read.")
    _what_next()


def _play(folder: Path) -> None:
    from hermes_core.cli.demo_tools import TOOLS, NothingIsDeleted, reader_of

    with Hermes(tools=(*TOOLS, reader_of(folder)), plugins=[NothingIsDeleted()], home=folder) as hermes:
        _list_tools(hermes)
        _call_one(hermes)
        _veto(hermes, NothingIsDeleted)
        _repair(hermes)
        _explain_mistake(hermes)
        _spill(hermes)
        _run_together(hermes)


def _list_tools(hermes: Hermes) -> None:
    _heading(1, "The tools")
    specs = hermes.tools()
    say(f"A tool is a Python function with types and a docstring. This agent has {len(specs)}:")
    for spec in specs:
        _show(f"{spec.emoji} {spec.name:<18} {spec.description}")
    definition = hermes.definitions(["add_numbers"], everything=True)[0]["function"]
    say("From the types comes the schema that a model is given. For add_numbers:")
    _show(json.dumps(definition["parameters"]["properties"]))


def _call_one(hermes: Hermes) -> None:
    _heading(2, "A call")
    say("The model asks for a tool by name, with arguments. The answer is always JSON:")
    _call(hermes, "add_numbers", {"a": 2, "b": 40})


def _veto(hermes: Hermes, policy: type[Any]) -> None:
    _heading(3, "Your policy decides")
    say("A policy is a hook: a function that sees every call before it runs. This one is at work here:")
    _show(_source_of(policy))
    say("So when the model tries this, the tool does not run, and the model is told so:")
    _call(hermes, "delete_everything", {"folder": "/home"})


def _repair(hermes: Hermes) -> None:
    _heading(4, "Small mistakes are mended")
    say('Models often send "3" where 3 is meant. What is certain is repaired, and each repair is on record:')
    _call(hermes, "add_numbers", {"a": "3", "b": 4})


def _explain_mistake(hermes: Hermes) -> None:
    _heading(5, "Real mistakes are explained")
    say("Nothing is guessed. What cannot be repaired comes back in words that the model can act on:")
    _call(hermes, "read_note", {"title": "shoping"})


def _spill(hermes: Hermes) -> None:
    _heading(6, "Long results do not flood the model")
    say(
        "A report of a whole year is too long. It goes to a file; the model gets the beginning and the way to the rest:"
    )
    _show('long_report {"days": 365}')
    notice = json.loads(hermes.call("long_report", {"days": 365}))
    shown = notice["preview"].splitlines()
    _show(f"preview      {' '.join(shown[:3])} ... {len(shown):,} lines out of {notice['total_chars']:,} characters")
    _show(f"saved to     {notice['saved_to']}")
    _show(f"how to go on {notice['hint'].replace(notice['saved_to'], 'FILE')}")
    say("The model follows that hint:")
    _call(
        hermes,
        "read_file",
        {"file_path": notice["saved_to"], "offset": len(shown), "limit": 2},
        shown=f'{{"file_path": "FILE", "offset": {len(shown)}, "limit": 2}}',
    )


def _run_together(hermes: Hermes) -> None:
    _heading(7, "Async tools, and many at once")
    say("ask_station is an async function that takes 0.2 s. This demo is ordinary sync code, and simply calls it:")
    _call(hermes, "ask_station", {"city": "Oslo"})
    say(f"{len(_CITIES)} such calls in one batch run side by side, because none of them changes anything:")
    started = time.perf_counter()
    answers = hermes.batch([("ask_station", {"city": city}) for city in _CITIES])
    took = time.perf_counter() - started
    for answer in answers:
        _show(answer)
    say(f"{len(_CITIES)} calls of 0.2 s took {took:.1f} s together.")


def _what_next() -> None:
    say()
    say("What next", "bold cyan")
    for wanted, how in (
        ("the tools you have", "hermes tools"),
        ("everything about one tool", "hermes describe NAME"),
        ("to call one yourself", "hermes call NAME key=value"),
        ("to know why one is missing", "hermes why NAME"),
        ("tools in your own program", "from hermes_core import Hermes"),
        ("to read this demo's code", _home_of_the_code()),
    ):
        say(f"  {wanted:<28} {how}")


def _home_of_the_code() -> str:
    return str(Path(__file__).with_name("demo_tools.py"))


def _call(hermes: Hermes, name: str, args: dict[str, Any], *, shown: str | None = None) -> None:
    """Call a tool as a model would, and show what it asked and what it got."""
    record = hermes.run(name, args)
    _show(f"{name} {shown or json.dumps(args)}")
    for repair in record.call.repairs:
        _show(f"repaired: {repair}", "yellow")
    answer = record.result if record.code is None else json.dumps(json.loads(record.result), indent=2)
    _show(f"→ {answer}", "green" if record.code is None else "red")


def _heading(number: int, title: str) -> None:
    say()
    say(f"{number}. {title}", "bold cyan")


def _show(text: str, style: str = "") -> None:
    say(textwrap.indent(text, "    "), style)


def _source_of(policy: type[Any]) -> str:
    try:
        return textwrap.dedent(inspect.getsource(policy)).rstrip()
    except OSError:  # an installation without sources
        return f"class {policy.__name__}: ..."
