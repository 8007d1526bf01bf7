"""The machine itself: how it starts and sleeps, its clock, name and settings, and what it has recorded."""

from hermes_guard.rules.machine.rules import FAMILY

__all__ = ["FAMILY"]
