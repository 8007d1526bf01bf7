"""Disks: the spellings an attacker would try."""

import pytest

from hermes_guard.guard import Guard

GUARD = Guard()

RAW_READS = ("dd if=/dev/sda of=disk.img", "sudo strings /dev/mem")
CHANGES = (
    "mount -o remount,ro /",
    "umount -f /data",
    "lvextend -L +10G /dev/vg/root",
    "zfs set readonly=on tank",
    "mdadm -S /dev/md0",
    "cryptsetup luksKillSlot /dev/sda2 1",
    "badblocks -wsv disk.img",
    "xfs_admin -L x /dev/sda1",
    "lvreduce -l 50 vg/lv",
    "mount -R /tmp /etc",
    "mount -M /a /b",
    "mount --source /tmp/x --target /etc --bind",
    "fdisk -walways /dev/sda",
    "sgdisk -og /dev/sda",
)


@pytest.mark.parametrize(
    ("rule", "command"),
    [*(("disk.raw-read", command) for command in RAW_READS), *(("disk.change", command) for command in CHANGES)],
)
def test_what_an_attacker_would_try_is_asked_about(rule: str, command: str) -> None:
    assert rule in GUARD.judge(command, home="/home/dev").rules
