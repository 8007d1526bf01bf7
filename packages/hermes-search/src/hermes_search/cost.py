"""The token bill: what each tool costs a model at every turn, and what hiding some would save."""

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
    """What one tool's definition costs.

    Attributes:
        name: The tool.
        toolset: The toolset that it belongs to.
        tokens: What its definition costs.
        always_load: Whether it is never hidden.
    """

    name: str
    toolset: str
    tokens: int
    always_load: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolsetCost:
    """What the tools of one toolset cost.

    Attributes:
        name: The toolset.
        tools: How many tools it has.
        tokens: What they cost.
        always_load_tokens: What those of them cost that are never hidden.
    """

    name: str
    tools: int
    tokens: int
    always_load_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill:
    """What a list of definitions costs, and what it would cost with tool search.

    Attributes:
        tools: Each tool, the dearest first.
        toolsets: Each toolset, the dearest first.
        total: All definitions.
        always_load: Those that are never hidden.
        hideable: Those that may be hidden.
        bridge: The bridge tools that stand for them.
    """

    tools: tuple[ToolCost, ...]
    toolsets: tuple[ToolsetCost, ...]
    total: int
    always_load: int
    hideable: int
    bridge: int

    @property
    def with_search(self) -> int:
        """What a model is sent when everything is hidden that may be."""
        return self.always_load + self.bridge if self.hideable else self.total

    @property
    def saved(self) -> int:
        """What that saves; less than 0 where the bridge tools cost more than what they hide."""
        return self.total - self.with_search


def bill_of(definitions: Sequence[Definition], lookup: Lookup, counter: TokenCounter) -> Bill:
    """The bill for some definitions in the format of OpenAI.

    Args:
        definitions: What a model would be sent without tool search.
        lookup: What is known of a tool.
        counter: How tokens are counted.
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
        tools=tuple(sorted(tools, key=_dearest)),
        toolsets=tuple(sorted(toolsets, key=_dearest)),
        total=counter.of(text for own in texts.values() for text in own),
        always_load=counter.of(text for own in fixed.values() for text in own),
        hideable=counter.of(compact(each) for each in definitions if not _is_fixed(each, lookup)),
        bridge=counter.of(map(compact, bridge_definitions())),
    )


def _is_fixed(definition: Definition, lookup: Lookup) -> bool:
    spec = lookup(name_of(definition))
    return spec is None or spec.always_load


def _dearest(cost: Any) -> tuple[int, str]:
    return -cost.tokens, cost.name
