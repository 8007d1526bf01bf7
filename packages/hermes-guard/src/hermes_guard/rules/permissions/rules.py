"""Declares the rules for permissions."""

from hermes_guard.rules.family import Family

FAMILY = Family("permissions")

WORLD = FAMILY.rule("permissions.world-writable", "lets every user write to {path}", effects=("write", "privileged"))
SETID = FAMILY.rule(
    "permissions.set-id",
    "makes {path} run with the rights of its owner, no matter who starts it",
    effects=("privileged",),
)
BROAD = FAMILY.rule(
    "permissions.broad", "changes the owner or permissions of everything in {path}", effects=("write", "privileged")
)
SYSTEM = FAMILY.rule(
    "permissions.system",
    "changes the owner or permissions of {path}, which the system needs",
    effects=("write", "privileged"),
)
ROOT = FAMILY.rule(
    "permissions.root-owner", "gives {path} and everything in it to root", effects=("write", "privileged")
)
ACL = FAMILY.rule("permissions.acl", "changes the access control list of {path}", effects=("write", "privileged"))
FLAGS = FAMILY.rule(
    "permissions.file-flags",
    "changes whether {path} can be changed or deleted, or is checked before it runs",
    effects=("write", "privileged"),
)
