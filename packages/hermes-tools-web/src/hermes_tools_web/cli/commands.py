"""`hermes web`: the web for people, by the same tools, under the same policy."""

from __future__ import annotations

import sys
from typing import Any

import click

from hermes_tools_web.cli.calls import EXIT_CODES

_JSON = click.option("--json", "as_json", is_flag=True, help="Print the result as a model gets it.")
_PROVIDER = click.option("--provider", metavar="NAME", help="Who does it; see 'hermes web providers'.")


@click.group(short_help="Search the web, read pages and crawl sites as agents do.")
def web() -> None:
    """Search the web, read pages and crawl sites as agents do."""


@web.command(epilog=EXIT_CODES)
@click.argument("query", nargs=-1, required=True)
@click.option("--limit", type=click.IntRange(1, 100), default=5, show_default=True, help="How many results at most.")
@_PROVIDER
@_JSON
def search(query: tuple[str, ...], limit: int, provider: str | None, as_json: bool) -> None:
    """Search the web."""
    from hermes_tools_web.cli.calls import call
    from hermes_tools_web.cli.output import print_search_results

    run = call("web_search", {"query": " ".join(query), "limit": limit}, search_backend=provider)
    sys.exit(run.show_result(print_search_results, as_json=as_json))


@web.command(epilog=f"{EXIT_CODES} It is 1 also when one of several pages could not be read.")
@click.argument("urls", nargs=-1, required=True, metavar="URL...")
@_PROVIDER
@click.option("--raw", is_flag=True, help="Print the Markdown as it is, even on a terminal.")
@_JSON
def extract(urls: tuple[str, ...], provider: str | None, raw: bool, as_json: bool) -> None:
    """Read pages and documents as Markdown: up to five at once."""
    from hermes_tools_web.cli.calls import call
    from hermes_tools_web.cli.output import all_read, print_pages

    run = call("web_extract", {"urls": list(urls)}, extract_backend=provider)
    sys.exit(run.show_result(lambda result: print_pages(result, raw=raw), as_json=as_json, worked=all_read))


@web.command(epilog=EXIT_CODES)
@click.argument("url")
@click.option("--depth", type=click.IntRange(min=0), help="How many links away from the first page it goes.")
@click.option("--limit", type=click.IntRange(min=1), help="How many pages at most.")
@click.option("--instructions", metavar="WORDS", help="What the pages are wanted for: those come first.")
@click.option("--raw", is_flag=True, help="Print the Markdown as it is, even on a terminal.")
@_JSON
def crawl(url: str, depth: int | None, limit: int | None, instructions: str | None, raw: bool, as_json: bool) -> None:
    """Follow the links of a site, and read its pages as Markdown."""
    from hermes_tools_web.cli.calls import call
    from hermes_tools_web.cli.output import any_read, print_site

    given: dict[str, Any] = {"url": url, "depth": depth, "limit": limit, "instructions": instructions}
    run = call("web_crawl", {name: value for name, value in given.items() if value is not None})
    sys.exit(run.show_result(lambda result: print_site(result, raw=raw), as_json=as_json, worked=any_read))


@web.command(
    short_help="Show who can search and read pages, and how to get keys.",
    epilog="Exit codes: 0 when somebody searches and somebody reads pages, 1 when not.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def providers(as_json: bool) -> None:
    """Show who can search and read pages, what the others need, and where keys come from."""
    from hermes_tools_web.cli.providers import print_providers

    sys.exit(print_providers(as_json=as_json))


@web.command(epilog="Exit codes: 0 when it can be used, 1 when not.")
@click.option("--clear", is_flag=True, help="Forget everything that is kept.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def cache(clear: bool, as_json: bool) -> None:
    """Show what is kept of the web on this machine, or forget it."""
    from hermes_tools_web.cli.cache import print_cache

    sys.exit(print_cache(clear=clear, as_json=as_json))
