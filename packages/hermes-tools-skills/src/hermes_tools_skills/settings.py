"""The settings section `skills`."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from hermes_tools_skills.hub_settings import HubSettings


class SkillsSettings(BaseModel):
    """Where skills come from, and who approves changes of them."""

    model_config = ConfigDict(extra="forbid")

    external_dirs: list[str] = Field(
        default=[], description="Other directories with skills, which models can read but not change."
    )
    user_skills: bool = Field(default=True, description="Use the skills in ~/.agents/skills.")
    trusted_projects: list[str] = Field(
        default=[],
        description="Projects whose .agents/skills are used; 'hermes skills trust' adds the current directory.",
    )
    disabled: list[str] = Field(default=[], description="The names of skills that models cannot see.")
    bundled: bool = Field(default=True, description="Copy the bundled skills to $HERMES_HOME/skills and update them.")
    write_approval: bool = Field(default=False, description="Ask before a model changes a skill, and show the diff.")
    hub: HubSettings = HubSettings()
