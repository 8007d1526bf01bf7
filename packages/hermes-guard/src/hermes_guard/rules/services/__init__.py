"""Rules for services: stopped, restarted, or disabled."""

from hermes_guard.rules.services.rules import FAMILY

__all__ = ["FAMILY"]
