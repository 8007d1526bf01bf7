"""Reads Perl, Ruby, JavaScript, PHP, Lua, awk and similar languages by their tokens."""

from collections.abc import Callable
from typing import Any

from hermes_guard.budget import Budget
from hermes_guard.languages.operation import TOO_LONG, Operation
from hermes_guard.languages.scripts import (
    awk,
    generic,
    julia_lua_raku,
    lisp,
    node,
    osascript,
    perl,
    php,
    r,
    ruby,
    tcl,
)


def _bounded(reader: Callable[..., list[Operation]]) -> Callable[..., list[Operation]]:
    """Wrap a reader so that it reports when it has left something unread."""

    def read(
        code: str, *, home: str = "~", looped: bool = False, budget: Budget | None = None, **given: Any
    ) -> list[Operation]:
        budget = budget or Budget()
        budget.exceeded = False
        found = reader(code, home=home, looped=looped, budget=budget, **given)
        return [*found, TOO_LONG] if budget.exceeded else found

    return read


READERS: dict[str, Callable[..., list[Operation]]] = {
    language: _bounded(reader)
    for language, reader in {
        "perl": perl.read,
        "ruby": ruby.read,
        "rake": ruby.rake,
        "node": node.read,
        "php": php.read,
        "lua": julia_lua_raku.read_lua,
        "awk": awk.read,
        "R": r.read,
        "julia": julia_lua_raku.read_julia,
        "tcl": tcl.read,
        "applescript": osascript.read_applescript,
        "lisp": lisp.read,
        "raku": julia_lua_raku.read_raku,
        "jxa": osascript.read_jxa,
        "generic": generic.read,
    }.items()
}
"""The readers by language, except for Python."""

__all__ = ["READERS"]
