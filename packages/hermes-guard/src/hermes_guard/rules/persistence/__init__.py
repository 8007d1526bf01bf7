"""Persistence: what makes a command run later or again, and what would switch the agent's own supervision off."""

from hermes_guard.rules.persistence import (
    agent,
    autostart,
    git,
    keys,
    packages,
    schedules,
    ssh,
    unleashed,
    variables,
)
from hermes_guard.rules.persistence.table import FAMILY

__all__ = ["FAMILY", "agent", "autostart", "git", "keys", "packages", "schedules", "ssh", "unleashed", "variables"]
