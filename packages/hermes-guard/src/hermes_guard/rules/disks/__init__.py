"""Disks: partitions, volumes, file systems, mounts, and what is read past them."""

from hermes_guard.rules.disks import devices, filesystems, mounts, partitions, raw_reads, volumes
from hermes_guard.rules.disks.rules import FAMILY

__all__ = ["FAMILY", "devices", "filesystems", "mounts", "partitions", "raw_reads", "volumes"]
