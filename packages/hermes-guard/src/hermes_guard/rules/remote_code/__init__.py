"""Rules for remote code: fetched text that reaches a shell or an interpreter by any route."""

from hermes_guard.rules.remote_code.rules import FAMILY

__all__ = ["FAMILY"]
