"""What must hold for a tool to be available, and the answer whether it does."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from hermes_core.tools.tool import Tool


class Verdict(NamedTuple):
    """The answer to "can it run?": yes, or no with the reason and the remedy."""

    available: bool
    reason: str = ""
    remedy: str = ""

    def __bool__(self) -> bool:
        return self.available


YES = Verdict(available=True)


class Gate(NamedTuple):
    """One thing that must hold: an environment variable, a program, an extra, a check, or that nobody blocked it."""

    kind: Literal["env", "bin", "extra", "check", "blocked"]
    what: str | Callable[[], object] | tuple[str, str]


def gates_of(tool: Tool) -> tuple[Gate, ...]:
    """Everything that must hold for a tool to be available, cheapest first."""
    if tool.blocked is not None:
        return (Gate("blocked", tool.blocked),)
    gates = [Gate("env", name) for name in tool.requires_env]
    gates += [Gate("extra", name) for name in tool.requires_extra]
    gates += [Gate("bin", name) for name in tool.requires_bin]
    if tool.check is not None:
        gates.append(check_gate(tool.check))
    return tuple(gates)


def check_gate(check: Callable[[], object]) -> Gate:
    """A gate that can be remembered, even when the check is an object that cannot be hashed."""
    try:
        hash(check)
    except TypeError:
        check = types.MethodType(type(check).__call__, check)  # hashed by the identity of its object
    return Gate("check", check)


def unavailable(reason: str, remedy: str = "") -> Verdict:
    """Return a no with its reason and remedy."""
    return Verdict(available=False, reason=reason, remedy=remedy)
