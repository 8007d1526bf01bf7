"""Check JSON against a schema, explain what does not fit, and repair arguments that nearly fit.

Each name is imported when it is first used: most calls fit and need no repair.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_schemas.checker import Checker, Violation, compile_checker
    from hermes_schemas.repair import Repair, Repaired, Repairer, repair_arguments
    from hermes_schemas.repair_strings import read_object
    from hermes_schemas.suggestions import nearest

__version__ = "1.0.0"

__all__ = [
    "Checker",
    "Repair",
    "Repaired",
    "Repairer",
    "Violation",
    "compile_checker",
    "nearest",
    "read_object",
    "repair_arguments",
]

_MODULES = {"nearest": "suggestions", "read_object": "repair_strings"}
_MODULES |= dict.fromkeys(("Checker", "Violation", "compile_checker"), "checker")
_MODULES |= dict.fromkeys(("Repair", "Repaired", "Repairer", "repair_arguments"), "repair")


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    return found
