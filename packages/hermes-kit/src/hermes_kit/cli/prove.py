"""`hermes hooks prove`: a harmless call by every path there is, and which hooks saw it."""

from __future__ import annotations

import os
import sys

import click

from hermes_core.commands import ExitCode, print_json, probe_host


@click.command("hooks prove")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(as_json: bool) -> ExitCode:
    """Send a harmless call by every path, and show which hooks saw it.

    The call does nothing, is not in the audit log, asks nobody and leaves no approval behind; but every plugin that
    judges or watches calls really sees it, under the name hermes_probe. A plugin that denies it has seen it. A hook has
    two seconds; one that was late is not asked again. The exit status is 0 when each hook saw it on each path, and 1
    when one was left out, raised, was late or answered nonsense, or when a plugin cannot be used.
    """
    from hermes_kit.proof.prover import prove_host
    from hermes_kit.proof.report import print_proof

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
