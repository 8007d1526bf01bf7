"""`hermes search` finds tools by what they do; `hermes tools cost` shows their cost in tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hermes_core.commands import (
    Column,
    counted,
    cut,
    loaded_host,
    note,
    print_facts,
    print_json,
    print_table,
    say,
    toolset_names,
)

if TYPE_CHECKING:
    from hermes_core import Hermes, ToolSpec
    from hermes_search.assembly import AssemblyResult
    from hermes_search.cost import Bill
    from hermes_search.tokens import TokenCounter

_DESCRIPTION_CHARS = 200
"""How much of a description a line shows outside of a terminal."""


@click.command("search")
@click.argument("words", nargs=-1, required=True)
@click.option("--limit", type=click.IntRange(1, 50), metavar="N", default=5, show_default=True, help="Number of tools.")
@click.option(
    "--toolset",
    "toolsets",
    multiple=True,
    metavar="NAME",
    shell_complete=toolset_names,
    help="Only tools of this toolset; repeatable.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def search(words: tuple[str, ...], limit: int, toolsets: tuple[str, ...], as_json: bool) -> None:
    """Find tools by what they do.

    For example: hermes search "create an issue". It searches all installed tools, including unavailable ones, and shows
    why each one was found.

    Exit code: 0, even if nothing is found; 2 for an unknown toolset.
    """
    query = " ".join(words).strip()
    if not query:
        raise click.UsageError("Describe what the tool should do: hermes search 'create an issue'.")
    with loaded_host() as host:
        specs = tuple(spec for spec in host.tools(toolsets or None, available=False) if not spec.in_every_scope)
        rows = _found(host, specs, query, limit)
    if as_json:
        print_json({"query": query, "total_available": len(specs), "matches": rows})
    elif rows:
        _print_found(rows)
    else:
        note(f"None of {len(specs)} tools matches. Try other words, or 'hermes tools --all'.")


def _found(host: Hermes, specs: tuple[ToolSpec, ...], query: str, limit: int) -> list[dict[str, Any]]:
    from hermes_search.catalog import index_of, source_of

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


def _print_found(rows: list[dict[str, Any]]) -> None:
    columns = [Column(title="name", style="bold cyan"), Column(title="toolset", style="magenta")]
    columns += [Column(title="description", fit="cut"), Column(title="found by", fit="cut")]
    columns += [Column(title="cannot run", fit="wrap", style="yellow")]
    print_table(columns, map(_cells, rows))


def _cells(row: dict[str, Any]) -> list[str]:
    first_line = next(iter(row["description"].strip().splitlines()), "")
    return [
        row["name"],
        row["toolset"],
        cut(first_line, _DESCRIPTION_CHARS),
        "; ".join(row["why"]),
        "" if row["available"] else row["reason"] or "no",
    ]


@click.command("tools cost")
@click.option("--model", metavar="NAME", help="The model, such as gpt-4o.")
@click.option("--context", type=click.IntRange(min=1), metavar="N", help="Its context window in tokens.")
@click.option(
    "--toolset",
    "toolsets",
    multiple=True,
    metavar="NAME",
    shell_complete=toolset_names,
    help="Only tools of this toolset; repeatable.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def cost(model: str | None, context: int | None, toolsets: tuple[str, ...], as_json: bool) -> None:
    """Show how many tokens the tool definitions cost at every model turn.

    It counts the tokens of each available tool and toolset, and shows how much tool search would save and which tools
    are never hidden. Counts are exact for OpenAI models if 'hermes-search[tokens]' is installed; otherwise, four
    characters count as one token. The output says which method was used.

    Exit code: 0, or 2 for an unknown toolset.
    """
    from hermes_search.assembly import assemble
    from hermes_search.cost import bill_of
    from hermes_search.tokens import token_counter

    with loaded_host() as host:
        shown = host.definitions(toolsets or None, everything=True)
        assembled = assemble(host, toolsets or None, context_length=context)
        counter = token_counter(model)
        bill = bill_of(shown, host.registry.get, counter)
    if as_json:
        print_json(_as_json(bill, counter, assembled, model, context))
        return
    _print_bill(bill, counter, assembled, context)
    if counter.note:
        note(counter.note)


def _as_json(
    bill: Bill, counter: TokenCounter, assembled: AssemblyResult, model: str | None, context: int | None
) -> dict[str, Any]:
    return {
        "method": counter.method,
        "exact": counter.exact,
        "note": counter.note or None,
        "model": model,
        "context_length": context,
        "total_tokens": bill.total,
        "share_of_context": round(bill.total / context, 4) if context else None,
        "always_load_tokens": bill.always_load,
        "deferrable_tokens": bill.hideable,
        "bridge_tokens": bill.bridge,
        "with_tool_search_tokens": bill.with_search,
        "saved_tokens": bill.saved,
        "tool_search": {
            "activated": assembled.activated,
            "reason": assembled.reason,
            "threshold_tokens": assembled.threshold_tokens,
        },
        "toolsets": [
            {
                "name": each.name,
                "tools": each.tools,
                "tokens": each.tokens,
                "always_load_tokens": each.always_load_tokens,
            }
            for each in bill.toolsets
        ],
        "tools": [
            {"name": each.name, "toolset": each.toolset, "tokens": each.tokens, "always_load": each.always_load}
            for each in bill.tools
        ],
    }


def _print_bill(bill: Bill, counter: TokenCounter, assembled: AssemblyResult, context: int | None) -> None:
    if bill.tools:
        columns = [Column(title="tool", style="bold cyan"), Column(title="toolset", style="magenta")]
        columns += [Column(title="tokens"), Column(title="always loaded")]
        print_table(columns, ([t.name, t.toolset, f"{t.tokens:,}", "yes" if t.always_load else ""] for t in bill.tools))
        say()
        columns = [Column(title="toolset", style="magenta"), Column(title="tools")]
        columns += [Column(title="tokens"), Column(title="always loaded")]
        print_table(columns, ([s.name, s.tools, f"{s.tokens:,}", f"{s.always_load_tokens:,}"] for s in bill.toolsets))
        say()
    active = "active" if assembled.activated else "not active"
    print_facts(
        [
            ("counted by", counter.method),
            ("all tools", f"{_share(bill.total, context)} for {counted(len(bill.tools), 'tool')}"),
            ("always loaded", _share(bill.always_load, context)),
            ("may be hidden", _share(bill.hideable, context)),
            ("with tool search", _saving(bill, context)),
            ("tool search", f"{active}: {assembled.reason}"),
        ]
    )


def _saving(bill: Bill, context: int | None) -> str:
    rest = _share(bill.with_search, context)
    if bill.saved < 0:
        return f"{rest}, which costs {-bill.saved:,} more"
    return f"{rest}, which saves {bill.saved:,} ({bill.saved / bill.total if bill.total else 0:.0%})"


def _share(tokens: int, context: int | None) -> str:
    return f"{tokens:,} tokens" + (f" ({tokens / context:.1%} of the context)" if context else "")
