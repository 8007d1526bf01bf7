"""PUBLIC: the settings and the home of the user, for plugins that read more than a section of their own.

A name is imported from where it lives when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_core.config.config import Config
    from hermes_core.config.document import Document, Steps, key_of, read_document
    from hermes_core.config.home import hermes_home, home_folder
    from hermes_core.config.problems import ConfigProblem, Level
    from hermes_core.config.sections import SectionSpec
    from hermes_core.config.tool_session import refuse_inside, session_of

__all__ = [
    "Config",
    "ConfigProblem",
    "Document",
    "Level",
    "SectionSpec",
    "Steps",
    "hermes_home",
    "home_folder",
    "key_of",
    "read_document",
    "refuse_inside",
    "session_of",
]

_MODULES = {
    "Config": "config",
    "ConfigProblem": "problems",
    "Document": "document",
    "Level": "problems",
    "SectionSpec": "sections",
    "Steps": "document",
    "hermes_home": "home",
    "home_folder": "home",
    "key_of": "document",
    "read_document": "document",
    "refuse_inside": "tool_session",
    "session_of": "tool_session",
}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"hermes_core.config.{_MODULES[name]}"), name)
