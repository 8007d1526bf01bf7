"""The command group `hermes web`."""

from __future__ import annotations

import sys
from functools import partial
from typing import Any

import click

from hermes_tools_web.cli.output import EXIT_CODES, call_and_print, print_pages, print_search_results, print_site

_JSON = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
_RAW = click.option("--raw", is_flag=True, help="Print plain Markdown, even on a terminal.")
_PROVIDER = click.option("--provider", metavar="NAME", help="The provider to use; see 'hermes web providers'.")


@click.group(short_help="Search the web, extract pages and crawl sites.")
def web() -> None:
    """Search the web, extract pages and crawl sites with the tools that agents use."""


@web.command(epilog=EXIT_CODES)
@click.argument("query", nargs=-1, required=True)
@click.option(
    "--limit", type=click.IntRange(1, 100), default=5, show_default=True, help="The maximum number of results."
)
@_PROVIDER
@_JSON
def search(query: tuple[str, ...], limit: int, provider: str | None, as_json: bool) -> None:
    """Search the web."""
    args = {"query": " ".join(query), "limit": limit}
    sys.exit(call_and_print("web_search", args, print_search_results, as_json=as_json, search_backend=provider))


@web.command(epilog=f"{EXIT_CODES} It is also 1 when one of several pages failed.")
@click.argument("urls", nargs=-1, required=True, metavar="URL...")
@_PROVIDER
@_RAW
@_JSON
def extract(urls: tuple[str, ...], provider: str | None, raw: bool, as_json: bool) -> None:
    """Extract up to five pages or documents as Markdown."""

    def all_read(result: dict[str, Any]) -> bool:
        return not any(page.get("error") for page in result["results"])

    show = partial(print_pages, raw=raw)
    args = {"urls": list(urls)}
    sys.exit(call_and_print("web_extract", args, show, as_json=as_json, worked=all_read, extract_backend=provider))


@web.command(epilog=EXIT_CODES)
@click.argument("url")
@click.option("--depth", type=click.IntRange(min=0), help="The maximum number of links from the first page.")
@click.option("--limit", type=click.IntRange(min=1), help="The maximum number of pages.")
@click.option("--instructions", metavar="WORDS", help="What to look for; matching pages come first.")
@_RAW
@_JSON
def crawl(raw: bool, as_json: bool, **given: Any) -> None:
    """Crawl a site and print its pages as Markdown."""
    args = {name: value for name, value in given.items() if value is not None}
    show = partial(print_site, raw=raw)
    sys.exit(call_and_print("web_crawl", args, show, as_json=as_json, worked=lambda result: bool(result["pages"])))


@web.command(epilog="Exit codes: 0 when there are providers for search and extraction, 1 otherwise.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def providers(as_json: bool) -> None:
    """List web providers, their status and how to set them up."""
    from hermes_tools_web.cli.inspection import print_providers

    sys.exit(print_providers(as_json=as_json))


@web.command(epilog="Exit codes: 0 when the cache can be used, 1 otherwise.")
@click.option("--clear", is_flag=True, help="Remove all entries.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def cache(clear: bool, as_json: bool) -> None:
    """Show or clear the web cache."""
    from hermes_tools_web.cli.inspection import print_cache

    sys.exit(print_cache(clear=clear, as_json=as_json))
