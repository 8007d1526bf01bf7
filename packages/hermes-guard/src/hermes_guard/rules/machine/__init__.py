"""The machine itself: how it starts, its clock and name, and what it has recorded."""

from hermes_guard.rules.machine import boot, clock, records
from hermes_guard.rules.machine.rules import FAMILY

__all__ = ["FAMILY", "boot", "clock", "records"]
