"""Print tool results: with rich on a terminal, as plain text otherwise."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import click

from hermes_text import unwrapped_text

_ASK = re.compile(r"\b(A|a)sk the user to (\w)")


def is_styled() -> bool:
    """Return whether stdout is a terminal that shows styles."""
    is_plain = sys.stdout is None or not sys.stdout.isatty()
    return not (is_plain or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb")


def print_json(value: object) -> None:
    """Print a value as JSON, in ASCII where the stream cannot encode a character."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(value, indent=2)
    click.echo(text)


def to_printable(text: object) -> str:
    """Put text on one line without control characters."""
    return "".join(sign if sign.isprintable() else " " for sign in str(text))


def address_user(hint: object) -> str:
    """Rephrase a hint for the user: models get hints to ask the user, the user gets the action itself."""
    return _ASK.sub(lambda found: found[2].upper() if found[1] == "A" else found[2], str(hint))


def print_search_results(result: Mapping[str, Any]) -> None:
    """Print search results."""
    rows = result["data"]["web"]
    for row in rows:
        _line(f"{row['position']}. {row['title'] or row['url']}", "bold")
        _line(f"   {row['url']}", "blue")
        description = unwrapped_text(row["description"])
        if description:
            _line(f"   {description}")
        click.echo()
    _line(f"{len(rows)} results by {result['provider']}{' (cached)' if result.get('cached') else ''}", "dim")
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
    _note(f"{len(pages)} pages of {result.get('url', '')}{cached}{omitted}")
    if result.get("stopped"):
        _note(f"Stopped: {result['stopped']}")
    print_notes(result.get("notes"))


def _print_documents(pages: Sequence[Mapping[str, Any]], *, raw: bool) -> None:
    for number, page in enumerate(pages):
        if number:
            click.echo("\n---\n")
        _print_page(page, raw=raw)
        print_notes(page.get("notes"), of=page["url"])


def _print_failures(pages: Iterable[Mapping[str, Any]]) -> None:
    for page in pages:
        hint = f" {address_user(page['hint'])}" if page.get("hint") else ""
        _note(f"hermes: {page.get('url', '')}: {page.get('error', '')}{hint}")


def _print_page(page: Mapping[str, Any], *, raw: bool) -> None:
    content = unwrapped_text(str(page.get("content") or ""))
    title = to_printable(unwrapped_text(str(page.get("title") or "")))
    where = to_printable(page.get("final_url") or page["url"])
    if title and content.startswith(f"# {title}\n"):
        content = content.removeprefix(f"# {title}").lstrip("\n")
    if raw or not is_styled():
        click.echo(f"# {title}\n\n<{where}>\n\n{content}" if title else f"<{where}>\n\n{content}")
        return
    from rich.console import Console
    from rich.markdown import Markdown
    from rich.text import Text

    console = Console(highlight=False)
    console.print(Text(title or where, style="bold"))
    console.print(Text(where, style="blue"), soft_wrap=True)
    console.print()
    console.print(Markdown(content, hyperlinks=False))


def print_notes(notes: object, *, of: str = "") -> None:
    """Print each note of a result on its own line."""
    for each in notes if isinstance(notes, Iterable) and not isinstance(notes, str) else ():
        _note(f"note: {f'{of}: ' if of else ''}{each}")


def _note(text: str) -> None:
    """Print an untrusted line to stderr."""
    click.echo(to_printable(text), err=True)


def _line(text: str, style: str = "") -> None:
    if not is_styled():
        click.echo(text)
        return
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    indent = len(text) - len(text.lstrip())
    styled = Text(text.strip(), style=style)
    # A URL that is broken into lines cannot be copied.
    Console(highlight=False).print(Padding(styled, (0, 0, 0, indent)), soft_wrap="://" in text)
