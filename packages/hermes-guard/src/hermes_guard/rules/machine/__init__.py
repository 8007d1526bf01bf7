"""Rules for the machine itself: boot, sleep, clock, name, settings, and logs."""

from hermes_guard.rules.machine.rules import FAMILY

__all__ = ["FAMILY"]
