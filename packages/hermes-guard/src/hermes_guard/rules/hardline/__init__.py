"""What never runs: root or home wiped, disks overwritten, every process killed, the machine switched off."""

from hermes_guard.rules.hardline.rules import FAMILY

__all__ = ["FAMILY"]
