"""For plugin authors: load a plugin into a test host, call its tools, and check it before it is published.

A name is imported when it is first used, so that pytest can load the fixtures without importing the core.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_kit.approver import FakeApprover as FakeApprover
    from hermes_kit.clock import FakeClock as FakeClock
    from hermes_kit.kit import Kit as Kit
    from hermes_kit.kit import load_plugin as load_plugin
    from hermes_kit.outcome import Outcome as Outcome
    from hermes_kit.plugin_review import check_manifest as check_manifest
    from hermes_kit.review import Remark as Remark
    from hermes_kit.review import check_plugin as check_plugin
    from hermes_kit.review import check_tool as check_tool
    from hermes_kit.trace import HookEvent as HookEvent
    from hermes_kit.trace import HookTrace as HookTrace

    __all__: list[str]
else:
    from hermes_text.lazy_names import lazy_names

    __all__, __getattr__, __dir__ = lazy_names()

__version__ = "1.0.0"
