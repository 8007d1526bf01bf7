"""The cost of tools: what each costs a model at every turn, and what hiding some would save."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hermes_search.bridge_tools import bridge_definitions
from hermes_search.definition_sizes import Definition, compact, name_of
from hermes_search.tokens import TokenCounter

if TYPE_CHECKING:
    from hermes_core import ToolSpec

Lookup = Callable[[str], "ToolSpec | None"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCost:
    """The cost of one tool's definition.

    Attributes:
        name: The tool.
        toolset: Its toolset.
        tokens: The cost.
        always_load: Whether it is never hidden.
    """

    name: str
    toolset: str
    tokens: int
    always_load: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolsetCost:
    """The cost of the tools of one toolset.

    Attributes:
        name: The toolset.
        tools: The number of its tools.
        tokens: The cost.
        always_load_tokens: The cost of those that are never hidden.
    """

    name: str
    tools: int
    tokens: int
    always_load_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill:
    """The cost of a list of definitions, with and without tool search.

    Attributes:
        tools: Each tool, the most expensive first.
        toolsets: Each toolset, the most expensive first.
        total: The cost of all definitions.
        always_load: The cost of those that are never hidden.
        hideable: The cost of those that may be hidden.
        bridge: The cost of the bridge tools.
    """

    tools: tuple[ToolCost, ...]
    toolsets: tuple[ToolsetCost, ...]
    total: int
    always_load: int
    hideable: int
    bridge: int

    @property
    def with_search(self) -> int:
        """The cost if all tools are hidden that may be."""
        return self.always_load + self.bridge if self.hideable else self.total

    @property
    def saved(self) -> int:
        """How much that saves; negative if the bridge tools cost more."""
        return self.total - self.with_search


def bill_of(definitions: Sequence[Definition], lookup: Lookup, counter: TokenCounter) -> Bill:
    """Return the cost of some definitions in OpenAI's format.

    Args:
        definitions: The definitions without tool search.
        lookup: Returns the declaration of a tool.
        counter: Counts tokens.
    """
    texts: dict[str, list[str]] = {}
    fixed: dict[str, list[str]] = {}
    tools: list[ToolCost] = []
    for definition in definitions:
        name, text = name_of(definition), compact(definition)
        spec = lookup(name)
        toolset, always = (spec.toolset, spec.always_load) if spec else ("", True)
        texts.setdefault(toolset, []).append(text)
        fixed.setdefault(toolset, []).extend([text] if always else [])
        tools.append(ToolCost(name=name, toolset=toolset, tokens=counter.of([text]), always_load=always))
    toolsets = [
        ToolsetCost(name=name, tools=len(own), tokens=counter.of(own), always_load_tokens=counter.of(fixed[name]))
        for name, own in texts.items()
    ]
    return Bill(
        tools=tuple(sorted(tools, key=_by_cost)),
        toolsets=tuple(sorted(toolsets, key=_by_cost)),
        total=counter.of(text for own in texts.values() for text in own),
        always_load=counter.of(text for own in fixed.values() for text in own),
        hideable=counter.of(compact(each) for each in definitions if not _is_fixed(each, lookup)),
        bridge=counter.of(map(compact, bridge_definitions())),
    )


def _is_fixed(definition: Definition, lookup: Lookup) -> bool:
    spec = lookup(name_of(definition))
    return spec is None or spec.always_load


def _by_cost(cost: Any) -> tuple[int, str]:
    return -cost.tokens, cost.name
