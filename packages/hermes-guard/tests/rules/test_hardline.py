"""Commands that are always refused, in many spellings, and harmless ones that look like them."""

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
    "sgdisk -Z disk.img",
    "wipefs -a disk.img",
    "sfdisk --delete disk.img",
    "parted -s disk.img mklabel gpt",
    "mkfs.ext4 -F ./disk.img",
    'mkfs.vfat "$IMAGE"',
    "dd if=/dev/zero of=/dev/loop0",
    "for d in $(lsblk -dno NAME); do dd if=/dev/$d of=$OUT/$d.img; done",
    "for f in $(ls /); do case $f in x) rm -rf /$f;; esac; done",
    "for f in $(ls ~); do [ $f = x ] && rm -rf ~/$f; done",
    "ls ~ | grep tmp | while read f; do rm -rf ~/$f; done",
    "mv ~/* /mnt/backup/",
    "pkill -STOP -x app",
    "killall -v -r 'ngin.*'",
    "rtcwake -m disk -s 60",
    "kill -0 -1",
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
