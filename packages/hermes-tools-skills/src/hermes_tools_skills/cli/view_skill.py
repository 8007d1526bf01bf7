"""`hermes skills view`."""

from __future__ import annotations

import click

from hermes_core import ToolError
from hermes_core.commands import loaded_host, note, print_facts, print_json, say
from hermes_text.terminal import harmless
from hermes_tools_skills.resources import read_resource
from hermes_tools_skills.session_library import library_for_host
from hermes_tools_skills.tools.skill_view import view_skill


@click.command()
@click.argument("name")
@click.argument("file", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print the result that a model gets.")
def command(name: str, file: str | None, as_json: bool) -> None:
    """Show the instructions of a skill, its files and its readiness, or one FILE of it.

    Exit code: 0 on success, 2 if there is no such skill or file.
    """
    with loaded_host() as host:
        library = library_for_host(host)
    try:
        skill = library.find(name, for_user=True)
        result = read_resource(skill, file) if file else view_skill(skill, library)
    except ToolError as error:
        raise click.ClickException(f"{error.message} 'hermes skills list' lists all skills.") from None
    if as_json:
        print_json(result)
        return
    if not file:
        facts = [("skill", result["name"]), ("description", result["description"]), ("directory", result["skill_dir"])]
        facts.append(("status", result["readiness_status"].replace("_", " ")))
        facts += [(group, ", ".join(files)) for group, files in result.get("linked_files", {}).items()]
        print_facts(facts)
        say()
    for line in str(result.get("content", result.get("note", ""))).splitlines():
        say(harmless(line))
    for each in (*result.get("notes", ()), result.get("setup_note", "")):
        if each:
            note(f"note: {each}")
