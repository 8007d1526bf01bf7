"""Containers and virtual machines: stopped, deleted, or given the run of the host."""

from hermes_guard.rules.containers.rules import FAMILY

__all__ = ["FAMILY"]
