"""Lets a package export names that are imported when they are first used."""

from __future__ import annotations

import sys
from collections.abc import Callable


def lazy_names() -> tuple[list[str], Callable[[str], object], Callable[[], list[str]]]:
    """Return `__all__`, `__getattr__` and `__dir__` for the calling module.

    The module writes each name once, in an import under `if TYPE_CHECKING`. That import never runs, but the compiler
    stores its names: each of our modules, followed by the names imported from it.
    """
    frame = sys._getframe(1)
    owner = frame.f_globals
    homes: dict[str, str] = {}
    module = ""
    for name in frame.f_code.co_names:
        if name == __name__:
            break
        if name.startswith("hermes_") and "." in name:
            module = name
        elif module and not name.startswith("_"):
            homes[name] = module

    def get(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {owner['__name__']!r} has no attribute {name!r}")
        from importlib import import_module

        value = owner[name] = getattr(import_module(homes[name]), name)
        return value

    return sorted(homes), get, lambda: sorted({*owner, *homes})
