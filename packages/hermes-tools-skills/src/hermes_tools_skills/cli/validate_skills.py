"""`hermes skills validate`."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path

import click

from hermes_core.commands import clean, counted, print_json, say
from hermes_tools_skills.validation import validate_skill


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path), metavar="PATH...")
@click.option("--strict", is_flag=True, help="Fail on warnings, too.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(paths: tuple[Path, ...], strict: bool, as_json: bool) -> None:
    """Check directories of skills against the specification of agentskills.io.

    Exit code: 0 if there are no errors, 1 otherwise.
    """
    found = {path: validate_skill(path) for path in paths}
    failing = sum(any(strict or each.level == "error" for each in problems) for problems in found.values())
    if as_json:
        print_json({str(path): [asdict(each) for each in problems] for path, problems in found.items()})
    else:
        for path, problems in found.items():
            for each in problems:
                say(clean(f"{path}: {each}"), "red" if each.level == "error" else "yellow")
        say(f"{counted(len(paths), 'skill')} checked, {failing} with problems.")
    sys.exit(1 if failing else 0)
