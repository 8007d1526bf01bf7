"""Declares the rules for privilege."""

from hermes_guard.rules.family import Family

FAMILY = Family("privilege")

SUDO_PASSWORD = FAMILY.rule(
    "privilege.sudo-password",
    "feeds a password to {program} or lets another program ask for it",
    effects=("privileged",),
)
ROOT_SHELL = FAMILY.rule(
    "privilege.root-shell",
    "opens a shell with the rights of another user, in which anything can happen",
    effects=("privileged", "exec"),
)
SUDOERS = FAMILY.rule("privilege.sudoers", "edits who may become root", effects=("privileged", "write"))
ACCOUNT = FAMILY.rule("privilege.account", "changes an account or a group: {path}", effects=("privileged",))
CAPABILITY = FAMILY.rule("privilege.capability", "gives a program rights of root: {path}", effects=("privileged",))
PRELOAD = FAMILY.rule(
    "privilege.environment",
    "hands a variable to a program with root's rights that makes it load foreign code: {path}",
    effects=("privileged", "exec"),
)
LOADED = FAMILY.rule(
    "privilege.loaded-code", "makes {program} start with code or programs from elsewhere: {path}", effects=("exec",)
)
PROTECTION = FAMILY.rule(
    "privilege.protection",
    "switches a protection of the machine off or trusts somebody new: {program} {path}",
    effects=("privileged",),
)
SCRIPTED = FAMILY.rule(
    "privilege.scripted-login", "types a password into a login or asks for an administrator", effects=("privileged",)
)

GUESSING = FAMILY.rule(
    "privilege.attack-tool", "guesses passwords or attacks other machines: {program}", effects=("privileged", "network")
)
ESCAPE = FAMILY.rule(
    "privilege.shell-escape", "runs a command that hides in an option of {program}: {path}", effects=("exec",)
)
