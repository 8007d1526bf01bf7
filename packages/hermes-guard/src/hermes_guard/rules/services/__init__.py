"""Services: stopped, restarted, or kept from starting."""

from hermes_guard.rules.services.rules import FAMILY

__all__ = ["FAMILY"]
