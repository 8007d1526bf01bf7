"""Rules for disks: partitions, volumes, file systems, mounts, snapshots, and raw reads."""

from hermes_guard.rules.disks.rules import FAMILY

__all__ = ["FAMILY"]
