"""`hermes plugin check`: reviews a plugin before it is published."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from hermes_core.commands import ExitCode, clean, plugin_output, print_json, say

if TYPE_CHECKING:
    from hermes_core.inspection import Candidate
    from hermes_kit.review import Remark


@click.command("check")
@click.argument("pkg", required=False, metavar="[PKG|FILE]")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(pkg: str | None, as_json: bool) -> ExitCode:
    """Review a plugin before you publish it.

    PKG is a plugin, a distribution, an import package or a project directory; FILE is a single-file plugin. The default
    is the project in the current directory.

    It checks the names, descriptions, parameters and effects of tools, the manifest and the range of API versions, and
    that the plugin uses no section, command or toolset that is reserved for Hermes.

    Exit code: 0 if it finds no problems, 1 if it finds some, 2 if there is no such plugin.
    """
    reviews = _reviews(pkg)
    if as_json:
        print_json({"plugins": [_fields(candidate, remarks) for candidate, remarks in reviews]})
    else:
        for candidate, remarks in reviews:
            _print(candidate, remarks)
    return ExitCode.FOUND if any(remarks for _, remarks in reviews) else ExitCode.OK


def _reviews(pkg: str | None) -> list[tuple[Candidate, list[Remark]]]:
    from hermes_kit.plugin_review import review
    from hermes_kit.targets import find_targets

    with plugin_output(show=False):
        return [(target.candidate, review(target)) for target in find_targets(pkg)]


def _fields(candidate: Candidate, remarks: list[Remark]) -> dict[str, Any]:
    return {
        "name": candidate.name,
        "origin": candidate.origin,
        "distribution": candidate.distribution,
        "version": candidate.version,
        "remarks": [asdict(remark) for remark in remarks],
    }


def _print(candidate: Candidate, remarks: list[Remark]) -> None:
    shipped = " ".join(filter(None, (candidate.distribution, candidate.version))) or candidate.origin
    title = clean(f"{candidate.name} ({shipped})")
    if not remarks:
        say(f"{title}: no remarks.", "green")
        return
    say(f"{title}: {len(remarks)} {'remark' if len(remarks) == 1 else 'remarks'}.", "yellow")
    for remark in remarks:
        where = remark.subject + (f", parameter {remark.parameter}" if remark.parameter else "")
        say(f"  {clean(where)}: {clean(remark.message)} [{remark.rule}]")
        say(f"    What to do: {clean(remark.remedy)}")
