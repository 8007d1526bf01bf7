"""What is wrong with the user's settings, said so that the place and the remedy are clear."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from hermes_core.errors import ConfigError, did_you_mean

Level = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigProblem:
    """One thing that is wrong, or worth knowing.

    Attributes:
        level: `error` is refused on reading, `warning` has no effect or is unsafe, `note` is harmless.
        file: The file that says it; None when it comes from the environment.
        line: The line in the file.
        column: The column in that line, counted from 1, where the file is not valid YAML.
        key: The setting, as `section.key`.
        reason: What is wrong.
        nearest: Names that were probably meant.
        example: Something that would be right.
        source: `config.yaml`, `.env`, or `env NAME`.
    """

    level: Level = "error"
    file: str | None = None
    line: int | None = None
    column: int | None = None
    key: str | None = None
    reason: str
    nearest: tuple[str, ...] = ()
    example: str | None = None
    source: str = "config.yaml"

    def __str__(self) -> str:
        return str(self.error())

    def error(self) -> ConfigError:
        """The exception that says the same."""
        return ConfigError(
            self.reason + did_you_mean(self.nearest),
            file=self.file,
            line=self.line,
            column=self.column,
            key=self.key,
            example=self.example,
        )

    @classmethod
    def from_error(cls, error: ConfigError, source: str) -> ConfigProblem:
        """What an exception said."""
        return cls(
            file=error.file,
            line=error.line,
            column=error.column,
            key=error.key,
            reason=error.reason,
            example=error.example,
            source=source,
        )
