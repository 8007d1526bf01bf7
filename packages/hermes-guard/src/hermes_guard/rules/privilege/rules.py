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
    "opens a shell as another user, in which any command can run",
    effects=("privileged", "exec"),
)
SUDOERS = FAMILY.rule("privilege.sudoers", "edits who may become root", effects=("privileged", "write"))
ACCOUNT = FAMILY.rule("privilege.account", "changes an account or a group: {path}", effects=("privileged",))
CAPABILITY = FAMILY.rule("privilege.capability", "gives a program root privileges: {path}", effects=("privileged",))
PRELOAD = FAMILY.rule(
    "privilege.environment",
    "sets a variable that makes a program with root privileges load foreign code: {path}",
    effects=("privileged", "exec"),
)
LOADED = FAMILY.rule(
    "privilege.loaded-code",
    "makes {program} load code or run programs from another location: {path}",
    effects=("exec",),
)
PROTECTION = FAMILY.rule(
    "privilege.protection",
    "disables a protection of the machine or trusts another party: {program} {path}",
    effects=("privileged",),
)
SCRIPTED = FAMILY.rule(
    "privilege.scripted-login", "types a password into a login or asks for an administrator", effects=("privileged",)
)

GUESSING = FAMILY.rule(
    "privilege.attack-tool", "guesses passwords or attacks other machines: {program}", effects=("privileged", "network")
)
ESCAPE = FAMILY.rule(
    "privilege.shell-escape", "runs a command hidden in an option of {program}: {path}", effects=("exec",)
)
