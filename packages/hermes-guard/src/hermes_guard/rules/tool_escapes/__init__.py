"""Rules for programs that run commands given in their options or scripts without being interpreters."""

from hermes_guard.rules.tool_escapes.rules import FAMILY

__all__ = ["FAMILY"]
