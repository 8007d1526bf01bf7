"""Create the `Access` of a tool call or a command, and divide its time."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from hermes_core import ConfigError, Hermes, ToolContext, ToolUnavailableError
from hermes_net import NetPolicy, NetSettingsError
from hermes_tools_web.providers.protocol import Access
from hermes_tools_web.settings import WebSettings


def access_for_call(ctx: ToolContext) -> Access:
    """Create the access of a tool call.

    Raises:
        ToolUnavailableError: the settings are invalid.
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
    """Create the access of a command.

    Raises:
        ConfigError: the settings are invalid.
    """
    config, home = hermes.config, hermes.home
    policy = _policy(config.section, home)
    return Access(settings=config.model("web", WebSettings), policy=policy, home=home, section=config.section)


def _policy(section: Callable[[str], Mapping[str, Any]], home: Path) -> NetPolicy:
    sections = [section(name) for name in ("security", "browser")]
    return _policy_read(json.dumps(sections, sort_keys=True, default=str), home)


@lru_cache(maxsize=8)
def _policy_read(sections: str, home: Path) -> NetPolicy:
    """Build the network policy; cached, because reading long block lists takes a while."""
    security, browser = json.loads(sections)
    try:
        return NetPolicy.from_settings(security, home=home, browser=browser)
    except NetSettingsError as error:
        raise ConfigError(error.problem, key=error.key, example=error.example) from error


_PART = 0.1
_MIN, _MAX = 0.2, 10.0


def work_seconds(timeout: float | None) -> float | None:
    """Return the time for the work of a call, leaving some to return its result; None without a caller's timeout."""
    if timeout is None:
        return None
    return max(0.0, timeout - min(_MAX, max(_MIN, timeout * _PART)))
