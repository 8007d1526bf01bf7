"""The requirements of tools, and verdicts about them."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from hermes_core.tools.tool import Tool


class Verdict(NamedTuple):
    """Whether a tool is available; if not, the reason and the remedy."""

    available: bool
    reason: str = ""
    remedy: str = ""

    def __bool__(self) -> bool:
        return self.available


YES = Verdict(available=True)


class Gate(NamedTuple):
    """One requirement: an environment variable, a program, an extra, a check, or that the tool is not blocked."""

    kind: Literal["env", "bin", "extra", "check", "blocked"]
    what: str | Callable[[], object] | tuple[str, str]


def gates_of(tool: Tool) -> tuple[Gate, ...]:
    """Return all requirements of a tool, the cheapest first."""
    if tool.blocked is not None:
        return (Gate("blocked", tool.blocked),)
    return (
        *[Gate("env", name) for name in tool.requires_env],
        *[Gate("extra", name) for name in tool.requires_extra],
        *[Gate("bin", name) for name in tool.requires_bin],
        *([check_gate(tool.check)] if tool.check is not None else ()),
    )


def check_gate(check: Callable[[], object]) -> Gate:
    """Return a hashable requirement, even for a check that is not hashable."""
    try:
        hash(check)
    except TypeError:
        check = types.MethodType(type(check).__call__, check)  # hashed by the identity of its object
    return Gate("check", check)


def unavailable(reason: str, remedy: str = "") -> Verdict:
    return Verdict(available=False, reason=reason, remedy=remedy)
