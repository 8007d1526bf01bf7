"""`hermes approvals`: stored grants and pending requests."""

from __future__ import annotations

import click

from hermes_approval.cli import approvals_grants, approvals_pending
from hermes_core.commands import debug_option


@click.group("approvals")
def command() -> None:
    """Manage stored approvals and answer pending requests.

    A grant covers one rule of one tool: calls with the arguments it names run without asking again. Answering 'always'
    at a prompt creates a grant for exactly that call; 'hermes approvals add' creates one manually. Grants are stored in
    approvals.json in $HERMES_HOME, and no grant allows a refused call. Pending requests from applications are stored
    beside it, in the directory approvals.

    Exit code: 0 on success; 1 if no request is pending, or not all were approved; 2 for invalid usage, an unknown ID,
    or a file that cannot be read or written or that other users can modify.
    """


for _noun in (approvals_grants, approvals_pending):
    for _each in _noun.COMMANDS:
        command.add_command(_each)
        _each.params.append(debug_option())  # so that it also works as the last word
