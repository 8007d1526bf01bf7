"""`hermes demo`: show the installed tools at work, offline, and leave nothing behind."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hermes_core.cli.exit_codes import ExitCode
from hermes_core.cli.output import print_json, say
from hermes_core.cli.run import warning_lines
from hermes_core.inspection import hook_table
from hermes_text.terminal import clean

if TYPE_CHECKING:
    from hermes_core.demo import Demo, DemoStep
    from hermes_core.host import Hermes

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
@click.option("--json", "as_json", is_flag=True, help="Print JSON: the title, the result and the lines of each step.")
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
    """Play the steps of the core, then those of the installed plugins."""
    from hermes_core.cli.demo_steps import LIST_TOOLS, STEPS, NothingIsDeleted, tools
    from hermes_core.families import read_families
    from hermes_core.host import Hermes

    home = folder / "home"
    home.mkdir(mode=0o700)
    with contextlib.closing(Hermes.load(home=home, locked=False, only_looking=True)) as hermes:
        contributing = [record.name for record in hermes.report if _HOOK in record.hooks]
        installed = {record.distribution for record in hermes.report}
        if contributing:
            script.play(LIST_TOOLS, script.demo(hermes, folder))
    if not contributing:
        with Hermes(tools=tools(folder), plugins=[NothingIsDeleted()], home=home) as hermes:
            for step in STEPS:
                script.play(step, script.demo(hermes, folder))
    for step in _contributed_steps(script, home, contributing):
        _play_contributed(script, step, folder)
    for name, family in read_families().items():
        if family["tools"] and name not in installed:
            script.skip(", ".join(family["tools"]), name)


def _contributed_steps(script: _Script, home: Path, plugins: list[str]) -> list[DemoStep]:
    """Import the plugins that contribute, and return their steps in the order of the demo."""
    from hermes_core.demo import DemoStep
    from hermes_core.host import Hermes

    found: list[DemoStep] = []
    with contextlib.closing(Hermes.load(home=home, locked=False, only_looking=True)) as hermes:
        hermes.activate(*plugins)
        for implementation in hook_table(hermes).implementations(_HOOK):
            try:
                steps = list(implementation.function())
                if wrong := [step for step in steps if not isinstance(step, DemoStep)]:
                    raise TypeError(f"{_HOOK} returned a {type(wrong[0]).__name__}, not a DemoStep")
                found += steps
            except Exception as error:  # foreign code: the other plugins can still show theirs
                script.fail(f"The tools of {implementation.plugin}", error)
    return sorted(found, key=lambda step: step.order)


def _play_contributed(script: _Script, step: DemoStep, folder: Path) -> None:
    """Play a step in a host of its own, with the settings that it asks for."""
    import json

    from hermes_core.approval.finding import ApprovalRequest
    from hermes_core.host import Hermes

    def approve(request: ApprovalRequest) -> str:
        demo.approvals.append(request)
        return "once"

    # JSON is YAML, too.
    (folder / "home" / "config.yaml").write_text(json.dumps(dict(step.settings)), encoding="utf-8")
    with Hermes.load(home=folder / "home", locked=False, approver=approve) as hermes:
        demo = script.demo(hermes, folder)
        script.play(step, demo)


class _Script:
    """Plays steps, prints them, and remembers title, result (`shown`, `skipped` or `failed`) and lines of each."""

    def __init__(self, *, silent: bool) -> None:
        self._silent = silent
        self.steps: list[dict[str, Any]] = []
        self._print("Hermes gives an AI agent its tools. The demo plays both the model and you, who decide.", "text")

    @property
    def failed(self) -> list[str]:
        """The titles of the steps that failed."""
        return [step["title"] for step in self.steps if step["result"] == "failed"]

    def demo(self, hermes: Hermes, folder: Path) -> Demo:
        """Make what a step works with."""
        from hermes_core.demo import Demo

        return Demo(hermes, folder / "work", self._print)

    def play(self, step: DemoStep, demo: Demo) -> None:
        """Play a step. If it fails, say so; the next one follows."""
        self._begin(step.title)
        try:
            step.run(demo)
        except Exception as error:  # tools are foreign code, and one that fails must not hide the others
            self._fail(error)

    def fail(self, title: str, error: Exception) -> None:
        """Show a step that could not begin."""
        self._begin(title)
        self._fail(error)

    def skip(self, title: str, package: str) -> None:
        """Say that a step needs a package that is not installed."""
        self._begin(title)
        self.steps[-1]["result"] = "skipped"
        self._print(f"Skipped: install {package} from packages/{package} to see this.", "note")

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

    def _fail(self, error: Exception) -> None:
        self.steps[-1]["result"] = "failed"
        self._print(f"This step failed: {clean(error)}", "failed")

    def _begin(self, title: str) -> None:
        if not self._silent:
            say()
            say(f"{len(self.steps) + 1}. {title}", "bold cyan")
        self.steps.append({"title": title, "result": "shown", "lines": []})

    def _print(self, text: str, kind: str) -> None:
        if self.steps:
            self.steps[-1]["lines"].append(text.strip())
        if not self._silent:
            say(text, _STYLES[kind])
