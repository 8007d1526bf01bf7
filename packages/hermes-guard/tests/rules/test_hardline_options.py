"""Options that hide a refused command, or make it a dry run."""

import pytest

from hermes_guard import judge

REFUSED = [
    "systemctl --boot-loader-menu 0 reboot",
    "systemctl --boot-loader-entry x reboot",
    "systemctl --reboot-argument x reboot",
    "systemctl --timestamp unix --image /x poweroff",
    "systemctl -P x halt",
    "systemctl restart reboot.target",
    "systemctl try-restart poweroff.target",
    "systemctl reload-or-restart kexec.target",
    "systemctl enable --now halt.target",
    "systemctl reenable --now poweroff.target",
    "systemctl restart systemd-poweroff.service",
    "systemctl isolate runlevel6",
    "mkfs -V /dev/sda1",
    "mkfs -V -t ext4 /dev/sda1",
    "mkfs.ext4 -L -n /dev/sda1",
    "mkfs -t ext4 -L -n /dev/sda1",
    "mke2fs -L -V /dev/sda1",
    "mkfs.xfs -L -N /dev/sda1",
    "mkfs.ntfs -L -n /dev/sda1",
    "zpool create -m -n tank /dev/sda",
    "zpool create -O -n tank sda",
    "zpool create -t x tank /dev/sda",
    "pvcreate --uuid -t /dev/sda",
    "kill -9 -01",
    "kill -s KILL -001",
    "kill -9 ' -1'",
    "kill --signal KILL -1",
    "kill -n 9 -- -1",
    "pkill '[a-z]'",
    "pkill '[[:alpha:]]'",
    "pkill '[^x]'",
    "pkill 'a|.*'",
    "pkill '(.*)'",
    "pkill '^.'",
    "pkill 'x*'",
    "pkill -x '.*'",
    "pkill -9 '.{1,}'",
    "pkill -v x",
    "killall -r '[a-z]'",
    "killall -9 --regexp '\\w'",
    "kill -9 $(pgrep '[a-z]')",
]
NOT_REFUSED = [
    "systemctl --when=cancel poweroff",
    "systemctl --when= poweroff",
    "systemctl --when=show reboot",
    "systemctl status reboot.target",
    "systemctl enable reboot.target",
    "systemctl start reboot",
    "systemctl -H host reboot",
    "systemctl --what all restart nginx",
    "systemctl --new-option x reboot",
    "mkfs -V",
    "mkfs -V -V -t ext4 /dev/sda1",
    "mkfs -t ext4 -n /dev/sda1",
    "mkfs.ext4 -V",
    "mkfs.ext4 -n -L x /dev/sda1",
    "mkfs.xfs -N /dev/sda1",
    "mkntfs --no-action /dev/sda1",
    "zpool create -n tank /dev/sda",
    "pvcreate -t /dev/sda",
    "kill -0 -1",
    "kill -l -1",
    "kill -1 1234",
    "kill -9 -0x1",
    "pkill -0 '.*'",
    "pkill -0 -v x",
    "pkill -x '[a-z]'",
    "pkill '^.$'",
    "pkill '[0-9]'",
    "pkill 'node|python'",
    "pkill 'py.*'",
    "pkill '[n]ode'",
    "killall -r 'node.*'",
]


@pytest.mark.parametrize("command", REFUSED)
def test_no_option_lifts_the_hardline(command: str) -> None:
    assert judge(command, home="/home/dev").refused


@pytest.mark.parametrize("command", NOT_REFUSED)
def test_dry_runs_and_neighbours_are_not_refused(command: str) -> None:
    assert not judge(command, home="/home/dev").refused


def test_an_option_that_nobody_knows_is_a_question() -> None:
    assert judge("systemctl --new-option x reboot").severity == "ask"


def test_patterns_take_no_time(seconds: object) -> None:
    assert callable(seconds)
    for pattern in (".*" * 30 + "x", "(" * 60, "[a-z" * 15, "a|" * 31, "\\w" * 31):
        assert seconds(f"pkill '{pattern}'") < 0.05
