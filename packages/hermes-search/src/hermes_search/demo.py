"""The step of `hermes demo` that searches for tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_core.demo import Demo


def search_for_tools(demo: Demo) -> None:
    """Search the installed tools by what they do."""
    from hermes_search.catalog import index_of

    demo.say("With hundreds of tools, a model gets a few and searches for the others by what they do:")
    specs = {spec.name: spec for spec in demo.hermes.tools(available=False) if not spec.in_every_scope}
    functions = [{"name": s.name, "description": s.description, "parameters": s.parameters} for s in specs.values()]
    index = index_of(functions, specs.get)
    for query in ("find text in my files", "read a whole website"):
        hits = index.search(query, limit=3)
        demo.show(f"hermes search {query!r}")
        demo.show(f"→ {', '.join(hit.name for hit in hits) or 'no tool matches'}", "answer")
