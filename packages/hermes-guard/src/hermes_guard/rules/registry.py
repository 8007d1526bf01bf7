"""Finds the families of rules, once, when the first command needs them."""

import pkgutil
from collections.abc import Iterable
from functools import cache
from importlib import import_module

from hermes_guard.rules.family import Family, Judge

#: Modules of this folder that hold no rules.
_FRAME = frozenset({"family", "registry", "files"})


@cache
def families() -> tuple[Family, ...]:
    """Every family of this distribution: each module here that has a `FAMILY`."""
    import hermes_guard.rules as package

    names = sorted(module.name for module in pkgutil.iter_modules(package.__path__) if module.name not in _FRAME)
    modules = [import_module(f"{package.__name__}.{name}") for name in names]
    return tuple(module.FAMILY for module in modules if hasattr(module, "FAMILY"))


def judges(of: Iterable[Family]) -> dict[str, tuple[Judge, ...]]:
    """The judges of these families by program. Those for every command stand under `*`."""
    table: dict[str, list[Judge]] = {}
    for family in of:
        for program, functions in family.judges_by_program.items():
            table.setdefault(program, []).extend(functions)
    return {program: tuple(functions) for program, functions in table.items()}
