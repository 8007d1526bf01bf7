"""Declares the rules for deletes."""

from hermes_guard.rules.family import Family

FAMILY = Family("deletes")

RECURSIVE = FAMILY.rule("delete.recursive", "deletes a folder and everything in it: {path}", effects=("delete",))
BULK = FAMILY.rule("delete.bulk", "deletes many files, or files that nobody has named: {path}", effects=("delete",))
PROTECTED = FAMILY.rule(
    "delete.protected", "deletes a file that the system or an account needs: {path}", effects=("delete", "write")
)
SHRED = FAMILY.rule("delete.shred", "overwrites data so that nothing recovers it: {path}", effects=("delete",))
TRUNCATE = FAMILY.rule("delete.truncate", "cuts the content of a file away: {path}", effects=("delete",))
MIRROR = FAMILY.rule("delete.mirror", "deletes whatever the source does not have: {path}", effects=("delete",))
DISCARD = FAMILY.rule("delete.discard", "deletes what it has moved, packed or put away: {path}", effects=("delete",))
