"""The machine itself: the spellings an attacker would try."""

import pytest

from hermes_guard.guard import Guard

GUARD = Guard()

DANGEROUS = (
    "grub-mkconfig -o /boot/grub/grub.cfg",
    "hostnamectl hostname evil",
    'sudo date --set "2020-01-01"',
    "efibootmgr --delete-bootnum -b 1",
)


@pytest.mark.parametrize("command", DANGEROUS)
def test_what_an_attacker_would_try_is_asked_about(command: str) -> None:
    assert "boot.change" in GUARD.judge(command, home="/home/dev").rules
