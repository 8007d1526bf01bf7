"""The command group `hermes skills`. Each module in the table defines its command under the name `command`."""

from __future__ import annotations

from hermes_core.commands import Entry, LazyGroup

_CLI = "hermes_tools_skills.cli"
_TABLE = {
    "list": Entry(f"{_CLI}.list_skills", "List skills and problems."),
    "view": Entry(f"{_CLI}.view_skill", "Show a skill as a model sees it."),
    "validate": Entry(f"{_CLI}.validate_skills", "Check skills against the specification."),
    "search": Entry(f"{_CLI}.search_hub", "Search registries and repositories for skills."),
    "browse": Entry(f"{_CLI}.browse_hub", "List the skills of registries and repositories."),
    "inspect": Entry(f"{_CLI}.inspect_skill", "Download and scan a skill without installing it."),
    "install": Entry(f"{_CLI}.install_skill", "Install skills."),
    "check": Entry(f"{_CLI}.check_skills", "Check requirements, updates and local changes."),
    "update": Entry(f"{_CLI}.update_skills", "Update installed skills."),
    "audit": Entry(f"{_CLI}.audit_skills", "Scan installed skills again, and accept findings."),
    "uninstall": Entry(f"{_CLI}.uninstall_skill", "Remove installed skills."),
    "publish": Entry(f"{_CLI}.publish_skill", "Publish a skill."),
    "snapshot": Entry(f"{_CLI}.snapshot", "Export and import the list of installed skills."),
    "tap": Entry(f"{_CLI}.tap", "Manage the repositories and sites that are searched."),
    "trust": Entry(f"{_CLI}.trust_project", "Use the skills of a project."),
}

skills = LazyGroup(
    "skills",
    table=_TABLE,
    no_args_is_help=True,
    short_help="List, install and check skills.",
    help="List, install and check skills: instructions that models read when they need them.",
)
