"""`hermes demo`: show the installed tools at work, offline, and leave nothing behind."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from hermes_core.cli.demo_steps import LIST_TOOLS, STEPS, TOOLS, NothingIsDeleted
from hermes_core.cli.exit_codes import ExitCode
from hermes_core.cli.output import json_option, print_json, say
from hermes_core.cli.run import warning_lines
from hermes_core.demo import Demo, DemoStep
from hermes_core.families import read_families
from hermes_core.findings import ApprovalRequest
from hermes_core.host import Hermes
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

    The demo calls the tools of the installed packages, and names the packages that are missing. It works in a
    temporary directory, which it removes, and neither reads nor writes your settings.

    Exit status: 0 when every step succeeded, 1 when one failed.
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
    before = {name: value for name, value in os.environ.items() if name.upper().startswith("HERMES_")}
    try:
        here = os.getcwd()
    except OSError:  # the directory was removed
        here = None
    for name in before:
        del os.environ[name]
    os.environ["HERMES_HOME"] = str(folder / "home")
    (folder / "work").mkdir()
    os.chdir(folder / "work")
    try:
        yield
    finally:
        del os.environ["HERMES_HOME"]
        os.environ.update(before)
        os.chdir(here or "/")


def _play(script: _Script, folder: Path) -> None:
    """Play the steps of the installed plugins, or those of the core when there are none."""
    home = folder / "home"
    home.mkdir(mode=0o700)
    found: list[DemoStep] = []
    with contextlib.closing(Hermes.load(home=home, locked=False, only_looking=True)) as hermes:
        installed = {record.distribution for record in hermes.report}
        contributing = [record.name for record in hermes.report if _HOOK in record.hooks]
        if contributing:
            script.play(LIST_TOOLS, Demo(hermes, folder / "work", script.print))
        hermes.activate(*contributing)
        for implementation in hook_table(hermes).implementations(_HOOK):
            try:
                steps = list(implementation.function())
                if wrong := [step for step in steps if not isinstance(step, DemoStep)]:
                    raise TypeError(f"{_HOOK} returned a {type(wrong[0]).__name__}, not a DemoStep")
                found += steps
            except Exception as error:  # foreign code: the other plugins can still show theirs
                script.begin(f"The tools of {implementation.plugin}")
                script.fail(error)
    if not contributing:
        with Hermes(tools=TOOLS, plugins=[NothingIsDeleted()], home=home) as hermes:
            for step in STEPS:
                script.play(step, Demo(hermes, folder / "work", script.print))
    for step in sorted(found, key=lambda step: step.order):
        _play_contributed(script, step, folder)
    for name, family in read_families().items():
        if family["tools"] and name not in installed:
            script.skip(", ".join(family["tools"]), name)


def _play_contributed(script: _Script, step: DemoStep, folder: Path) -> None:
    """Play a step in its own host, with the settings that it asks for."""

    def approve(request: ApprovalRequest) -> str:
        demo.approvals.append(request)
        return "once"

    # JSON is YAML, too.
    (folder / "home" / "config.yaml").write_text(json.dumps(dict(step.settings)), encoding="utf-8")
    with Hermes.load(home=folder / "home", locked=False, approver=approve) as hermes:
        demo = Demo(hermes, folder / "work", script.print)
        script.play(step, demo)


class _Script:
    """Plays steps, prints them, and remembers title, result (`shown`, `skipped` or `failed`) and lines of each."""

    def __init__(self, *, silent: bool) -> None:
        self._silent = silent
        self.steps: list[dict[str, Any]] = []
        self.print("Hermes gives an AI agent its tools. The demo plays both the model and you, who decide.", "text")

    @property
    def failed(self) -> list[str]:
        """The titles of the steps that failed."""
        return [step["title"] for step in self.steps if step["result"] == "failed"]

    def play(self, step: DemoStep, demo: Demo) -> None:
        """Play a step; if it fails, the next one follows."""
        self.begin(step.title)
        try:
            step.run(demo)
        except Exception as error:  # tools are foreign code, and one that fails must not hide the others
            self.fail(error)

    def begin(self, title: str) -> None:
        """Print the title of the next step."""
        if not self._silent:
            say()
            say(f"{len(self.steps) + 1}. {title}", "bold cyan")
        self.steps.append({"title": title, "result": "shown", "lines": []})

    def fail(self, error: Exception) -> None:
        """Report that the current step failed."""
        self.steps[-1]["result"] = "failed"
        self.print(f"This step failed: {clean(error)}", "failed")

    def skip(self, title: str, package: str) -> None:
        """Report that a step needs a package that is not installed."""
        self.begin(title)
        self.steps[-1]["result"] = "skipped"
        self.print(f"Skipped: install {package} from packages/{package} to see this.", "note")

    def print(self, text: str, kind: str) -> None:
        """Print a line of the current step, and remember it."""
        if self.steps:
            self.steps[-1]["lines"].append(text.strip())
        if not self._silent:
            say(text, _STYLES[kind])

    def print_end(self) -> None:
        """Print a summary, and what to do next."""
        say()
        if self.failed:
            say(f"{len(self.failed)} of {len(self.steps)} steps failed: {', '.join(self.failed)}.", "bold red")
            say("Run 'hermes doctor' to find out why.")
            return
        say("The temporary directory is gone again, and your own settings were never read.")
        say()
        say("What next", "bold cyan")
        for wanted, how in _NEXT:
            say(f"  {wanted:<28} {how}")
