"""`hermes policy`: check and explain the rules, and try them on past calls."""

from __future__ import annotations

import click

from hermes_approval.cli import policy_backtest, policy_check, policy_explain
from hermes_core.commands import debug_option


@click.group("policy")
def command() -> None:
    """Check and explain policy rules, and try them on past calls.

    The rules are in the section 'policy' of config.yaml. Of all rules that match a call, the strictest wins: deny
    before ask before allow. A rule with 'shadow: true' only records what it would have done. See each command for its
    exit codes.
    """


command.add_command(policy_check.command, "check")
command.add_command(policy_backtest.command, "backtest")
command.add_command(policy_explain.command, "explain")
for _each in command.commands.values():
    _each.params.append(debug_option())  # so that it also works as the last word
