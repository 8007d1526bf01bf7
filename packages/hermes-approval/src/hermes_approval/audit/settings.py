"""What users decide about the log of calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from hermes_core.settings import SectionSpec

if TYPE_CHECKING:
    from hermes_core.settings import Config

AUDIT_SECTION = SectionSpec(
    name="audit",
    schema={
        "type": "object",
        "description": "The log of every call.",
        "properties": {
            "enabled": {"type": "boolean", "default": True, "description": "Whether calls are logged."},
            "max_bytes": {
                "type": "integer",
                "minimum": 65_536,
                "default": 10_485_760,
                "description": "The size at which the log is put away and a new one begun.",
            },
            "keep": {"type": "integer", "minimum": 0, "default": 5, "description": "How many old logs are kept."},
        },
    },
)


class AuditSettings(NamedTuple):
    """Whether calls are logged, and how much of the log is kept."""

    enabled: bool = True
    max_bytes: int = 10_485_760
    keep: int = 5


def read_audit(config: Config) -> AuditSettings:
    """Read the section `audit`.

    Raises:
        ConfigError: it holds something that cannot be.
    """
    section = config.section("audit")
    return AuditSettings(enabled=section["enabled"], max_bytes=section["max_bytes"], keep=section["keep"])
