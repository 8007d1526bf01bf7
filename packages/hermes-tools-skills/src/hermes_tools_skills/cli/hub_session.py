"""Runs a command of the hub on a terminal, in a script or in a chat: its output, confirmations and progress."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import click

from hermes_core.commands import ExitCode, clean, cut, line_width, loaded_host, note, print_json, say
from hermes_tools_skills.hub.errors import HubError
from hermes_tools_skills.providers.protocol import SourceError

if TYPE_CHECKING:
    from hermes_core import Hermes
    from hermes_tools_skills.hub.hub import SkillHub

_CODES = {
    "blocked": ExitCode.DENIED,
    "declined": ExitCode.DENIED,
    "invalid": ExitCode.USAGE,
    "state": ExitCode.USAGE,
    "unsupported": ExitCode.UNAVAILABLE,
}
_PROGRESS_WIDTH = 78


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The result of a command.

    Attributes:
        lines: The text for people.
        facts: The JSON for programs.
        notes: Warnings, which are no part of the output.
        code: The exit code.
    """

    lines: Sequence[str]
    facts: Any
    notes: Sequence[str] = ()
    code: ExitCode = ExitCode.OK


@dataclass(slots=True, kw_only=True)
class Session:
    """Who runs a command.

    Attributes:
        confirm: Asks the user to confirm something; None if no user can answer.
        show: Shows the user what a question is about.
        progress: Shows progress.
        hermes: The host of an application; None for the command line, which loads its own.
        output: Collects the text for an application; None for the command line, which prints it.
    """

    confirm: Callable[[str], bool] | None = None
    show: Callable[[Sequence[str]], None] = lambda _lines: None
    progress: Callable[[str, int, int], None] = lambda _message, _done, _total: None
    hermes: Hermes | None = None
    output: list[str] | None = None
    hidden: Callable[[], None] = field(default=lambda: None)

    def require_confirmation(self, question: str, lines: Sequence[str] = (), *, yes: bool = False) -> None:
        """Raise `HubError` unless the user confirms, or has done so with `--yes`."""
        self.hidden()
        if yes:
            return
        if self.confirm is None:
            raise HubError("This needs your confirmation. Run it on a terminal, or with --yes.", kind="declined")
        self.show(lines)
        if not self.confirm(question):
            raise HubError("You did not confirm it. Nothing was changed.", kind="declined")

    def finish(self, outcome: Outcome, *, as_json: bool) -> ExitCode:
        """Print or collect the output, and return the exit code."""
        self.hidden()
        if self.output is not None:
            self.output += [*outcome.lines, *(f"Note: {each}" for each in outcome.notes)]
        elif as_json:
            print_json(outcome.facts)
        else:
            for line in outcome.lines:
                say(line)
            for each in outcome.notes:
                note(f"hermes: note: {clean(each)}")
        return outcome.code

    def fail(self, error: HubError | SourceError, *, as_json: bool) -> ExitCode:
        """Report an error and return the exit code."""
        self.hidden()
        if self.output is not None:
            self.output.append(f"Error: {clean(error.reason)}")
        elif as_json:
            print_json({"error": error.reason, "kind": error.kind})
        else:
            note(f"hermes: error: {clean(error.reason)}")
        return _CODES.get(error.kind, ExitCode.FOUND)


def terminal_session() -> Session:
    """Return the session of the command line, which can ask only if a person is there."""
    if sys.stderr is None or not sys.stderr.isatty():
        return Session()
    is_shown = False

    def show_progress(message: str, done: int, total: int) -> None:
        nonlocal is_shown
        counted = f" ({done} of {total})" if total else ""
        width = min(line_width() or _PROGRESS_WIDTH, 120) - len(counted) - 1
        sys.stderr.write(f"\r\x1b[2K{cut(clean(message), max(width, 10))}{counted}")
        sys.stderr.flush()
        is_shown = True

    def hide_progress() -> None:
        nonlocal is_shown
        if is_shown:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()
            is_shown = False

    def ask(question: str) -> bool:
        return bool(click.confirm(question, default=False, err=True))

    def show(lines: Sequence[str]) -> None:
        for line in lines:
            note(line)

    is_there = sys.stdin is not None and sys.stdin.isatty()
    return Session(
        confirm=ask if is_there else None,
        show=show,
        progress=show_progress,
        hidden=hide_progress,
    )


@contextmanager
def open_hub(session: Session, *, offline: bool = False) -> Iterator[SkillHub]:
    """Open the hub with the settings of the user."""
    from hermes_tools_skills.hub.hub import SkillHub

    if session.hermes is not None:
        hub = SkillHub.for_host(session.hermes, progress=session.progress, offline=offline)
    else:
        with loaded_host() as host:
            hub = SkillHub.for_host(host, progress=session.progress, offline=offline)
    with hub:
        yield hub


def hub_command(function: Callable[..., Outcome]) -> Callable[..., ExitCode]:
    """Turn a function that takes a hub, a session and options into the callback of a command with `--json`."""

    @click.option("--json", "as_json", is_flag=True, help="Print JSON.")
    @click.pass_context
    @functools.wraps(function)
    def run(ctx: click.Context, /, *, as_json: bool, **options: Any) -> ExitCode:
        session = ctx.find_object(Session) or terminal_session()
        try:
            with open_hub(session, offline=bool(options.pop("offline", False))) as hub:
                outcome = function(hub, session, **options)
        except (HubError, SourceError) as error:
            return session.fail(error, as_json=as_json)
        except BaseException:
            session.hidden()
            raise
        return session.finish(outcome, as_json=as_json)

    return run


yes_option = click.option("--yes", is_flag=True, help="Do not ask; skills that the scan blocks stay blocked.")
force_option = click.option(
    "--force", is_flag=True, help="Install despite the verdict 'caution'. It never overrides 'dangerous'."
)
offline_option = click.option("--offline", is_flag=True, help="Use only what is cached.")


def source_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--source` and `--limit`."""
    limit = click.option("--limit", type=click.IntRange(1, 1_000), default=20, show_default=True, help="How many.")
    source = click.option("--source", default="", metavar="NAME", help="Ask only this source, such as github.")
    return source(limit(offline_option(function)))


def facts_of(pairs: Mapping[str, str]) -> list[str]:
    """Return labels with their values, one per line, without empty values."""
    shown = {label: clean(value) for label, value in pairs.items() if value}
    width = max(map(len, shown), default=0)
    return [f"{label:<{width}}  {value}" for label, value in shown.items()]
