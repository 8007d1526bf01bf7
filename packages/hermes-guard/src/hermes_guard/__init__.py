"""Reads a shell command the way a shell does, and says allow, ask or refuse.

Names are imported on first use, so importing only verdict types does not load the grammar.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_guard.dependencies import UsedPath as UsedPath
    from hermes_guard.dependencies import Uses as Uses
    from hermes_guard.dependencies import uses_of as uses_of
    from hermes_guard.guard import Guard as Guard
    from hermes_guard.guard import judge as judge
    from hermes_guard.paths import judge_path as judge_path
    from hermes_guard.paths.policy import PathPolicy as PathPolicy
    from hermes_guard.paths.rule import PathRule as PathRule
    from hermes_guard.rules.family import Context as Context
    from hermes_guard.rules.family import Family as Family
    from hermes_guard.rules.family import Rule as Rule
    from hermes_guard.rules.rule_files import RuleFileError as RuleFileError
    from hermes_guard.shell.command import Command as Command
    from hermes_guard.shell_state import Dependencies as Dependencies
    from hermes_guard.shell_state import ShellState as ShellState
    from hermes_guard.verdict import Finding as Finding
    from hermes_guard.verdict import Severity as Severity
    from hermes_guard.verdict import Verdict as Verdict

    __all__: list[str]
else:

    def _modules() -> dict[str, str]:
        """Return the public names with their modules.

        The imports above never run, but the compiler stores their names: each module, followed by the names from it.
        """
        modules: dict[str, str] = {}
        module = ""
        for name in sys._getframe(1).f_code.co_names:
            if name.startswith(f"{__name__}."):
                module = name
            elif name == "_modules":
                break
            elif module and name.strip("_") == name:
                modules[name] = module
        return dict(sorted(modules.items()))

    _MODULES = _modules()

    __all__ = list(_MODULES)

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        value = globals()[name] = getattr(import_module(_MODULES[name]), name)
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})


__version__ = "1.0.0"
