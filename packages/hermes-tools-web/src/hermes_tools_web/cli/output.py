"""Print tool results: Markdown with rich on a terminal, and as plain text otherwise."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import click

from hermes_core.commands import clean, is_terminal, note, say
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
