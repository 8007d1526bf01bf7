"""Validate JSON against a schema, explain what does not fit, and repair arguments that nearly fit.

A name is imported from its module when it is first used: most calls fit and need no repair.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_schemas.checker import Checker as Checker
    from hermes_schemas.checker import Problem as Problem
    from hermes_schemas.checker import compile_checker as compile_checker
    from hermes_schemas.repair import Repair as Repair
    from hermes_schemas.repair import Repaired as Repaired
    from hermes_schemas.repair import Repairer as Repairer
    from hermes_schemas.repair import repair_arguments as repair_arguments
    from hermes_schemas.repair_strings import read_object as read_object
    from hermes_schemas.suggestions import nearest as nearest

    __all__: list[str]
else:
    from hermes_schemas.lazy_names import lazy_names

    __all__, __getattr__, __dir__ = lazy_names()

__version__ = "1.0.0"
