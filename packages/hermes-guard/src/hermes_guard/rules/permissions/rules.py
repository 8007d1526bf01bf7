"""Declares the rules for permissions."""

from hermes_guard.rules.family import Family

FAMILY = Family("permissions")

WORLD = FAMILY.rule("permissions.world-writable", "lets every user write {path}", effects=("write", "privileged"))
SETID = FAMILY.rule(
    "permissions.set-id", "makes {path} run with the rights of its owner, whoever starts it", effects=("privileged",)
)
BROAD = FAMILY.rule(
    "permissions.broad", "changes owner or rights of everything in {path}", effects=("write", "privileged")
)
SYSTEM = FAMILY.rule(
    "permissions.system",
    "changes owner or rights of {path}, on which the machine relies",
    effects=("write", "privileged"),
)
ROOT = FAMILY.rule(
    "permissions.root-owner", "gives {path} and everything in it to root", effects=("write", "privileged")
)
ACL = FAMILY.rule("permissions.acl", "changes who else may use {path}", effects=("write", "privileged"))
FLAGS = FAMILY.rule(
    "permissions.file-flags",
    "changes whether {path} can be changed or deleted, or is checked before it runs",
    effects=("write", "privileged"),
)
