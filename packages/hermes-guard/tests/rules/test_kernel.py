"""The kernel: the spellings an attacker would try."""

import pytest

from hermes_guard.guard import Guard

GUARD = Guard()

DANGEROUS = (
    "swapon /swapfile",
    "echo 1 | sudo tee /proc/sys/kernel/sysrq",
    "sysctl net.ipv4.ip_forward=1",
    "modprobe -rv nouveau",
    "setenforce Permissive",
    "insmod evil.ko -n",
    "insmod evil.ko help",
    "dmesg -Tc",
    "swapon --all",
)


@pytest.mark.parametrize("command", DANGEROUS)
def test_what_an_attacker_would_try_is_asked_about(command: str) -> None:
    assert "kernel.change" in GUARD.judge(command, home="/home/dev").rules


def test_a_trigger_of_the_kernel_is_asked_about() -> None:
    # The table of paths knows it, too.
    assert GUARD.judge("echo c > /proc/sysrq-trigger", home="/home/dev").severity != "allow"
