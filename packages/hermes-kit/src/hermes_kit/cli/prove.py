"""`hermes hooks prove`: sends a harmless call through every path, and shows which hooks saw it."""

from __future__ import annotations

import os
import sys

import click

from hermes_core.commands import ExitCode, print_json, probe_host


@click.command("hooks prove")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(as_json: bool) -> ExitCode:
    """Send a harmless call through every path and show which hooks saw it.

    The call does nothing, is not logged, asks no one and stores no approval. Every plugin that judges or observes calls
    really sees it, under the name hermes_probe; a plugin that denies it has seen it too. A hook has two seconds; a late
    one is not called again. The exit code is 0 if each hook saw the call on each path, and 1 if one was skipped,
    raised, was late or returned an invalid answer, or if a plugin cannot be used.
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
        # A stuck hook would keep the interpreter from exiting.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    return code
