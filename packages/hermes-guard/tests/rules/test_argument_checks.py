"""Ordinary commands for firewall, network, kernel, machine and disks, and the checks that these rules share."""

import pytest

from hermes_guard.argv import Spec
from hermes_guard.guard import Guard
from hermes_guard.rules import disks, firewall, kernel, machine, network
from hermes_guard.rules.common.argument_checks import (
    Arguments,
    Check,
    any_word,
    first,
    flag,
    letter,
    option,
    verb,
    words,
)
from hermes_guard.shell.word import Word

GUARD = Guard()
OWN = {rule.id for module in (disks, firewall, kernel, machine, network) for rule in module.FAMILY.rules}

ORDINARY = (
    "echo 'SELECT 1;' | psql",
    "iptables -L -n -v",
    "ip a",
    "ip route show",
    "ip -br link",
    "ip a s eth0",
    "ip r s t 100",
    "ip l l",
    "ip xfrm state list",
    "ip link add help",
    "ifconfig -a",
    "nmcli device wifi list",
    "nft -a list ruleset",
    "nft 'list tables; list chains'",
    "ipset list blocked",
    "ipset -n list",
    "ufw help",
    "pfctl -si",
    "pfctl -a anchor -sr",
    "sysctl -a | grep mem",
    "lsmod | head",
    "insmod --help",
    "dmesg -T | tail",
    "dmesg --follow",
    "dmesg -l crit,err",
    "mount | column -t",
    "df -h",
    "lsblk -f",
    "fdisk -l",
    "sudo parted -l",
    "lvextend -t -l +10 vg/lv",
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


@pytest.mark.parametrize("command", ORDINARY)
def test_an_ordinary_day_hears_nothing_of_these_rules(command: str) -> None:
    assert not OWN & set(GUARD.judge(command, home="/home/dev").rules)


def given(text: str) -> Arguments:
    return Arguments(tuple(Word(part, part, (0, 0)) for part in text.split()))


@pytest.mark.parametrize(
    ("check", "text"),
    [
        (verb("stop down"), "-v down x"),
        (first("erase"), "erase down"),
        (any_word("flush"), "-v a flush"),
        (words(2), "a -x b"),
        (flag("-n --no-act"), "a --no-act"),
        (letter("dD"), "-vd x"),
        (option(Spec("n= c"), "c"), "-n x -c"),
        (verb("a") & ~flag("-n"), "a -v"),
        (verb("a") | flag("-n"), "b -n"),
    ],
)
def test_a_check_holds(check: Check, text: str) -> None:
    assert check.holds(given(text))


@pytest.mark.parametrize(
    ("check", "text"),
    [
        (verb("stop down"), "x down"),
        (first("erase"), "-v erase"),
        (any_word("flush"), "--flush"),
        (words(2), "a -x -y"),
        (flag("-n --no-act"), "a -vn"),
        (letter("dD"), "--dry d"),
        (option(Spec("n= c"), "c"), "-n -c"),
        (verb("a") & ~flag("-n"), "a -n"),
        (verb("a") | flag("-n"), "b -v"),
    ],
)
def test_a_check_does_not_hold(check: Check, text: str) -> None:
    assert not check.holds(given(text))
