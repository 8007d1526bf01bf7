"""`hermes approvals`: what is allowed for good, and what waits for an answer."""

from __future__ import annotations

import click

from hermes_approval.cli import approvals_grants, approvals_pending
from hermes_core.commands import debug_option


@click.group("approvals")
def command() -> None:
    """Show, give and take back approvals, and answer requests.

    A grant allows one rule of one tool, for arguments that it names, without asking again. 'always' at a prompt makes
    one for exactly that call; 'hermes approvals add' makes one by hand. They are kept in approvals.json in
    $HERMES_HOME; no grant allows what is refused. Requests of applications that wait for an answer are in the folder
    approvals beside it.

    Exit status: 0 when it worked; 1 when no request waits, or not all were approved; 2 for wrong usage, an id that is
    not there, or a file that cannot be read or written, or that others may write to.
    """


for _noun in (approvals_grants, approvals_pending):
    for _each in _noun.COMMANDS:
        command.add_command(_each)
        _each.params.append(debug_option())  # so that it may also stand behind the last word
