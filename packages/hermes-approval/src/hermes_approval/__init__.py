"""Policy rules, grants, approval channels and the audit log: a plugin of hermes-core on public hooks.

A name is imported from its module when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_approval.approval import Approval as Approval
    from hermes_approval.audit.host_audit import Audit as Audit
    from hermes_approval.audit.host_audit import AuditSettings as AuditSettings
    from hermes_approval.channels.answer import Answer as Answer
    from hermes_approval.channels.broker import Broker as Broker
    from hermes_approval.channels.mailbox import Mailbox as Mailbox
    from hermes_approval.grants.grant import Grant as Grant
    from hermes_approval.grants.grant_set import GrantSet as GrantSet
    from hermes_approval.grants.grant_store import GrantStore as GrantStore
    from hermes_approval.host_approval import HostApproval as HostApproval
    from hermes_approval.policy.ruleset import RuleSet as RuleSet
    from hermes_approval.settings import ApprovalSettings as ApprovalSettings

    __all__: list[str]
else:
    from hermes_text.lazy_names import lazy_names

    __all__, __getattr__, __dir__ = lazy_names()

__version__ = "1.0.0"
