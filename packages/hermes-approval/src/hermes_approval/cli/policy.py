"""`hermes policy`: prove the rules, say what they make of one call, and try them on the calls of the past."""

from __future__ import annotations

import click

from hermes_approval.cli import policy_backtest, policy_check, policy_explain
from hermes_core.commands import debug_option


@click.group("policy")
def command() -> None:
    """Prove the rules, explain them, and try them on the past.

    The rules are those of the section 'policy' of config.yaml: of all that match a call the strictest counts, deny
    before ask before allow. A rule that says 'shadow: true' only notes what it would have done. Exit status: that of
    the command behind it.
    """


command.add_command(policy_check.command, "check")
command.add_command(policy_backtest.command, "backtest")
command.add_command(policy_explain.command, "explain")
for _each in command.commands.values():
    _each.params.append(debug_option())  # so that it may also stand behind the last word
