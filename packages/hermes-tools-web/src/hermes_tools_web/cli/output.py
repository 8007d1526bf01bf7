"""Call the tools of the family from commands, and print their results: Markdown with rich on a terminal."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import click

from hermes_core import CallRecord, Hermes, Progress, hookimpl
from hermes_core.commands import ExitCode, clean, is_terminal, note, print_json, say
from hermes_text import unwrapped_text

_ASK = re.compile(r"\b(A|a)sk the user to (\w)")


def address_user(hint: object) -> str:
    """Rephrase a hint for the user: models get hints to ask the user, the user gets the action itself."""
    return _ASK.sub(lambda found: found[2].upper() if found[1] == "A" else found[2], str(hint))


def print_search_results(result: Mapping[str, Any]) -> None:
    """Print search results."""
    rows = result["data"]["web"]
    for row in rows:
        say(f"{row['position']}. {row['title'] or row['url']}", "bold")
        say(f"   {row['url']}", "blue")
        description = unwrapped_text(row["description"])
        if description:
            say(f"   {description}")
        say()
    say(f"{len(rows)} results by {result['provider']}{' (cached)' if result.get('cached') else ''}", "dim")
    print_notes(result.get("notes"))


def print_pages(result: Mapping[str, Any], *, raw: bool) -> None:
    """Print extracted pages, and errors for the others."""
    pages = result["results"]
    _print_documents([page for page in pages if not page.get("error")], raw=raw)
    _print_failures(page for page in pages if page.get("error"))
    print_notes(result.get("notes"))


def print_site(result: Mapping[str, Any], *, raw: bool) -> None:
    """Print the pages of a crawl and what was skipped."""
    pages = result["pages"]
    _print_documents([{**page, "notes": ()} for page in pages], raw=raw)
    _print_failures(result.get("failed") or ())
    counts = ", ".join(f"{count} {reason}" for reason, count in (result.get("skipped") or {}).items())
    cached = f", {result['from_cache']} cached" if result.get("from_cache") else ""
    omitted = f"; skipped: {counts}" if counts else ""
    note(clean(f"{len(pages)} pages of {result.get('url', '')}{cached}{omitted}"))
    if result.get("stopped"):
        note(clean(f"Stopped: {result['stopped']}"))
    print_notes(result.get("notes"))


def _print_documents(pages: Sequence[Mapping[str, Any]], *, raw: bool) -> None:
    for number, page in enumerate(pages):
        if number:
            say("\n---\n")
        _print_page(page, raw=raw)
        print_notes(page.get("notes"), of=page["url"])


def _print_failures(pages: Iterable[Mapping[str, Any]]) -> None:
    for page in pages:
        hint = f" {address_user(page['hint'])}" if page.get("hint") else ""
        note(clean(f"hermes: {page.get('url', '')}: {page.get('error', '')}{hint}"))


def _print_page(page: Mapping[str, Any], *, raw: bool) -> None:
    content = unwrapped_text(str(page.get("content") or ""))
    title = clean(unwrapped_text(str(page.get("title") or "")))
    where = clean(page.get("final_url") or page["url"])
    if title and content.startswith(f"# {title}\n"):
        content = content.removeprefix(f"# {title}").lstrip("\n")
    if raw or not is_terminal() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        click.echo(f"# {title}\n\n<{where}>\n\n{content}" if title else f"<{where}>\n\n{content}")
        return
    from rich.console import Console
    from rich.markdown import Markdown

    say(title or where, "bold")
    say(f"{where}\n", "blue")
    Console(highlight=False).print(Markdown(content, hyperlinks=False))


def print_notes(notes: Iterable[object] | None, *, of: str = "") -> None:
    """Print each note of a result on its own line."""
    for each in notes or ():
        note(clean(f"note: {f'{of}: ' if of else ''}{each}"))


_LINE = 100
_CODES = {
    "blocked": ExitCode.DENIED,
    "timeout": ExitCode.TIMEOUT,
    "cancelled": ExitCode.INTERRUPTED,
    "invalid_arguments": ExitCode.USAGE,
    "unknown_tool": ExitCode.UNKNOWN_TOOL,
    "unavailable": ExitCode.UNAVAILABLE,
}
"""The exit codes by the status of a call, or else by the code of its error."""

EXIT_CODES = (
    "Exit codes: 0 for success, 1 for a failure, 2 for wrong usage, 4 when the call was denied, 5 when the provider is "
    "unavailable, 124 for a timeout, 130 for an interruption."
)


def call_and_print(
    tool: str,
    args: Mapping[str, Any],
    show: Callable[[dict[str, Any]], None],
    *,
    as_json: bool,
    worked: Callable[[dict[str, Any]], bool] = lambda _result: True,
    **changes: str | None,
) -> int:
    """Call a tool of the family, print its result, and return the exit code.

    Args:
        tool: The name of the tool.
        args: The arguments.
        show: Prints a result for people.
        as_json: Print JSON instead.
        worked: Returns whether a result without an error is what was asked for.
        changes: Overrides for settings of the section `web`.

    Raises:
        ConfigError: the user's settings are invalid.
    """
    result, code = _call(tool, args, changes)
    is_error = bool(result.get("error"))
    if as_json:
        print_json(result)
    elif is_error:
        note(f"hermes: error: {clean(result['error'])}")
        if result.get("hint"):
            note(f"hint: {clean(address_user(result['hint']))}")
        print_notes(result.get("notes"))
    else:
        show(result)
    return code or (ExitCode.TOOL_ERROR if is_error or not worked(result) else ExitCode.OK)


def _call(tool: str, args: Mapping[str, Any], changes: Mapping[str, str | None]) -> tuple[dict[str, Any], int]:
    given = {f"HERMES_WEB__{name.upper()}": value for name, value in changes.items() if value}
    with Hermes.load(approver="terminal", environ={**os.environ, **given}) as hermes, _progress(hermes):
        try:
            record = hermes.run(tool, dict(args))
        except KeyboardInterrupt:
            return {"error": "Interrupted."}, ExitCode.INTERRUPTED
    found = json.loads(record.result)
    return found if isinstance(found, dict) else {"error": str(found)}, exit_code(record)


def exit_code(record: CallRecord) -> int:
    """Return the exit code for a tool call."""
    if record.status == "ok":
        return ExitCode.OK
    return _CODES.get(record.status) or _CODES.get(record.code or "", ExitCode.TOOL_ERROR)


@contextmanager
def _progress(hermes: Hermes) -> Iterator[None]:
    """Show the progress of tools on stderr if it is a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.text import Text

    class Display:
        __name__ = "hermes-web-progress"

        @hookimpl
        def hermes_tool_progress(self, progress: Progress) -> None:
            """Show the latest message."""
            total = f" of {progress.total:g}" if progress.total is not None else ""
            counted = f" ({progress.done:g}{total})" if progress.done is not None else ""
            status.update(Text(f"{clean(progress.message[:_LINE])}{counted}"))

    with Console(stderr=True).status("Working") as status:
        hermes.add_plugin(Display())
        yield
