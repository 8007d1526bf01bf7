"""Declares the rules for remote code."""

from hermes_guard.rules.family import Family

FAMILY = Family("remote_code")

PIPED = FAMILY.rule("remote.pipe", "runs the output of {path}", effects=("execute", "network"))
SUBSTITUTED = FAMILY.rule("remote.substitution", "runs the output of {path}", effects=("execute", "network"))
SAVED = FAMILY.rule(
    "remote.save-and-run", "runs {path}, which the same command has fetched", effects=("execute", "network")
)
MADE_EXECUTABLE = FAMILY.rule(
    "remote.make-and-run", "makes {path} executable and runs it at once", effects=("execute",)
)
ADDRESS = FAMILY.rule(
    "remote.address", "runs or installs code directly from an address: {path}", effects=("execute", "network")
)
DECEPTIVE = FAMILY.rule(
    "remote.deceptive-host", "contacts a host whose name imitates another one: {path}", effects=("network",)
)
POWERSHELL = FAMILY.rule(
    "remote.powershell", "runs code that is hidden, fetched or destructive: {path}", effects=("execute",)
)
