"""`hermes approvals`: stored grants, and requests that wait for an answer."""

from __future__ import annotations

import click

from hermes_approval.cli import approvals_grants, approvals_pending
from hermes_core.commands import debug_option


@click.group("approvals")
def command() -> None:
    """Manage stored approvals, and answer waiting requests.

    A grant allows one rule of one tool, for the arguments it names, without asking again. Answering 'always' at a
    prompt creates one for exactly that call; 'hermes approvals add' creates one by hand. Grants are stored in
    approvals.json in $HERMES_HOME; no grant allows a refused call. Waiting requests of applications are in the
    directory approvals beside it.

    Exit code: 0 on success; 1 if no request waits, or not all were approved; 2 for wrong usage, an unknown id, or a
    file that cannot be read or written, or that other users may write to.
    """


for _noun in (approvals_grants, approvals_pending):
    for _each in _noun.COMMANDS:
        command.add_command(_each)
        _each.params.append(debug_option())  # so that it may also be the last word
