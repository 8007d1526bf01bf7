"""Firewall, kernel and disks: the spellings an attacker would try, and a day of ordinary commands."""

import pytest

from hermes_guard.guard import Guard
from hermes_guard.rules.firewall_kernel import FAMILY

GUARD = Guard()
OWN = {rule.id for rule in FAMILY.rules}

DANGEROUS = (
    "dd if=/dev/sda of=disk.img",
    "sudo strings /dev/mem",
    "mount -o remount,ro /",
    "umount -f /data",
    "lvextend -L +10G /dev/vg/root",
    "zfs set readonly=on tank",
    "swapon /swapfile",
    "mdadm -S /dev/md0",
    "cryptsetup luksKillSlot /dev/sda2 1",
    "badblocks -wsv disk.img",
    "xfs_admin -L x /dev/sda1",
    "iptables -w -F",
    "nft delete table inet filter",
    "ufw deny out",
    "ip link set dev eth0 mtu 9000",
    "ip route replace default via 1.1.1.1",
    "echo 1 | sudo tee /proc/sys/kernel/sysrq",
    "echo c > /proc/sysrq-trigger",
    "sysctl net.ipv4.ip_forward=1",
    "modprobe -rv nouveau",
    "setenforce Permissive",
    "grub-mkconfig -o /boot/grub/grub.cfg",
    "hostnamectl hostname evil",
    'sudo date --set "2020-01-01"',
    "efibootmgr --delete-bootnum -b 1",
)
ORDINARY = (
    "echo 'SELECT 1;' | psql",
    "iptables -L -n -v",
    "ip a",
    "ip route show",
    "ip -br link",
    "ifconfig -a",
    "nmcli device wifi list",
    "sysctl -a | grep mem",
    "lsmod | head",
    "dmesg -T | tail",
    "dmesg --follow",
    "mount | column -t",
    "df -h",
    "lsblk -f",
    "fdisk -l",
    "sudo parted -l",
    "date +%Y-%m-%d",
    "date -d '1 day ago' +%F",
    "date -u -Iseconds",
    "date --iso-8601=seconds",
    "hostname",
    "timedatectl",
    "swapon --show",
    "zpool list",
    "zfs list -t snapshot",
    "hdparm -I /dev/sda",
    "journalctl -u app --since today",
    "history | grep ssh",
    "export HISTCONTROL=ignoreboth",
    "xargs -n1 -P4 bash -c 'process \"$0\"' < list",
    "dd if=/dev/zero of=test.img bs=1M count=10",
    "dd if=/dev/urandom bs=32 count=1 | base64",
    "set -o pipefail",
    "unset FOO",
    "kubectl apply -f x.yaml --dry-run=client",
)


@pytest.mark.parametrize("command", DANGEROUS)
def test_what_an_attacker_would_try_is_asked_about(command: str) -> None:
    assert GUARD.judge(command, home="/home/dev").severity != "allow"


@pytest.mark.parametrize("command", ORDINARY)
def test_an_ordinary_day_hears_nothing_of_these_rules(command: str) -> None:
    assert not OWN & set(GUARD.judge(command, home="/home/dev").rules)
