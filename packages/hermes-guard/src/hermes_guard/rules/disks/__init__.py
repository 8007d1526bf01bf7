"""Disks: partitions, volumes, file systems, mounts, snapshots, and what is read past them."""

from hermes_guard.rules.disks.rules import FAMILY

__all__ = ["FAMILY"]
