"""`hermes demo`: demonstrate the installed tools offline."""

from __future__ import annotations

import contextlib
import inspect
import json
import os
import tempfile
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import click
from pydantic import Field

from hermes_core import ApprovalRequest, Deny, Hermes, ToolCall, hookimpl, tool
from hermes_core.cli.exit_codes import ExitCode
from hermes_core.cli.output import json_option, print_json, say
from hermes_core.cli.run import warning_lines
from hermes_core.demo import Demo, DemoStep
from hermes_core.families import install_command, read_families
from hermes_core.inspection import hook_table
from hermes_text.terminal import clean

_STYLES = {"call": "", "answer": "green", "refusal": "red", "text": "", "note": "yellow", "failed": "bold red"}
_HOOK = "hermes_demo_steps"
_NEXT = (
    ("the tools you have", "hermes tools"),
    ("everything about one tool", "hermes describe NAME"),
    ("to call one yourself", "hermes call NAME key=value"),
    ("to check your installation", "hermes doctor"),
    ("tools in your own program", "from hermes_core import Hermes"),
)


@click.command()
@json_option
def command(as_json: bool) -> ExitCode:
    """Show what Hermes tools does, offline, in a few seconds.

    The demo calls the tools of the installed packages and lists the packages that are missing. It runs in a temporary
    directory, which it removes, and neither reads nor changes your settings.

    Exit code: 0 if all steps succeeded, 1 if one failed.
    """
    script = _Script(silent=as_json)
    with (
        tempfile.TemporaryDirectory(prefix="hermes-demo-", ignore_cleanup_errors=True) as temporary,
        _separate_environment(folder := Path(temporary).resolve()),
        warning_lines(show=False),
    ):
        _play(script, folder)
    if as_json:
        print_json({"ok": not script.failed, "steps": script.steps})
    else:
        script.print_end()
    return ExitCode.FOUND if script.failed else ExitCode.OK


@contextlib.contextmanager
def _separate_environment(folder: Path) -> Iterator[None]:
    """Work in a directory and a home of the demo, without the variables that configure Hermes."""
    hidden = {name: os.environ.pop(name) for name in [*os.environ] if name.upper().startswith("HERMES_")}
    os.environ["HERMES_HOME"] = str(folder / "home")
    (folder / "work").mkdir()
    try:
        with contextlib.chdir(folder / "work"):
            yield
    finally:
        del os.environ["HERMES_HOME"]
        os.environ.update(hidden)


def _play(script: _Script, folder: Path) -> None:
    """Run the steps of the installed plugins, or those of the core if there are none."""
    home = folder / "home"
    home.mkdir(mode=0o700)
    found: list[DemoStep] = []
    with contextlib.closing(Hermes.load(home=home, locked=False, only_looking=True)) as hermes:
        installed = {record.distribution for record in hermes.report}
        contributing = [record.name for record in hermes.report if _HOOK in record.hooks]
        if contributing:
            script.play(_LIST_TOOLS, Demo(hermes, folder / "work", script.print))
        hermes.activate(*contributing)
        for implementation in hook_table(hermes).implementations(_HOOK):
            try:
                steps = list(implementation.function())
                if wrong := [step for step in steps if not isinstance(step, DemoStep)]:
                    raise TypeError(f"{_HOOK} returned a {type(wrong[0]).__name__}, not a DemoStep")
                found += steps
            except Exception as error:  # foreign code: the other plugins can still run their steps
                script.begin(f"The tools of {implementation.plugin}")
                script.end("failed", f"This step failed: {clean(error)}", "failed")
    if not contributing:
        with Hermes(tools=_TOOLS, plugins=[NothingIsDeleted()], home=home) as hermes:
            for step in _STEPS:
                script.play(step, Demo(hermes, folder / "work", script.print))
    for step in sorted(found, key=lambda step: step.order):
        _play_contributed(script, step, folder)
    for name, family in read_families().items():
        if family["tools"] and name not in installed:
            script.begin(", ".join(family["tools"]))
            script.end("skipped", f"Skipped. To see this, run: {install_command(name)}", "note")


def _play_contributed(script: _Script, step: DemoStep, folder: Path) -> None:
    def approve(request: ApprovalRequest) -> str:
        demo.approvals.append(request)
        return "once"

    # JSON is also YAML.
    (folder / "home" / "config.yaml").write_text(json.dumps(dict(step.settings)), encoding="utf-8")
    with Hermes.load(home=folder / "home", locked=False, approver=approve) as hermes:
        demo = Demo(hermes, folder / "work", script.print)
        script.play(step, demo)


