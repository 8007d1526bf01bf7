"""Declares the rules for writes."""

from hermes_guard.rules.family import Family

FAMILY = Family("writes")

SYSTEM = FAMILY.rule("write.system", "writes {path}: {why}", effects=("write", "privileged"))
STARTUP = FAMILY.rule("write.startup", "writes {path}: {why}", effects=("write", "exec"))
SSH = FAMILY.rule("write.ssh", "writes {path}: {why}", effects=("write", "exec"))
CREDENTIALS = FAMILY.rule("write.credentials", "writes {path}: {why}", effects=("write",))
AGENT = FAMILY.rule("write.agent-config", "writes {path}: {why}", effects=("write", "privileged"))
LATER = FAMILY.rule("write.runs-later", "writes {path}: {why}", effects=("write", "exec"))
PROJECT = FAMILY.rule(
    "write.project-secrets", "writes {path}: it holds the settings and secrets of a project", effects=("write",)
)
DEVICE = FAMILY.rule("write.device", "writes {path}: {why}", effects=("write", "privileged"))
OUTSIDE = FAMILY.rule("write.protected", "writes {path}: {why}", effects=("write",))
LINK = FAMILY.rule(
    "write.link",
    "creates another name for {path}, which hides later reads and writes",
    effects=("write",),
)
ARCHIVE = FAMILY.rule(
    "write.archive",
    "unpacks an archive that decides where to write or what to run: {path}",
    effects=("write", "exec"),
)
SETTING = FAMILY.rule(
    "write.system-setting", "changes a setting of the whole machine: {program} {path}", effects=("write", "privileged")
)
RC_TOOL = FAMILY.rule(
    "write.startup-tool", "lets {program} rewrite the start-up files of the shell", effects=("write", "exec")
)
LOGIN = FAMILY.rule("write.login", "changes stored logins or keys: {program} {path}", effects=("write",))
UNKNOWN_PATCH = FAMILY.rule("write.patch", "patches files of the machine: {path}", effects=("write",))
