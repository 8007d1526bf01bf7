"""PUBLIC: the user's settings and home, for plugins that read more than their own section."""
# ruff: noqa: PLC0414 - `as` tells type checkers that a name is exported

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_core.config.config import Config as Config
    from hermes_core.config.config import read_document as read_document
    from hermes_core.config.home import hermes_home as hermes_home
    from hermes_core.config.home import home_folder as home_folder
    from hermes_core.config.sections import SectionSpec as SectionSpec
    from hermes_core.config.setting_problems import ConfigProblem as ConfigProblem
    from hermes_core.config.setting_problems import Level as Level
    from hermes_core.config.tool_session import ToolSession as ToolSession
    from hermes_core.config.tool_session import refuse_inside as refuse_inside
    from hermes_core.config.tool_session import session_of as session_of
else:
    from hermes_core.lazy_names import lazy_names

    __all__, __getattr__, __dir__ = lazy_names()
