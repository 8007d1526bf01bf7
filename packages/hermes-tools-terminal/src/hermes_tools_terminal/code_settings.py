"""What users can decide about scripts: the section `code_execution`."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class CodeSettings(BaseModel):
    """How scripts of the tool `execute_code` run."""

    model_config = ConfigDict(extra="forbid")

    timeout: float = Field(default=300, gt=0, description="Seconds that a script may take.")
    max_tool_calls: int = Field(default=50, ge=0, description="How many tools one script may call.")
    memory_mb: int = Field(
        default=4096,
        ge=0,
        description="Megabytes of memory that each process of a script may allocate; 0 for no limit. It needs Linux.",
    )
    mode: Literal["project", "strict"] = Field(
        default="project",
        description="`project`: in the task's folder, with the project's own Python; `strict`: in an empty folder, "
        "with the Python that runs Hermes.",
    )
    max_stdout: int = Field(default=50_000, ge=100, description="Characters of a script's output that are kept.")
    max_stderr: int = Field(default=10_000, ge=100, description="Characters of its errors that are kept.")
