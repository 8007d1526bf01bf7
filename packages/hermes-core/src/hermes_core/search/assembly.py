"""Decides what a model is shown: every definition, or a few and the way to the rest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from hermes_core.search.bridge_tools import bridge_definitions
from hermes_core.search.config import ToolSearchConfig
from hermes_core.search.weighing import Definition, Scales, Weighed, name_of
from hermes_core.tools.reserved import RESERVED_NAMES

UNKNOWN_CONTEXT_TOKENS = 20_000
"""Where nobody knows the context window: from about so many tokens of definitions on, models choose tools worse."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AssemblyResult:
    """What a model is shown, and why. Tokens are estimated: four characters of compact JSON are one.

    Attributes:
        definitions: The list for the model, the caller's own.
        activated: Whether tools are hidden behind tool search.
        reason: Why they are, or are not, in one sentence.
        visible: The names of the tools that are shown, without the bridge tools.
        deferred: The names of those that are hidden; empty while nothing is.
        tokens_before: What all definitions would cost.
        tokens_after: What those that are shown cost, bridge tools included.
        deferrable_tokens: What the definitions cost that may be hidden, hidden or not.
        threshold_tokens: From how many of these on they are hidden; None where no number decides.
        context_length: The context window that this was weighed against; None when nobody knows it.
    """

    definitions: list[Definition] = field(repr=False)
    activated: bool
    reason: str
    visible: tuple[str, ...]
    deferred: tuple[str, ...] = ()
    tokens_before: int
    tokens_after: int
    deferrable_tokens: int = 0
    threshold_tokens: int | None = None
    context_length: int | None = None

    @property
    def deferred_count(self) -> int:
        """How many tools are hidden."""
        return len(self.deferred)

    @property
    def deferred_tokens(self) -> int:
        """What the hidden definitions would cost; 0 while nothing is hidden."""
        return self.deferrable_tokens if self.activated else 0

    @property
    def tokens_saved(self) -> int:
        """How much shorter the list is than all definitions together; less than 0 where the bridge costs more."""
        return self.tokens_before - self.tokens_after


class Decided(NamedTuple):
    """Whether tools are to be hidden, why, and the number that decided."""

    activated: bool
    reason: str
    threshold_tokens: int | None = None


def decide(config: ToolSearchConfig, weighed: Weighed, context_length: int | None) -> Decided:
    """The rule: `off` never, nothing to hide never, `on` always, `auto` when it is long for the context window."""
    if config.enabled == "off":
        return Decided(False, "tools.tool_search is off.")
    if not weighed.hideable:
        return Decided(weighed.bridged, "every tool that may be hidden is hidden." if weighed.bridged else _NOTHING)
    if config.enabled == "on":
        return Decided(True, "tools.tool_search is on.")
    if context_length is None or context_length <= 0:
        limit, what = UNKNOWN_CONTEXT_TOKENS, "the limit while the context window is not known"
    else:
        limit = int(context_length * (config.threshold_pct / 100.0))
        what = f"{config.threshold_pct:g}% of the context window"
    tokens = weighed.hideable_tokens
    how = "reach" if tokens >= limit else "stay below"
    reason = f"the estimated {tokens:,} tokens of tools that may be hidden {how} {limit:,}, {what}."
    return Decided(tokens >= limit, reason, limit)


_NOTHING = "there is no tool that may be hidden."


def assemble(
    definitions: Sequence[Definition],
    *,
    may_hide: Callable[[str], bool],
    config: ToolSearchConfig | None = None,
    context_length: int | None = None,
) -> AssemblyResult:
    """What a model is shown out of some definitions in the format of OpenAI.

    It depends on nothing but what it is given. A list that was assembled already comes back the same.

    Args:
        definitions: Everything that the model may use, in the order in which it is to be shown.
        may_hide: Whether the tool of that name may be hidden; a tool that it does not know stays visible.
        config: What the user decided; the defaults when it is not given.
        context_length: The model's context window in tokens; None when nobody knows it.
    """
    weighed = Scales().weigh(definitions, may_hide)
    decided = decide(config or ToolSearchConfig(), weighed, context_length)
    hidden = frozenset(weighed.hideable) | RESERVED_NAMES if decided.activated else RESERVED_NAMES
    shown = [definition for definition in definitions if name_of(definition) not in hidden]
    return result_of(weighed, decided, shown, context_length)


def result_of(
    weighed: Weighed,
    decided: Decided,
    shown: list[Definition],
    context_length: int | None,
    format: str = "openai",
) -> AssemblyResult:
    """The result for a list that was weighed and decided about.

    Args:
        weighed: What the whole list costs.
        decided: Whether some of it is hidden.
        shown: The definitions that are not, in the format that is wanted.
        context_length: The context window that this was weighed against.
        format: That format.
    """
    active = decided.activated
    return AssemblyResult(
        definitions=[*shown, *bridge_definitions(format)] if active else shown,
        activated=active,
        reason=decided.reason,
        visible=tuple(map(name_of, shown)),
        deferred=weighed.hideable if active else (),
        tokens_before=weighed.all_tokens,
        tokens_after=weighed.short_tokens if active else weighed.all_tokens,
        deferrable_tokens=weighed.hideable_tokens,
        threshold_tokens=decided.threshold_tokens,
        context_length=context_length,
    )
