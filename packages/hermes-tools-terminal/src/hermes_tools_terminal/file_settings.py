"""What users can decide about files: the section `files`."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema


class FileSettings(BaseModel):
    """Which files agents work on, and how much of them they get at once."""

    model_config = ConfigDict(extra="forbid")

    workspace: str = Field(
        default="", description="The project's folder; where commands start (`terminal.cwd`) when it is empty."
    )
    extra_roots: list[str] = Field(default=[], description="Folders that are worked in like the workspace.")
    confined: bool = Field(default=False, description="Refuse every file outside of the workspace and the extra roots.")
    read_max_chars: int = Field(default=100_000, ge=1000, description="Characters that one read gives at most.")
    max_lines: int = Field(default=2000, ge=1, description="Lines that one read gives at most.")
    max_line_chars: int = Field(default=2000, ge=80, description="Characters of one line that are shown.")
    mask_secrets: Annotated[bool, WithJsonSchema({"enum": [True, False, "on", "off"]})] = Field(
        default=True,
        description="Mask secrets in files, search results, diffs and the output of commands and scripts for the "
        "model.",
    )
    max_edit_mb: int = Field(default=64, ge=1, description="The biggest file that is patched, in MB.")
    lint: bool = Field(default=True, description="Check the syntax of a file after an edit.")
    undo_keep: int = Field(default=500, ge=1, description="How many changes can be undone.")
    undo_max_mb: int = Field(default=500, ge=1, description="How much of old contents is kept for that, in MB.")
