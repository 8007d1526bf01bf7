"""The command group `hermes skills`. Each module in the table defines its command under the name `command`."""

from __future__ import annotations

from hermes_core.commands import Entry, LazyGroup

_CLI = "hermes_tools_skills.cli"
_TABLE = {
    "list": Entry(f"{_CLI}.list_skills", "List skills and problems."),
    "view": Entry(f"{_CLI}.view_skill", "Show a skill as a model sees it."),
    "validate": Entry(f"{_CLI}.validate_skills", "Check skills against the specification."),
    "check": Entry(f"{_CLI}.check_skills", "Check requirements, problems and bundled skills."),
    "trust": Entry(f"{_CLI}.trust_project", "Use the skills of a project."),
}

skills = LazyGroup(
    "skills",
    table=_TABLE,
    no_args_is_help=True,
    short_help="List, view and check skills.",
    help="List, view and check skills: instructions that models read when they need them.",
)
