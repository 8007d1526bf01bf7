"""Programs that are no interpreters and still run commands that their options or scripts hold."""

from hermes_guard.rules.tool_escapes.rules import FAMILY

__all__ = ["FAMILY"]
