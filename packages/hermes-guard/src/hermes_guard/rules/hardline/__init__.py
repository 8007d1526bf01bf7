"""Rules that always refuse: wiping root or home, overwriting disks, killing every process, powering off."""

from hermes_guard.rules.hardline.rules import FAMILY

__all__ = ["FAMILY"]
