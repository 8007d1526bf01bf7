"""The hooks of hermes-approval. Nothing heavy is imported here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from hermes_approval.approval import Approval
from hermes_core import ConfigError, hookimpl

if TYPE_CHECKING:
    from click import Command

    from hermes_core.health import HealthCheck, HealthContext, HealthProblem
    from hermes_core.plugin_context import PluginContext

hermes_api = ">=1.0,<2"
hermes_hooks = Approval.hermes_hooks


@hookimpl
def hermes_settings() -> dict[str, Any]:
    """Return the sections `approvals` and `policy`."""
    return Approval().hermes_settings()


@hookimpl
def hermes_commands() -> list[Command]:
    """Return `hermes policy` and `hermes approvals`."""
    from hermes_approval.cli.approvals import command as approvals
    from hermes_approval.cli.policy import command as policy

    return [policy, approvals]


@hookimpl
def hermes_providers() -> Mapping[str, Mapping[str, Callable[[], object]]]:
    """Return the prompt that commands add to their host at a terminal, and their hint elsewhere."""

    def make() -> object:
        from hermes_approval.channels.terminal_approver import TerminalApprover

        return TerminalApprover()

    def make_hints() -> object:
        from hermes_approval.cli.approvals_grants import explain_grants

        return explain_grants

    return {"terminal_approver": {"approval": make}, "approval_hints": {"approval": make_hints}}


@hookimpl
def hermes_health_checks() -> list[HealthCheck]:
    """Return the check that stored grants can be read."""

    from hermes_core.health import HealthCheck, HealthProblem

    def check(context: HealthContext) -> HealthProblem | None:
        from hermes_approval.grants.grant_store import GrantStore

        try:
            GrantStore(context.home).grants()
        except ConfigError as error:
            return HealthProblem(message=str(error), remedy="Repair the file, or move it away.")
        return None

    return [HealthCheck(name="stored grants", run=check)]


def hermes_factory(context: PluginContext) -> object:
    """Make the approval of one host, from the user's settings."""
    return Approval().hermes_factory(context)
