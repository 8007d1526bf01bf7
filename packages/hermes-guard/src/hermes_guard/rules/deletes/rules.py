"""Declares the rules for deletes."""

from hermes_guard.rules.family import Family

FAMILY = Family("deletes")

RECURSIVE = FAMILY.rule("delete.recursive", "deletes a directory and everything in it: {path}", effects=("delete",))
BULK = FAMILY.rule("delete.bulk", "deletes many files, or files that it does not name: {path}", effects=("delete",))
PROTECTED = FAMILY.rule(
    "delete.protected", "deletes a file that the system or an account needs: {path}", effects=("delete", "write")
)
SHRED = FAMILY.rule("delete.shred", "overwrites data so that it cannot be recovered: {path}", effects=("delete",))
TRUNCATE = FAMILY.rule("delete.truncate", "empties or truncates a file: {path}", effects=("delete",))
MIRROR = FAMILY.rule("delete.mirror", "deletes files that the source does not have: {path}", effects=("delete",))
DISCARD = FAMILY.rule(
    "delete.discard", "deletes files by moving or archiving them, or empties the trash: {path}", effects=("delete",)
)