class _Script:
    """Runs steps, prints them, and stores the title, result (`shown`, `skipped` or `failed`) and lines of each."""

    def __init__(self, *, silent: bool) -> None:
        self._silent = silent
        self.steps: list[dict[str, Any]] = []
        self.print(
            "Hermes gives an AI agent its tools. The demo plays two roles: the model, and you, who decide.", "text"
        )

    @property
    def failed(self) -> list[str]:
        return [step["title"] for step in self.steps if step["result"] == "failed"]

    def play(self, step: DemoStep, demo: Demo) -> None:
        self.begin(step.title)
        try:
            step.run(demo)
        except Exception as error:  # tools are foreign code, and one that fails must not hide the others
            self.end("failed", f"This step failed: {clean(error)}", "failed")

    def begin(self, title: str) -> None:
        if not self._silent:
            say()
            say(f"{len(self.steps) + 1}. {title}", "bold cyan")
        self.steps.append({"title": title, "result": "shown", "lines": []})

    def end(self, result: str, text: str, kind: str) -> None:
        self.steps[-1]["result"] = result
        self.print(text, kind)

    def print(self, text: str, kind: str) -> None:
        if self.steps:
            self.steps[-1]["lines"].append(text.strip())
        if not self._silent:
            say(text, _STYLES[kind])

    def print_end(self) -> None:
        say()
        if self.failed:
            say(f"{len(self.failed)} of {len(self.steps)} steps failed: {', '.join(self.failed)}.", "bold red")
            say("Run 'hermes doctor' to find out why.")
            return
        say("The temporary directory was removed, and your own settings were not used.")
        say()
        say("What next", "bold cyan")
        for wanted, how in _NEXT:
            say(f"  {wanted:<28} {how}")


# -- steps without packages --------------------------------------------------------------------------------------------

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


# Effects describe what a tool may do. Policies use them, so they also apply to tools that are installed
# later.


@tool(toolset="demo", emoji="💥", effects=["delete"])
def delete_everything(folder: str) -> dict[str, str]:
    """Delete a folder and everything in it."""
    raise AssertionError(f"the demo must never get here: {folder}")


class NothingIsDeleted:
    """A policy: it checks every call of every tool before it runs."""

    @hookimpl
    def hermes_pre_tool_call(self, call: ToolCall) -> Deny | None:
        if call.tool and "delete" in call.tool.effects:
            return Deny("on this computer nothing is deleted by an agent")
        return None


def _list_installed(demo: Demo) -> None:
    demo.say("These tools come from the packages that are installed. None of them is imported yet:")
    by_toolset: dict[str, list[str]] = {}
    for spec in demo.hermes.tools():
        by_toolset.setdefault(spec.toolset, []).append(spec.name)
    for toolset, names in sorted(by_toolset.items()):
        demo.show(f"{toolset:<16} {', '.join(names)}")


def _declare(demo: Demo) -> None:
    demo.say("No package with tools is installed, so the demo has its own. A tool is a typed function:")
    for spec in demo.hermes.tools():
        demo.show(f"{spec.name:<18} {spec.description}")
    demo.say("The model asks for one by name. The answer is always JSON:")
    demo.call("add_numbers", {"a": 2, "b": 40})


def _deny(demo: Demo) -> None:
    demo.say("A policy may be a hook: a function that sees every call before it runs. This one is active here:")
    try:
        demo.show(textwrap.dedent(inspect.getsource(NothingIsDeleted)).rstrip())
    except OSError:  # an installation without source code
        demo.show("class NothingIsDeleted: ...")
    demo.call("delete_everything", {"folder": "/home"}, code="denied")


def _repair(demo: Demo) -> None:
    demo.say('Models often send "3" where 3 is meant. Unambiguous errors are repaired and recorded:')
    demo.call("add_numbers", {"a": "3", "b": 4})
    demo.say("Other errors are returned to the model, which can correct them:")
    demo.call("read_note", {"title": "shoping"}, code="invalid_arguments")


_TOOLS = (add_numbers, read_note, delete_everything)
_LIST_TOOLS = DemoStep(title="The tools", run=_list_installed)
_STEPS = (
    DemoStep(title="The tools", run=_declare),
    DemoStep(title="Your policy decides", run=_deny),
    DemoStep(title="Arguments that nearly fit", run=_repair),
)
