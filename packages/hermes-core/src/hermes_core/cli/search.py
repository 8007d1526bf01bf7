"""`hermes search`: finds tools by what they do, as a model's search does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hermes_core.cli.completions import toolset_names
from hermes_core.cli.loading import loaded_host
from hermes_core.cli.output import note, print_json

if TYPE_CHECKING:
    from hermes_core import Hermes, ToolSpec

_DESCRIPTION_CHARS = 200
"""What a line shows of a description where no terminal cuts it: a chatty server must not stretch the table."""


@click.command()
@click.argument("words", nargs=-1, required=True)
@click.option("--limit", type=click.IntRange(1, 50), default=5, show_default=True, help="How many tools to show.")
@click.option(
    "--toolset",
    "toolsets",
    multiple=True,
    metavar="NAME",
    shell_complete=toolset_names,
    help="Only tools of this toolset; repeatable.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(words: tuple[str, ...], limit: int, toolsets: tuple[str, ...], as_json: bool) -> None:
    """Find tools by what they do.

    For example: hermes search "create an issue". It looks at every installed tool, also at those that cannot run here,
    and says why each was found.

    Exit status: 0, also when nothing is found; 2 for a toolset that nobody knows.
    """
    query = " ".join(words).strip()
    if not query:
        raise click.UsageError("Say what the tool should do: hermes search 'create an issue'.")
    with loaded_host() as host:
        specs = host.tools(toolsets or None, available=False)
        rows = _found(host, specs, query, limit)
    if as_json:
        print_json({"query": query, "total_available": len(specs), "matches": rows})
    elif rows:
        _print(rows)
    else:
        note(f"None of {len(specs)} tools fits. Try other words, or 'hermes tools --all'.")


def _found(host: Hermes, specs: tuple[ToolSpec, ...], query: str, limit: int) -> list[dict[str, Any]]:
    from hermes_core.search.catalog import index_of, source_of

    known = {spec.name: spec for spec in specs}
    functions = [{"name": spec.name, "description": spec.description, "parameters": spec.parameters} for spec in specs]
    rows = []
    for hit in index_of(functions, known.get).search(query, limit=limit) if functions else ():
        spec, verdict = known[hit.name], host.why(hit.name)
        rows.append(
            {
                "name": spec.name,
                "toolset": spec.toolset,
                "source": source_of(spec.toolset),
                "description": spec.description,
                "score": round(hit.score, 4),
                "why": list(hit.why),
                "available": verdict.available,
                "reason": verdict.reason or None,
            }
        )
    return rows


def _print(rows: list[dict[str, Any]]) -> None:
    from hermes_core.cli.table import Column, print_table

    columns = [Column(title="name", style="bold cyan"), Column(title="toolset", style="magenta")]
    columns += [Column(title="description", fit="cut"), Column(title="found by", fit="cut")]
    columns += [Column(title="cannot run", fit="wrap", style="yellow")]
    print_table(columns, map(_cells, rows))


def _cells(row: dict[str, Any]) -> list[str]:
    from hermes_core.cli.table import cut

    first_line = next(iter(row["description"].strip().splitlines()), "")
    return [
        row["name"],
        row["toolset"],
        cut(first_line, _DESCRIPTION_CHARS),
        "; ".join(row["why"]),
        "" if row["available"] else row["reason"] or "no",
    ]
