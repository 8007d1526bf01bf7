"""For plugin authors: load a plugin into a test host, call its tools, and check it before it is published.

A name is imported when it is first used, so that pytest can load the fixtures without importing the core.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_kit.approver import FakeApprover
    from hermes_kit.clock import FakeClock
    from hermes_kit.kit import Kit, load_plugin
    from hermes_kit.outcome import Outcome
    from hermes_kit.plugin_review import check_manifest
    from hermes_kit.review import Remark, check_plugin, check_tool
    from hermes_kit.trace import HookTrace, Seen

__version__ = "1.0.0"

_MODULES = {
    "FakeApprover": "approver",
    "FakeClock": "clock",
    "HookTrace": "trace",
    "Kit": "kit",
    "Outcome": "outcome",
    "Remark": "review",
    "Seen": "trace",
    "check_manifest": "plugin_review",
    "check_plugin": "review",
    "check_tool": "review",
    "load_plugin": "kit",
}

__all__ = [
    "FakeApprover",
    "FakeClock",
    "HookTrace",
    "Kit",
    "Outcome",
    "Remark",
    "Seen",
    "check_manifest",
    "check_plugin",
    "check_tool",
    "load_plugin",
]


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
