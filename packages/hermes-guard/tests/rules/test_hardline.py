"""The hard line: spellings of what never runs, and what only looks like it."""

import pytest

from hermes_guard import judge

HOME = "/home/dev"

REFUSED = {
    "hardline.wipe": (
        "tar -C/etc --remove-files -cf x.tar .",
        "tar --remove -cf x.tar /etc",
        "rsync -a --delete -e ssh empty/ /",
        "rsync -a --del empty/ / --max-delete 5",
        "mv -t /dev/null /etc",
    ),
    "hardline.disk": (
        "badblocks -wsv /dev/sda 4096",
        "badblocks -b 4096 -w /dev/sda",
        "sgdisk -o /dev/sda",
        "sgdisk -og /dev/sda",
        "nvme -v format /dev/nvme0n1",
        "socat -u - OPEN:/dev/sda",
        "ddrescue -f -r 3 x.img /dev/sda map",
        "ddrescue -t x.img /dev/sda",
        "partclone.restore -s x.img -o /dev/sda1",
        "gshred /dev/sda",
        "gdd if=x of=/dev/sda",
    ),
    "hardline.power": (
        "busctl call org.freedesktop.login1 /org/freedesktop/login1 org.freedesktop.login1.Manager Reboot b true",
        "dbus-send --system --dest=org.freedesktop.ConsoleKit / org.freedesktop.ConsoleKit.Manager.Stop",
        "osascript -e 'tell app \"System Events\" to shut down'",
    ),
}
NOT_REFUSED = (
    "tar -C /etc -cf x.tar .",
    "rsync -an --delete empty/ /",
    "rsync -a -e / --delete src/ dst/",
    "badblocks -sv /dev/sda",
    "badblocks -n /dev/sda",
    "sgdisk -P -Z /dev/sda",
    "sgdisk -p /dev/sda",
    "sgdisk -c 1:Zoo /dev/sda",
    "nvme list",
    "socat -u OPEN:/dev/sda -",
    "wipefs -an /dev/sda",
    "ddrescue /dev/sda x.img map",
    "busctl call org.freedesktop.login1 / org.freedesktop.login1.Manager ListSessions",
    "osascript -e 'tell app \"Finder\" to activate'",
)


@pytest.mark.parametrize(
    ("rule", "command"), [(rule, command) for rule, commands in REFUSED.items() for command in commands]
)
def test_another_spelling_is_refused_too(rule: str, command: str) -> None:
    found = judge(command, cwd="/home/dev/project", home=HOME).findings
    assert rule in {finding.rule for finding in found if finding.severity == "refuse"}


@pytest.mark.parametrize("command", NOT_REFUSED)
def test_what_only_looks_like_it_is_not_refused(command: str) -> None:
    assert judge(command, cwd="/home/dev/project", home=HOME).severity != "refuse"
