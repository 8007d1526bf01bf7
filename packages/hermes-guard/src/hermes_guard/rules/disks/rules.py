"""Declares the rules for disks."""

from hermes_guard.rules.family import Family

FAMILY = Family("disks")

DISK = FAMILY.rule("disk.change", "changes partitions, volumes or file systems: {path}", effects=("disk",))
SNAPSHOT = FAMILY.rule("disk.snapshot", "deletes snapshots, or rolls back to one: {path}", effects=("disk", "delete"))
HOLES = FAMILY.rule("disk.holes", "removes part of the content of {path}", effects=("delete",))
READ = FAMILY.rule("disk.raw-read", "reads the raw disk {path}, bypassing file permissions", effects=("read", "disk"))
