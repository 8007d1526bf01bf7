"""Rules for containers and virtual machines: stopping, deleting, and access to the host."""

from hermes_guard.rules.containers.rules import FAMILY

__all__ = ["FAMILY"]
