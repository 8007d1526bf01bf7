"""The plugin `approval`: makes the approval of each host from the user's settings and the application's options."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from hermes_approval.host_approval import TERMINAL, Approver, AskRules, DenyRules, HostApproval, SmartApproval
from hermes_approval.settings import MODES, ApprovalSettings, raise_first, read_approvals, read_policy, read_smart
from hermes_core import ConfigError, hookimpl
from hermes_core.approvers import require_approver

if TYPE_CHECKING:
    from pathlib import Path

    from hermes_approval.grants.grant_set import GrantSet
    from hermes_approval.policy.ruleset import RuleSet
    from hermes_core.plugin_context import PluginContext

log = logging.getLogger("hermes.approval")


class Approval:
    """Approval for a host: pass it to `Hermes(plugins=[Approval(...)])`, or to several hosts.

    The installed plugin does the same with the settings in `config.yaml`. An `Approval` that an application passes
    replaces it and adds what the application wants.

    Args:
        approver: Who decides about calls that need an approval: a function, sync or async, that gets an
            `ApprovalRequest` and returns True, False, `once`, `session`, `always`, `deny`, an `Answer` or a `Decision`;
            a `Broker`; or the word `terminal`.
        policy: Rules, written as in the section `policy` of `config.yaml`. They are added to the user's rules.
        mode: `manual`, `smart` or `off` in place of the user's mode; or all settings.
        grants: What was approved before. By default `Hermes.load` uses the user's stored grants.
    """

    __name__ = "approval"
    hermes_hooks = (
        "hermes_pre_tool_call",
        "hermes_assess_call",
        "hermes_waive_findings",
        "hermes_request_approval",
        "hermes_approval_resolved",
    )

    def __init__(
        self,
        *,
        approver: Any = None,
        policy: Iterable[Mapping[str, Any]] | RuleSet | None = None,
        mode: str | ApprovalSettings | None = None,
        grants: GrantSet | None = None,
    ) -> None:
        self._approver = approver if approver in (None, TERMINAL) else require_approver(approver)
        self._policy = policy
        self._mode = mode
        self._grants = grants

    @hookimpl
    def hermes_settings(self) -> dict[str, Any]:
        """Return the sections `approvals` and `policy`."""
        from hermes_approval.settings_schema import APPROVAL_SECTIONS

        return {section.name: section.schema for section in APPROVAL_SECTIONS}

    def hermes_factory(self, context: PluginContext) -> HostApproval:
        """Make the approval of one host, with only the hooks that its rules, mode and grants need.

        Raises:
            ConfigError: the settings, the rules or the mode cannot be used.
        """
        settings = _settings(context, self._mode)
        ruleset = _ruleset(context, self._policy)
        grants = _grants(context, settings, self._grants)
        if context.approval_timeout is None:
            context.approval_timeout = settings.callback_seconds
        kinds: list[type[HostApproval]] = []
        if ruleset is not None:
            kinds += [DenyRules] if ruleset.denies else []
            kinds += [AskRules] if ruleset.asks else []
        if settings.smart is not None and not context.is_inside_tool:
            kinds.append(SmartApproval)
        elif self._approver is not None:
            kinds.append(Approver)
        made: type[HostApproval] = type("HostApproval", (*kinds, HostApproval), {})
        return made(settings, ruleset, grants, self._approver)


def _settings(context: PluginContext, mode: str | ApprovalSettings | None) -> ApprovalSettings:
    """Return the user's settings with the application's mode, and with all settings of that mode."""
    if isinstance(mode, ApprovalSettings):
        return mode._replace(explicit=True)
    settings = read_approvals(context.configs[0]) if context.configs else ApprovalSettings()
    if mode is None:
        return settings
    if mode not in MODES:
        raise ConfigError(f"{mode!r} is not a mode of approvals.", example=", ".join(MODES))
    config = context.configs[0] if context.configs else context.config
    smart = read_smart(config.section("approvals")) if mode == "smart" else None
    return settings._replace(mode=mode, smart=smart, explicit=True)  # type: ignore[arg-type]  # one of MODES


def _ruleset(context: PluginContext, policy: Iterable[Mapping[str, Any]] | RuleSet | None) -> RuleSet | None:
    """Return the user's rules with those of the application; of all that match, the strictest wins."""
    configs = (each for each in context.configs if each.get_configured("policy") is not None)
    rulesets = [read_policy(each, context.tools) for each in configs]
    if policy is not None:
        rulesets.append(_given_rules(policy, context.tools))
    if not rulesets:
        return None
    first, *others = rulesets
    for other in others:
        first = first.joined(other)
    return first


def _given_rules(policy: Iterable[Mapping[str, Any]] | RuleSet, tools: Mapping[str, Any]) -> RuleSet:
    from hermes_approval.policy.rule_reader import read_rules
    from hermes_approval.policy.ruleset import RuleSet

    if isinstance(policy, RuleSet):
        return policy
    rules = {"rules": list(policy)}
    ruleset, problems = read_rules(rules, file="policy", line_of=lambda _steps: None, known_tools=tools)
    raise_first(problems)
    return ruleset


def _grants(
    context: PluginContext, settings: ApprovalSettings, grants: GrantSet | None
) -> GrantSet | Callable[[], GrantSet] | None:
    """Return the application's grants, or the user's stored grants with those of `command_allowlist`."""
    if grants is not None:
        from hermes_approval.grants.grant_set import GrantSet

        if not isinstance(grants, GrantSet):
            raise ConfigError(f"{grants!r} is not a set of grants.", key="grants", example="grants=GrantSet()")
        return grants
    if not context.is_loaded or context.parent is not None:
        return None
    if settings.allowlist:  # loaded now, so that its problems are reported at the start
        return _stored_grants(context.home, settings.allowlist)
    return partial(_stored_grants, context.home, ())


def _stored_grants(home: Path, allowlist: object) -> GrantSet:
    from hermes_approval.grants.allowlist import allowlist_grants
    from hermes_approval.grants.grant_set import GrantSet
    from hermes_approval.grants.grant_store import GrantStore

    allowed, problems = allowlist_grants(allowlist)
    for problem in problems:
        log.warning("command_allowlist: %s", problem)
    return GrantSet(allowed, store=GrantStore(home))
