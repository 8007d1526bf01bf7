"""Declares the rules for interpreters."""

from hermes_guard.rules.family import Family

FAMILY = Family("interpreters")

AGENT = FAMILY.rule(
    "interpreter.agent",
    "{program} uses the agent's own modules, or changes their settings: {path}",
    effects=("privileged", "exec"),
)
SPAWN = FAMILY.rule("interpreter.spawn", "{program} starts another program from its code: {path}", effects=("execute",))
DELETE = FAMILY.rule("interpreter.delete", "{program} deletes files: {path}", effects=("delete",))
WRITE = FAMILY.rule("interpreter.file", "{program} touches a protected file: {path}", effects=("write",))
EVAL = FAMILY.rule(
    "interpreter.eval", "{program} runs code that is unknown until it runs: {path}", effects=("execute", "unknown")
)
FETCHED = FAMILY.rule(
    "interpreter.remote", "{program} fetches code and runs it: {path}", effects=("execute", "network")
)
SENT = FAMILY.rule(
    "interpreter.exfiltration",
    "{program} sends secrets from the environment to another machine: {path}",
    effects=("network", "read"),
)
REVERSE = FAMILY.rule(
    "interpreter.reverse-shell", "{program} connects a program to a socket", effects=("network", "execute")
)
BOMB = FAMILY.rule(
    "hardline.fork-loop",
    "{program} forks without limit until the machine stops responding",
    severity="refuse",
    effects=("processes",),
)
RIGHTS = FAMILY.rule("interpreter.permissions", "{program} changes permissions: {path}", effects=("permissions",))
KILL = FAMILY.rule("interpreter.kill", "{program} ends processes: {path}", effects=("processes",))
NATIVE = FAMILY.rule(
    "interpreter.native",
    "{program} calls native functions of the system's library: {path}",
    effects=("execute", "unknown"),
)
UNREADABLE = FAMILY.rule(
    "interpreter.unreadable", "{program} is given code that cannot be read: {path}", effects=("unknown",)
)
