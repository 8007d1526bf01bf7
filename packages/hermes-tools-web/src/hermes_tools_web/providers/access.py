"""Gives the tools and commands of the web what they work with: the user's settings, and what may be fetched."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from hermes_core import ConfigError, Hermes, ToolContext, ToolUnavailableError
from hermes_net import NetPolicy, NetSettingsError
from hermes_tools_web.fetcher.urls import has_secret
from hermes_tools_web.providers.protocol import Access
from hermes_tools_web.settings import WebSettings


def access_for_call(ctx: ToolContext) -> Access:
    """What the providers work with during a call.

    Args:
        ctx: The call's context.

    Raises:
        ToolUnavailableError: the user wrote something into the settings that cannot be.
    """
    settings = ctx.settings("web", WebSettings)
    try:
        policy = _policy(ctx.settings, ctx.home)
    except ConfigError as error:
        raise ToolUnavailableError(
            f"{ctx.call.name} cannot read its settings: {error}", hint="Ask the user to run 'hermes config check'."
        ) from error
    return Access(settings=settings, policy=policy, home=ctx.home, section=ctx.settings)


def access_for_host(hermes: Hermes) -> Access:
    """The same for a person who uses a command.

    Args:
        hermes: The host that the command runs with.

    Raises:
        ConfigError: the user wrote something into the settings that cannot be.
    """
    config = hermes.config
    home = hermes.home
    return Access(
        settings=config.model("web", WebSettings),
        policy=_policy(config.section, home),
        home=home,
        section=config.section,
    )


def _policy(section: Callable[[str], Mapping[str, Any]], home: Path) -> NetPolicy:
    said = [section(name) for name in ("security", "browser")]
    return _policy_read(json.dumps(said, sort_keys=True, default=str), home)


@lru_cache(maxsize=8)
def _policy_read(sections: str, home: Path) -> NetPolicy:
    """A block list keeps what it read of its files, and long ones take a while: so the policy is kept, too."""
    security, browser = json.loads(sections)
    try:
        return NetPolicy.from_settings(security, home=home, browser=browser, has_secret=has_secret)
    except NetSettingsError as error:
        raise ConfigError(error.problem, key=error.key, example=error.example) from error


_PART = 0.1
_MIN, _MAX = 0.2, 10.0


def work_seconds(timeout: float | None) -> float | None:
    """The seconds that work may take when its caller gives a call so many; None when it chose none.

    Args:
        timeout: What the caller chose, from `ctx.timeout`.
    """
    if timeout is None:
        return None
    return max(0.0, timeout - min(_MAX, max(_MIN, timeout * _PART)))
