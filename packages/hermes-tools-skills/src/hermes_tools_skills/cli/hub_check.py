"""What `hermes skills check` reports about the skills that were installed with the hub."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hermes_core.commands import Column
from hermes_tools_skills.cli.hub_reports import table
from hermes_tools_skills.cli.hub_session import open_hub, terminal_session
from hermes_tools_skills.hub.inventory import check_skills
from hermes_tools_skills.hub.lock_file import read_lock
from hermes_tools_skills.hub.state_files import StateFiles

if TYPE_CHECKING:
    from pathlib import Path

    from hermes_tools_skills.hub.inventory import SkillStatus


def check_installed(home: Path, names: Sequence[str]) -> list[SkillStatus]:
    """Ask the sources about installed skills; nothing is requested if there are none. Raises `HubError`."""
    if not names and not read_lock(StateFiles(home)):
        return []
    session = terminal_session()
    try:
        with open_hub(session) as hub:
            return check_skills(hub, names)
    finally:
        session.hidden()


def is_settled(status: SkillStatus) -> bool:
    """Return whether a skill needs nothing from the user."""
    return status.local == "unchanged" and status.upstream == "current"


def status_lines(statuses: Sequence[SkillStatus]) -> list[str]:
    """Describe the skills in a table, and why sources could not be asked."""
    rows = []
    for each in statuses:
        version = f"{each.skill.version} -> {each.latest}" if each.latest not in ("", each.skill.version) else ""
        rows.append((each.skill.name, each.local, each.upstream, version or each.skill.version, each.skill.identifier))
    columns = [Column("INSTALLED SKILL"), Column("FILES"), Column("SOURCE"), Column("VERSION"), Column("IDENTIFIER")]
    return table(columns, rows)


def status_facts(status: SkillStatus) -> dict[str, Any]:
    """Return the state of a skill as JSON data."""
    return {
        "name": status.skill.name,
        "local": status.local,
        "upstream": status.upstream,
        "version": status.skill.version,
        "latest": status.latest,
        "identifier": status.skill.identifier,
        "problem": status.problem or None,
    }
