"""`hermes demo`: the tools that are installed, shown at work, offline and with nothing left behind."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from hermes_core.cli.exit_codes import ExitCode
from hermes_core.cli.invocation import current_invocation
from hermes_core.cli.logs import warning_lines
from hermes_core.cli.output import clean, print_json, say
from hermes_core.cli.scratch import scratch_directory

_STYLES = {"call": "", "answer": "green", "refusal": "red", "text": "", "skipped": "yellow", "failed": "bold red"}


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON: the title, the result and the lines of each step.")
def command(as_json: bool) -> ExitCode:
    """Show what Hermes tools does, offline, in a few seconds.

    The demo calls the tools of the installed packages: a shell command, one that is refused, a file that is patched and
    restored, a page on this machine, a policy, an approval, tool search. Where a package is missing, it says so. It
    works in a temporary directory, which it removes, and neither reads nor writes your settings.

    Exit status: 0 when every step did what it should, 1 when one did not.
    """
    script = Script(silent=as_json)
    with (
        scratch_directory("hermes-demo-") as folder,
        _separate_environment(folder),
        warning_lines(show=False, debug=current_invocation().debug),
    ):
        from hermes_core.cli.demo_steps import play

        play(script, folder)
    script.end()
    if as_json:
        print_json({"ok": not script.failed, "steps": script.steps})
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


class Script:
    """Tells the demo step by step, and remembers what became of each.

    Args:
        silent: Whether nothing is printed meanwhile.

    Attributes:
        steps: Title, result (`shown`, `skipped` or `failed`) and lines of each step.
    """

    def __init__(self, *, silent: bool) -> None:
        self._silent = silent
        self.steps: list[dict[str, Any]] = []
        self.say("Hermes gives an AI agent its tools. Here the demo plays the model that calls, and you, who decide.")

    @property
    def failed(self) -> list[str]:
        """The titles of the steps that did not do what they should."""
        return [step["title"] for step in self.steps if step["result"] == "failed"]

    def say(self, text: str = "") -> None:
        """Tell something."""
        self._line(text, "text")

    @contextlib.contextmanager
    def step(self, title: str) -> Iterator[None]:
        """Begin a step. What goes wrong in it is told, and the next one follows."""
        if not self._silent:
            say()
            say(f"{len(self.steps) + 1}. {title}", "bold cyan")
        self.steps.append({"title": title, "result": "shown", "lines": []})
        try:
            yield
        except Exception as error:  # tools are foreign code, and one that fails must not hide the others
            self.steps[-1]["result"] = "failed"
            self._line(f"This step failed: {clean(error)}", "failed")

    def skip(self, title: str, package: str) -> None:
        """Tell that a step needs a package that is not installed."""
        with self.step(title):
            self.steps[-1]["result"] = "skipped"
            self._line(f"Skipped: install {package} from packages/{package} to see this.", "skipped")

    def show(self, text: str, kind: str = "call") -> None:
        """Show a call or an answer, indented."""
        for line in text.splitlines():
            self._line(f"    {line}", kind)

    def end(self) -> None:
        """Tell what became of it all."""
        if self._silent:
            return
        say()
        if self.failed:
            say(f"{len(self.failed)} of {len(self.steps)} steps failed: {', '.join(self.failed)}.", "bold red")
            say("Run 'hermes doctor' to find out why.")
            return
        say("The temporary directory is gone again, and your own settings were never read.")
        say()
        say("What next", "bold cyan")
        for wanted, how in (
            ("the tools you have", "hermes tools"),
            ("everything about one tool", "hermes describe NAME"),
            ("to call one yourself", "hermes call NAME key=value"),
            ("to check your installation", "hermes doctor"),
            ("tools in your own program", "from hermes_core import Hermes"),
        ):
            say(f"  {wanted:<28} {how}")

    def _line(self, text: str, kind: str) -> None:
        if self.steps:
            self.steps[-1]["lines"].append(text.strip())
        if not self._silent:
            say(text, _STYLES[kind])
