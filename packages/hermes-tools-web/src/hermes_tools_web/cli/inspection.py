"""The commands `hermes web providers` and `hermes web cache`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import asdict

import click

from hermes_core import Hermes
from hermes_tools_web.cache.web_cache import FOLDER, WebCache
from hermes_tools_web.cli.output import is_styled, print_json, to_printable
from hermes_tools_web.providers.access import access_for_host
from hermes_tools_web.providers.protocol import EXTRACT, SEARCH
from hermes_tools_web.providers.selection import ProviderStatus, Survey, survey
from hermes_tools_web.settings import WebSettings

_DOES = {SEARCH: "search", EXTRACT: "extract"}
_UNSET = " is not set."
_MB = 1_000_000


def print_providers(*, as_json: bool) -> int:
    """Print all providers with their status, and return the exit code.

    Raises:
        ConfigError: the user's settings are invalid.
    """
    with Hermes.load() as hermes:
        found = survey(hermes.providers(SEARCH), hermes.providers(EXTRACT), access_for_host(hermes))
    if as_json:
        rows = [{**asdict(each), "ready": each.ready, "missing": each.missing or None} for each in found.providers]
        print_json({"providers": rows, "problems": list(found.problems), "notes": list(found.notes)})
    else:
        _print(found)
    return 1 if found.problems else 0


def _print(found: Survey) -> None:
    rows = [[each.name, _does(each), _state(each), each.setup.about] for each in found.providers]
    _print_table(("provider", "does", "state", "about"), rows)
    lacking = [each for each in found.providers if not each.ready and each.setup.url]
    if lacking:
        click.echo("\nTo use another provider:")
        width = max(len(each.name) for each in lacking)
        for each in lacking:
            click.echo(f"  {each.name:{width}}  {to_printable(_way(each))}")
    for problem in found.problems:
        click.echo(f"\nhermes: {to_printable(problem)}", err=True)
    for note in found.notes:
        click.echo(f"note: {to_printable(note)}", err=True)


def _does(each: ProviderStatus) -> str:
    return ", ".join(word for point, word in _DOES.items() if (each.searches if point == SEARCH else each.extracts))


def _state(each: ProviderStatus) -> str:
    if each.chosen_for:
        return f"used for {' and '.join(_DOES[point] for point in each.chosen_for)}"
    if each.ready:
        return "ready"
    names = [*each.setup.variables, *each.setup.settings]
    return f"needs {names[0]}" if names and each.missing.endswith(_UNSET) else each.missing.rstrip(".")


def _way(each: ProviderStatus) -> str:
    """Describe what to set and where to get it."""
    ways = [f"hermes config set {key} -" for key in each.setup.settings] + [f"set {x}" for x in each.setup.variables]
    return f"{ways[0]}; see {each.setup.url}" if ways else f"see {each.setup.url}"


def _print_table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    cells = [[to_printable(cell) for cell in row] for row in rows]
    if is_styled():
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        table = Table(*titles, box=None, pad_edge=False)
        for row in cells:
            table.add_row(*(Text(cell) for cell in row))
        Console(highlight=False).print(table)
        return
    widths = [max(map(len, column)) for column in zip(titles, *cells, strict=True)]
    for line in (titles, *cells):
        click.echo("  ".join(f"{cell:{width}}" for cell, width in zip(line, widths, strict=True)).rstrip())


def print_cache(*, clear: bool, as_json: bool) -> int:
    """Print the contents of the cache, or clear it, and return the exit code.

    Raises:
        ConfigError: the user's settings are invalid.
    """
    with closing(Hermes.load(only_looking=True)) as hermes:
        settings = hermes.config.model("web", WebSettings).cache
        folder = hermes.home / FOLDER
    with WebCache(folder, settings) as cache:
        removed = cache.clear() if clear else None
        stats = cache.stats()
    if as_json:
        facts = {**asdict(stats), "path": str(stats.path), "problem": stats.problem or None}
        print_json({**facts, "enabled": settings.enabled, "removed": removed})
    elif stats.problem:
        click.echo(f"hermes: the cache cannot be used: {stats.problem}", err=True)
    elif clear:
        click.echo(f"Removed {removed} entries.")
    else:
        size = f"{stats.bytes / _MB:.1f} of {stats.limit / _MB:g} MB"
        off = "" if settings.enabled else "; web.cache.enabled is off, so nothing new is stored"
        click.echo(f"{stats.pages} pages and {stats.searches} searches, {size}, in {stats.path}{off}")
    return 1 if stats.problem else 0
