"""Tool search: rank tools for a question, hide tools behind three bridge tools, and count what definitions cost.

A name is imported when it is first used: the plugin is imported wherever models get definitions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_search.assembly import AssemblyResult as AssemblyResult
    from hermes_search.assembly import assemble as assemble
    from hermes_search.bridge_tools import inner_call as inner_call
    from hermes_search.ranking.index import Hit as Hit
    from hermes_search.ranking.index import ToolIndex as ToolIndex

    __all__: list[str]
else:
    from hermes_text.lazy_names import lazy_names

    __all__, __getattr__, __dir__ = lazy_names()

__version__ = "1.0.0"
