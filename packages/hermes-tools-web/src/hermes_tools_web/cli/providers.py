"""The command `hermes web providers`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

import click

from hermes_core import Hermes
from hermes_tools_web.cli.output import is_styled, print_json, to_printable
from hermes_tools_web.providers.access import access_for_host
from hermes_tools_web.providers.protocol import EXTRACT, SEARCH
from hermes_tools_web.providers.selection import ProviderStatus, Survey, survey

_DOES = {SEARCH: "search", EXTRACT: "extract"}
_UNSET = " is not set."


def print_providers(*, as_json: bool) -> int:
    """Print all providers with their status, and return the exit code.

    Raises:
        ConfigError: the user's settings are invalid.
    """
    with Hermes.load() as hermes:
        found = survey(hermes.providers(SEARCH), hermes.providers(EXTRACT), access_for_host(hermes))
    if as_json:
        print_json(_facts(found))
    else:
        _print(found)
    return 1 if found.problems else 0


def _facts(found: Survey) -> dict[str, Any]:
    rows = [{**asdict(each), "ready": each.ready, "missing": each.missing or None} for each in found.providers]
    return {"providers": rows, "problems": list(found.problems), "notes": list(found.notes)}


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
