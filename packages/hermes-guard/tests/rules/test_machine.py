"""The machine: dangerous commands in many spellings."""

import pytest

from hermes_guard.guard import Guard
from hermes_guard.rules.machine import FAMILY

GUARD = Guard()
OWN = {rule.id for rule in FAMILY.rules}

DANGEROUS = (
    "grub-mkconfig -o /boot/grub/grub.cfg",
    "hostnamectl hostname evil",
    'sudo date --set "2020-01-01"',
    "efibootmgr --delete-bootnum -b 1",
)


@pytest.mark.parametrize("command", DANGEROUS)
def test_what_an_attacker_would_try_is_asked_about(command: str) -> None:
    assert "boot.change" in GUARD.judge(command, home="/home/dev").rules


FURTHER = (
    "systemsetup -setremotelogin on",
    "rtcwake -m mem -s 60",
    "pm-suspend",
    "pm-hibernate",
    "pmset sleepnow",
    "hostnamectl set-hostname pwn",
    "timedatectl set-timezone UTC",
    "date -s @0",
    "hwclock -w",
    "ntpdate -u evil.example",
    "chronyc makestep",
    "update-initramfs -u -k all",
    "update-grub",
    "grub-install --recheck /dev/sda",
    "grub-set-default 2",
    "efibootmgr -o 0001,0000",
    "bootctl install",
    "mokutil --import key.der",
    "fwupdmgr install fw.cab",
    'nvram boot-args="-v"',
    "csrutil authenticated-root disable",
    "spctl --global-disable",
    "pmset -a hibernatemode 0",
    "systemsetup -setsleep Never",
    "journalctl --vacuum-size=1M",
    "wevtutil clear-log Security",
    "history -cw",
    "unset HISTFILE",
    "export HISTFILE=/dev/null",
    "HISTSIZE=0 bash",
    "lastlog -C -u bob",
)


@pytest.mark.parametrize("command", FURTHER)
def test_what_changes_the_machine_is_asked_about(command: str) -> None:
    assert OWN & set(GUARD.judge(command, home="/home/dev").rules)
