"""Decides which definitions a model gets: all of them, or a few with the bridge tools."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from hermes_search.bridge_tools import BRIDGE_CHARS, BRIDGE_NAMES
from hermes_search.definition_sizes import SizeCache, Sizes, name_of
from hermes_search.settings import ToolSearchConfig

if TYPE_CHECKING:
    from hermes_core import Hermes, Session

UNKNOWN_CONTEXT_TOKENS = 20_000
"""The threshold for an unknown context window: with more tokens of definitions, models choose tools worse."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AssemblyResult:
    """The definitions for a model, and why. Tokens are estimated: four characters of compact JSON are one.

    Attributes:
        definitions: The list for the model; the caller may change it.
        activated: Whether tools are hidden behind tool search.
        reason: Why they are, or are not, in one sentence.
        visible: The names of the visible tools, without the bridge tools.
        deferred: The names of the hidden tools.
        tokens_before: The cost of all definitions.
        tokens_after: The cost of the visible ones, including bridge tools.
        deferrable_tokens: The cost of the definitions that may be hidden.
        threshold_tokens: The cost from which they are hidden; None if no number decides.
        context_length: The context window; None if unknown.
    """

    definitions: list[dict[str, Any]] = field(repr=False)
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
        """The number of hidden tools."""
        return len(self.deferred)

    @property
    def deferred_tokens(self) -> int:
        """The cost of the hidden definitions."""
        return self.deferrable_tokens if self.activated else 0

    @property
    def tokens_saved(self) -> int:
        """How many tokens are saved; negative if the bridge tools cost more."""
        return self.tokens_before - self.tokens_after


def threshold(settings: ToolSearchConfig, context_length: int | None) -> int:
    """Return the number of tokens from which `auto` hides tools."""
    if context_length is None or context_length <= 0:
        return UNKNOWN_CONTEXT_TOKENS
    return int(context_length * (settings.threshold_pct / 100.0))


def hides(settings: ToolSearchConfig, sizes: Sizes, context_length: int | None) -> bool:
    """Return True if tools are hidden: never for `off`, always for `on`, and for `auto` if they are too long."""
    if settings.enabled == "off" or not sizes.hideable:
        return False
    return settings.enabled == "on" or sizes.hideable_tokens >= threshold(settings, context_length)


def explain(settings: ToolSearchConfig, sizes: Sizes, context_length: int | None) -> tuple[str, int | None]:
    """Return why tools are or are not hidden, and the number that decided, if any."""
    if settings.enabled == "off":
        return "tools.tool_search is off.", None
    if not sizes.hideable:
        return "there is no tool that may be hidden.", None
    if settings.enabled == "on":
        return "tools.tool_search is on.", None
    limit = threshold(settings, context_length)
    is_known = context_length is not None and context_length > 0
    what = (
        f"{settings.threshold_pct:g}% of the context window" if is_known else "the limit for an unknown context window"
    )
    how = "reach" if sizes.hideable_tokens >= limit else "stay below"
    tokens = f"the estimated {sizes.hideable_tokens:,} tokens of tools that may be hidden"
    return f"{tokens} {how} {limit:,}, {what}.", limit


def assemble(
    hermes: Hermes,
    enabled: Iterable[str] | None = None,
    disabled: Iterable[str] | None = None,
    context_length: int | None = None,
    *,
    format: str = "openai",
    session: Session | None = None,
) -> AssemblyResult:
    """Return the definitions that `hermes.definitions`, or those of a session, give a model, and why.

    Args:
        hermes: The host.
        enabled: Toolsets or single tools; None for all, an empty list for none.
        disabled: Toolsets or single tools to remove.
        context_length: The model's context window in tokens; None or 0 if unknown.
        format: `openai`, `anthropic`, `responses` or `mcp`.
        session: A session whose scope replaces `enabled` and `disabled`.
    """
    enabled, disabled = _listed(enabled), _listed(disabled)
    definitions = partial(hermes.definitions, enabled, disabled) if session is None else session.definitions
    shown = definitions(context_length=context_length, format=format)
    everything = definitions(everything=True)
    sizes = SizeCache().measure(everything, lambda name: _may_hide(hermes, name), BRIDGE_CHARS)
    reason, limit = explain(settings_of_host(hermes), sizes, context_length)
    names = tuple(map(name_of, shown))
    activated = set(BRIDGE_NAMES) <= set(names)
    return AssemblyResult(
        definitions=shown,
        activated=activated,
        reason=reason,
        visible=tuple(name for name in names if name not in BRIDGE_NAMES),
        deferred=sizes.hideable if activated else (),
        tokens_before=sizes.all_tokens,
        tokens_after=sizes.short_tokens if activated else sizes.all_tokens,
        deferrable_tokens=sizes.hideable_tokens,
        threshold_tokens=limit,
        context_length=int(context_length) if context_length and context_length >= 1 else None,
    )


def settings_of_host(hermes: Hermes) -> ToolSearchConfig:
    """Return the settings of tool search in a host, or the defaults if they are invalid."""
    from hermes_core.errors import ConfigError

    try:
        return ToolSearchConfig.of_section(hermes.config.section("tools"), lambda _warning: None)
    except (ConfigError, KeyError):
        return ToolSearchConfig()


def _listed(names: Iterable[str] | None) -> list[str] | None:
    return None if names is None else [names] if isinstance(names, str) else list(names)


def _may_hide(hermes: Hermes, name: str) -> bool:
    spec = hermes.registry.get(name)
    return spec is not None and not spec.always_load
