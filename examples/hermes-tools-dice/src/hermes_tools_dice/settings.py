"""What users can decide, in the section `dice` of `config.yaml`."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class DiceSettings(BaseModel):
    """How dice are rolled."""

    model_config = ConfigDict(extra="forbid")

    most_dice: int = Field(default=50, ge=1, le=1000, description="How many dice may be rolled at once.")
    seed: int | None = Field(default=None, description="A number that makes the dice fall the same way each time.")
