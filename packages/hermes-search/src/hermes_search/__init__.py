"""Tool search: rank tools by a question, hide tools behind three bridge tools, and count what definitions cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hermes_search.assembly import AssemblyResult, assemble
    from hermes_search.bridge_tools import inner_call
    from hermes_search.ranking.index import Hit, ToolIndex

__version__ = "1.0.0"

__all__ = ["AssemblyResult", "Hit", "ToolIndex", "__version__", "assemble", "inner_call"]

_MODULES = {
    "AssemblyResult": "assembly",
    "Hit": "ranking.index",
    "ToolIndex": "ranking.index",
    "assemble": "assembly",
    "inner_call": "bridge_tools",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: the plugin is imported wherever models are shown tools."""
    from importlib import import_module

    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
