"""Declares the rules that always refuse."""

from hermes_guard.rules.family import Family

FAMILY = Family("hardline")

WIPE = FAMILY.rule("hardline.wipe", "wipes {path}", severity="refuse", effects=("delete",))
FORMAT = FAMILY.rule("hardline.format", "makes a file system on {path}", severity="refuse", effects=("disk",))
IMAGE = FAMILY.rule("disk.image-format", "makes a file system in {path}, whose content is lost", effects=("disk",))
DISK = FAMILY.rule("hardline.disk", "overwrites the raw disk {path}", severity="refuse", effects=("disk",))
FORK = FAMILY.rule(
    "hardline.fork-bomb",
    "starts processes without limit until the machine stops responding",
    severity="refuse",
    effects=("processes",),
)
KILL = FAMILY.rule("hardline.kill-all", "signals every process: {path}", severity="refuse", effects=("processes",))
POWER = FAMILY.rule("hardline.power", "switches the machine off or restarts it", severity="refuse", effects=("power",))
