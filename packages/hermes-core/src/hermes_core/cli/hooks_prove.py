"""`hermes hooks prove`: a harmless call by every path there is, and which hooks saw it."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from hermes_core.cli.exit_codes import ExitCode
from hermes_core.cli.invocation import current_invocation
from hermes_core.cli.logs import warning_lines
from hermes_core.cli.output import print_json

if TYPE_CHECKING:
    from hermes_core.host import Hermes

_HOOK_SECONDS = 2.0
"""A hook that takes longer for a probe is late: nobody wants to wait as long as a real call may."""

_CLOSING_SECONDS = 5.0


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def prove(as_json: bool) -> ExitCode:
    """Send a harmless call by every path, and show which hooks saw it.

    The call does nothing, is not in the audit log, asks nobody and leaves no approval behind; but every plugin that
    judges or watches calls really sees it, under the name hermes_probe. A plugin that denies it has seen it. A hook has
    two seconds; one that was late is not asked again. The exit status is 0 when each hook saw it on each path, and 1
    when one was left out, raised, was late or answered nonsense, or when a plugin cannot be used.
    """
    from hermes_core.cli.proving.printing import print_proof
    from hermes_core.cli.proving.prover import prove_host

    with probe_host() as host:
        proof = prove_host(host)
    if as_json:
        print_json(proof.as_dict())
    else:
        print_proof(proof)
    code = ExitCode.OK if proof.ok else ExitCode.FOUND
    if proof.stuck:
        # What does not let itself be ended would keep the interpreter from ending.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    return code


@contextlib.contextmanager
def probe_host(*, show: bool = True) -> Iterator[Hermes]:
    """The user's host, but for what a probe must not leave behind."""
    from hermes_core.approval.grants.grant_set import GrantSet
    from hermes_core.cli.proving.prover import ended_in_time
    from hermes_core.host import Hermes

    with (
        # What becomes of plugins is told with the proof.
        warning_lines(show=show, debug=current_invocation().debug, plugins=False),
        contextlib.redirect_stdout(sys.stderr),
    ):
        host = Hermes.load(audit=False, grants=GrantSet(), approvals="off", hook_timeout=_HOOK_SECONDS)
        try:
            yield host
        finally:
            ended_in_time(host.close, _CLOSING_SECONDS)
