"""`hermes-guard path`: judges one path."""

import argparse

from hermes_guard.cli.exits import OF_SEVERITY
from hermes_guard.cli.explain import of_finding
from hermes_guard.cli.output import as_json


def run(options: argparse.Namespace) -> int:
    """Judge the path for reading or writing."""
    verdict = options.guard.judge_path(options.op, options.path, workspace=options.workspace, home=options.home)
    if options.json:
        print(as_json({"op": options.op, "path": options.path, **verdict.as_dict()}))
    else:
        for finding in verdict.findings:
            print("\n".join(of_finding(finding, options.path)))
        print(f"Verdict: {verdict.severity}")
    return OF_SEVERITY[verdict.severity]
