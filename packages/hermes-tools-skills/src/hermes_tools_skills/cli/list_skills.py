"""`hermes skills list`."""

from __future__ import annotations

import click

from hermes_core.commands import Column, counted, loaded_host, note, print_json, print_table, say
from hermes_tools_skills.readiness import check_readiness, user_environ
from hermes_tools_skills.search import search_skills
from hermes_tools_skills.session_library import library_for_host


@click.command()
@click.argument("query", nargs=-1)
@click.option("--category", metavar="NAME", help="Only skills of this category.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(query: tuple[str, ...], category: str | None, as_json: bool) -> None:
    """List skills with their origin and readiness, and paths that are not used as skills.

    With QUERY, list only skills with any of these words. Skills that models cannot see are listed, too.
    """
    with loaded_host() as host:
        library = library_for_host(host)
    listing = library.listing()
    environ = user_environ(library.home)
    skills, _ = library.all_skills()
    skills.sort(key=lambda skill: (skill.category, skill.id))
    found = search_skills(skills, " ".join(query)) if query else skills
    chosen = [skill for skill in found if category is None or skill.category == category]
    rows = []
    for skill in chosen:
        status = listing.hidden.get(skill.id) or check_readiness(skill, library.home, environ).status
        rows.append((skill.id, skill.category, skill.origin, status.replace("_", " "), skill.description))
    if as_json:
        keys = ("id", "category", "origin", "status", "description")
        problems = [{"path": str(each.path), "reason": each.reason} for each in listing.problems]
        print_json({"skills": [dict(zip(keys, row, strict=True)) for row in rows], "problems": problems})
        return
    if rows:
        columns = [Column("SKILL"), Column("CATEGORY"), Column("ORIGIN"), Column("STATUS"), Column("DESCRIPTION")]
        print_table(columns, rows)
    say(f"{counted(len(rows), 'skill')} in {library.directory}" if rows else "No skills were found.", "dim")
    for problem in listing.problems:
        note(f"note: {problem}")
