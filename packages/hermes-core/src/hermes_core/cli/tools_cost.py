"""`hermes tools cost`: the token bill that a model pays for its tools at every turn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hermes_core.cli.completions import toolset_names
from hermes_core.cli.loading import loaded_host
from hermes_core.cli.output import note, print_json, say

if TYPE_CHECKING:
    from hermes_core import AssemblyResult
    from hermes_core.search.cost import Bill
    from hermes_core.search.tokens import TokenCounter


@click.command()
@click.option("--model", metavar="NAME", help="The model whose tokens are counted, such as gpt-4o.")
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
    """Show what the tools cost in tokens, at every turn of a model.

    It counts the definitions of the tools that can be used here: each tool, each toolset, what tool search would save,
    and what is never hidden. Counts are exact for the models of OpenAI when 'hermes-core[tokens]' is installed; else
    four characters count as one token. It says which.

    Exit status: 0; 2 for a toolset that nobody knows.
    """
    from hermes_core.search.cost import bill_of
    from hermes_core.search.tokens import token_counter

    with loaded_host() as host:
        shown = host.definitions(toolsets or None, everything=True)
        assembled = host.assemble(toolsets or None, context_length=context)
        counter = token_counter(model)
        bill = bill_of(shown, host.registry.get, counter)
    if as_json:
        print_json(_as_json(bill, counter, assembled, model, context))
        return
    _print(bill, counter, assembled, context)
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


def _print(bill: Bill, counter: TokenCounter, assembled: AssemblyResult, context: int | None) -> None:
    from hermes_core.cli.counting import counted
    from hermes_core.cli.table import Column, print_facts, print_table

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
    kept = _share(bill.with_search, context)
    if bill.saved < 0:
        return f"{kept}, which costs {-bill.saved:,} more"
    return f"{kept}, which saves {bill.saved:,} ({bill.saved / bill.total if bill.total else 0:.0%})"


def _share(tokens: int, context: int | None) -> str:
    return f"{tokens:,} tokens" + (f" ({tokens / context:.1%} of the context)" if context else "")
