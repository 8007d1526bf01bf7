"""Declares the rules for disks."""

from hermes_guard.rules.family import Family

FAMILY = Family("disks")

DISK = FAMILY.rule("disk.change", "changes partitions, volumes or file systems: {path}", effects=("disk",))
SNAPSHOT = FAMILY.rule(
    "disk.snapshot", "deletes snapshots, or puts one over what is there now: {path}", effects=("disk", "delete")
)
HOLES = FAMILY.rule("disk.holes", "takes a part of its content out of {path}", effects=("delete",))
READ = FAMILY.rule("disk.raw-read", "reads the raw disk {path}, past every permission", effects=("read", "disk"))
