"""The section `dice` of `config.yaml`."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class DiceSettings(BaseModel):
    """Settings for rolling dice."""

    model_config = ConfigDict(extra="forbid")

    max_dice: int = Field(default=50, ge=1, le=1000, description="Maximum number of dice in one roll.")
    seed: int | None = Field(
        default=None, description="Seed of the random numbers; the same seed gives the same rolls."
    )
