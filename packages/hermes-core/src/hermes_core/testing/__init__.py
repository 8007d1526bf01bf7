"""The kit for plugin authors: load a plugin into a host, call its tools, and say in one line what must hold."""

from hermes_core.testing.approver import FakeApprover
from hermes_core.testing.clock import FakeClock
from hermes_core.testing.kit import Kit, load_plugin
from hermes_core.testing.manifests import check_manifest
from hermes_core.testing.outcome import Outcome
from hermes_core.testing.review import Remark, check_plugin, check_tool
from hermes_core.testing.trace import HookTrace, Seen

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
