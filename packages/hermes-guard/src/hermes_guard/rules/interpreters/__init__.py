"""Rules for interpreters: what the code on their command line or input would do."""

from hermes_guard.rules.interpreters.rules import FAMILY

__all__ = ["FAMILY"]
