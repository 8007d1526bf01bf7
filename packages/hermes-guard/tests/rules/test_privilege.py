"""Privilege: ways to become somebody else, and ordinary uses of sudo."""

import time

import pytest

from hermes_guard.guard import Guard
from hermes_guard.rules.privilege import FAMILY

GUARD = Guard()
OWN = {rule.id for rule in FAMILY.rules}

ASKED = (
    "echo p|sudo -S id",
    "sudo -S id < pw",
    "sudo -Sk id",
    "sudo -kSp '' id",
    "sudo --prompt= --stdin id",
    "sudo -A -u root id",
    "printf 'p\\n' | sudo -u root -S -- id",
    "sudo su - root",
    "sudo -u root bash",
    "sudo -u root -s",
    "sudo -i bash",
    "sudo su -c id",
    "su -l",
    "su root -c id",
    "su - bob",
    "doas sh",
    "doas -u root bash",
    "pkexec /bin/bash",
    "sudo sh -i",
    "sudo bash -p",
    "sudo env -i bash",
    "sudo nice bash",
    "sudo usermod -aG docker $USER",
    "sudo usermod -a -G wheel bob",
    "gpasswd -a bob sudo",
    "adduser bob sudo",
    "echo 'bob:x' | sudo chpasswd",
    "sudo passwd -u root",
    "passwd -d bob",
    "useradd -o -u 0 evil",
    "sudo visudo",
    "sudo setcap cap_setuid+ep /usr/bin/python3",
    "chsh -s /tmp/sh bob",
    "sudo useradd -m -s /bin/bash -G sudo evil",
    "sudo addgroup bob docker",
    "sudo groupmod -g 0 bob",
    "net localgroup administrators bob /add",
    "sudo -u '#0' bash",
    "sudo chroot / bash",
    "sudo unshare -m bash",
    "sudo nsenter --target 1 --mount bash",
    "sudo find / -exec sh \\; -quit",
    "sudo less /etc/passwd -c '!sh'",
    "LD_PRELOAD=/tmp/x.so sudo -E id",
    "sudo --preserve-env=LD_PRELOAD id",
    "expect -c 'spawn ssh h; send \"pw\\r\"'",
    "yes pw | sudo -S id",
    "echo pw | sudo --stdin -k id",
    "ssh h 'echo pw | sudo -S id'",
    "gdb -ex ' shell sh' ./a",
    "gdb -eval-command '!sh' ./a",
    f"zip x.zip {'a ' * 400} -T -TT 'sh #'",
    "make $'a\\nb' --eval='x:;sh'",
    "csrutil --foo disable",
    "net user bob -pw",
)
QUIET = (
    "sudo chown -R $USER:$USER .",
    "sudo apt-get update",
    "sudo systemctl status docker",
    "sudo docker ps",
    "sudo -u postgres psql -c 'select 1'",
    "sudo -E make test",
    "sudo journalctl -u nginx -n 100",
    "sudo tail -f /var/log/syslog",
    "sudo -n true",
    "sudo -H pip list",
    "su --version",
    "id -un && groups",
    "passwd --help",
    "LD_LIBRARY_PATH=./lib ./app",
    "sudo ls /root",
    "sudo cat /var/log/auth.log",
    "sudo lsof -i :80",
    "id",
)
#: Nothing here may cost more than its length.
LONG = {
    "options of apt": "apt '" + "-o " * 10_000 + "'",
    "orders of psql": "psql -c '" + "\\copy " * 5_000 + "'",
    "folders of PATH": "PATH='" + "/tmp/" * 6_000 + "' ls",
    "spawns of expect": "expect -c '" + "spawn " * 5_000 + "'",
    "names of su": "su " + "a " * 16_000,
}


def _own(command: str) -> list[str]:
    return [rule for rule in GUARD.judge(command, home="/home/user").rules if rule in OWN]


@pytest.mark.parametrize("command", ASKED)
def test_an_attackers_spelling_is_asked_about(command: str) -> None:
    assert _own(command)


@pytest.mark.parametrize("command", QUIET)
def test_ordinary_work_is_left_alone(command: str) -> None:
    assert not _own(command)


@pytest.mark.parametrize("command", LONG.values(), ids=LONG.keys())
def test_long_arguments_are_judged_at_once(command: str) -> None:
    GUARD.judge("ls")
    assert min(_seconds(command) for _ in range(3)) < 0.1


def _seconds(command: str) -> float:
    started = time.process_time()
    GUARD.judge(command, home="/home/user")
    return time.process_time() - started
