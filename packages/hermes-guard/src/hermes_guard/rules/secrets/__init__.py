"""Rules for secrets: credentials that are read, printed, or sent away."""

from hermes_guard.rules.secrets.rules import FAMILY

__all__ = ["FAMILY"]
