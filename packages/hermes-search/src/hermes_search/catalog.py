"""The hidden tools of one scope: searches and descriptions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hermes_core import ToolSpec
    from hermes_search.definition_sizes import Definition
    from hermes_search.ranking.index import ToolIndex

_DESCRIPTION_CHARS = 400
"""How much of a description a match shows: a long one must not fill the answer."""

_QUERY_CHARS = 2_000
"""How much of a query an answer repeats. A search reads all of it."""

_NOTHING_FITS = "No hidden tool matches. Check your list of tools, or describe what you want to do in other words."

_MCP = "mcp-"
"""The prefix of the toolsets of MCP servers."""

Lookup = Callable[[str], "ToolSpec | None"]


class Catalog:
    """An immutable list of the tools of a scope.

    Attributes:
        functions: Name, description and parameters of every available tool of the scope.
        specs: The declaration of each.
    """

    def __init__(
        self,
        functions: Sequence[Definition],
        specs: Sequence[ToolSpec | None],
        *,
        usage: Mapping[str, float] | None = None,
    ) -> None:
        self.functions = functions
        self.specs = specs
        self._usage = usage
        self._lock = Lock()
        self._specs = {spec.name: spec for spec in specs if spec is not None}
        self._hidden: dict[str, Definition] = {
            spec.name: function
            for function, spec in zip(functions, specs, strict=True)
            if spec is not None and not spec.always_load
        }

    def __contains__(self, name: object) -> bool:
        return name in self._hidden

    def __len__(self) -> int:
        return len(self._hidden)

    @property
    def index(self) -> ToolIndex:
        """The index, which the first search creates; concurrent searches wait for it."""
        with self._lock:
            return self._index

    @cached_property
    def _index(self) -> ToolIndex:
        return index_of(self._hidden.values(), self._specs.get, self._usage)

    def search(self, query: str, limit: int) -> dict[str, Any]:
        """Return the answer of `tool_search`."""
        hits = self.index.search(query, limit=limit) if self._hidden else []
        found: dict[str, Any] = {
            "query": query[:_QUERY_CHARS],
            "total_available": len(self._hidden),
            "matches": [self._match(hit.name, hit.why) for hit in hits],
        }
        if not found["matches"]:
            found["hint"] = _NOTHING_FITS
        return found

    def describe(self, name: str) -> dict[str, Any]:
        """Return the answer of `tool_describe` for a tool of the catalog."""
        function = self._hidden[name]
        return {"name": name, "description": function["description"], "parameters": function["parameters"]}

    def _match(self, name: str, why: Sequence[str]) -> dict[str, Any]:
        toolset = self._specs[name].toolset
        return {
            "name": name,
            "source": source_of(toolset),
            "source_name": toolset,
            "description": self._hidden[name]["description"][:_DESCRIPTION_CHARS],
            "why": list(why),
        }


def source_of(toolset: str) -> str:
    """Return where tools of a toolset come from: `mcp`, `plugin`, or `other` when unknown."""
    if not toolset:
        return "other"
    return "mcp" if toolset.startswith(_MCP) else "plugin"


def index_of(functions: Iterable[Definition], lookup: Lookup, usage: Mapping[str, float] | None = None) -> ToolIndex:
    """Return an index of some tools, with the declared keywords and the toolset as keywords.

    Users refer to the server *linear* by its name when they want its tool `create_issue`.

    Args:
        functions: Name, description and parameters of each.
        lookup: Returns the declaration of a tool.
        usage: How often each was called, if that counts.
    """
    from hermes_search.ranking.index import ToolIndex

    entries = []
    for function in functions:
        spec = lookup(function["name"])
        words = [*spec.keywords, spec.toolset.removeprefix(_MCP)] if spec else []
        entries.append({"type": "function", "function": {**function, "keywords": words}})
    return ToolIndex(entries, usage=usage)
