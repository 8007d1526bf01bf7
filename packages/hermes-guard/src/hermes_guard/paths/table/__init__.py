"""The one policy table for paths: every rule as data, with examples that run in the tests."""

from hermes_guard.paths.table import agents, credentials, devices, kernel, later, secrets, startup, system

RULES = (
    *devices.RULES,
    *kernel.RULES,
    *system.RULES,
    *credentials.RULES,
    *secrets.RULES,
    *startup.RULES,
    *agents.RULES,
    *later.RULES,
)

__all__ = ["RULES"]
