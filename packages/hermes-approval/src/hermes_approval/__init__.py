"""Policy rules, grants, approval channels and the audit log: a plugin of hermes-core on public hooks.

A name is imported from where it lives when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_approval.approval import Approval, HostApproval
    from hermes_approval.audit.host_audit import Audit, AuditSettings
    from hermes_approval.channels.answer import Answer
    from hermes_approval.channels.broker import Broker
    from hermes_approval.channels.mailbox import Mailbox
    from hermes_approval.grants.grant import Grant
    from hermes_approval.grants.grant_set import GrantSet
    from hermes_approval.grants.grant_store import GrantStore
    from hermes_approval.policy.ruleset import RuleSet
    from hermes_approval.settings import ApprovalSettings

__version__ = "1.0.0"

__all__ = [
    "Answer",
    "Approval",
    "ApprovalSettings",
    "Audit",
    "AuditSettings",
    "Broker",
    "Grant",
    "GrantSet",
    "GrantStore",
    "HostApproval",
    "Mailbox",
    "RuleSet",
]

_MODULES = {
    "Answer": "channels.answer",
    "Approval": "approval",
    "ApprovalSettings": "settings",
    "Audit": "audit.host_audit",
    "AuditSettings": "audit.host_audit",
    "Broker": "channels.broker",
    "Grant": "grants.grant",
    "GrantSet": "grants.grant_set",
    "GrantStore": "grants.grant_store",
    "HostApproval": "approval",
    "Mailbox": "channels.mailbox",
    "RuleSet": "policy.ruleset",
}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value
