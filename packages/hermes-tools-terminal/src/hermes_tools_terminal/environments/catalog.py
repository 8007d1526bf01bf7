"""Every kind of place that there is: ours, and those that plugins bring."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from hermes_tools_terminal.environments.base import EnvironmentProvider, PlaceError

if TYPE_CHECKING:
    from hermes_tools_terminal.settings import TerminalSettings

OURS = ("local", "docker", "ssh", "singularity", "modal", "daytona", "sandbox")


def provider(kind: str, others: Mapping[str, Any]) -> EnvironmentProvider:
    """Who makes environments of that kind.

    Args:
        kind: The name in the settings.
        others: What plugins registered.

    Raises:
        PlaceError: nobody does.
    """
    if kind in OURS:
        return cast("EnvironmentProvider", import_module(f"hermes_tools_terminal.environments.{kind}"))
    if kind in others:
        return cast("EnvironmentProvider", others[kind])
    names = sorted({*OURS, *others})
    import difflib

    near = difflib.get_close_matches(kind, names, n=1)
    raise PlaceError(
        f"There is no environment {kind!r}" + (f"; did you mean {near[0]!r}?" if near else "."),
        hint=f"Set terminal.env to one of: {', '.join(names)}.",
    )


def why_not(kind: str, settings: TerminalSettings, others: Mapping[str, Any]) -> str | None:
    """Why a kind of environment cannot work here; None when it can."""
    try:
        return provider(kind, others).check(settings)
    except PlaceError as error:
        return f"{error.reason} {error.hint}".strip()
