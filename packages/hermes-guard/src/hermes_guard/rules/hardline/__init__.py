"""What never runs: root or home wiped, disks overwritten, every process killed, the machine switched off."""

from hermes_guard.rules.hardline import disks, forks, power, processes, wipes
from hermes_guard.rules.hardline.disks import opened_by_socat
from hermes_guard.rules.hardline.rules import DISK, FAMILY

__all__ = ["DISK", "FAMILY", "disks", "forks", "opened_by_socat", "power", "processes", "wipes"]
