"""`hermes skills uninstall`."""

from __future__ import annotations

import click

from hermes_core.commands import clean
from hermes_tools_skills.cli.hub_session import Outcome, Session, hub_command, yes_option
from hermes_tools_skills.hub.hub import SkillHub
from hermes_tools_skills.hub.inventory import uninstall_skill
from hermes_tools_skills.hub.lock_file import require_installed


@click.command()
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@yes_option
@hub_command
def command(hub: SkillHub, session: Session, names: tuple[str, ...], yes: bool) -> Outcome:
    """Remove installed skills.

    Only what was installed is removed. Files that you added stay, and files that you changed are moved to
    skills/.hub/removed. Exit code: 0 on success, 1 if a skill was not installed with the hub, 4 if you do not confirm.
    """
    for name in names:
        require_installed(hub.state, name)
    session.require_confirmation(f"Remove {', '.join(names)}?", yes=yes)
    lines, facts = [], []
    for name in names:
        removal = uninstall_skill(hub.state, name)
        lines.append(f"Removed {name}.")
        if removal.stayed:
            folder = hub.state.skills / removal.skill.install_path
            lines.append(f"  Your files stay in {folder}: {clean(', '.join(removal.stayed))}")
        if removal.moved:
            lines.append(f"  Files that you changed are in {removal.folder}: {clean(', '.join(removal.moved))}")
        moved = {"moved": list(removal.moved), "folder": str(removal.folder or "") or None}
        facts.append({"name": name, "stayed": list(removal.stayed), **moved})
    return Outcome(lines=lines, facts={"removed": facts})
