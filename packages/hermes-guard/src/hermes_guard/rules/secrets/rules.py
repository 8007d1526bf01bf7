"""Declares the rules for secrets."""

from hermes_guard.rules.family import Family

FAMILY = Family("secrets")

READ = FAMILY.rule("secret.read", "reads {path}: {why}", effects=("read",))
UPLOAD = FAMILY.rule("secret.upload", "sends {path} to another machine", effects=("read", "network"))
DNS = FAMILY.rule("secret.dns", "sends the output of a command in a DNS lookup: {path}", effects=("read", "network"))
PRINT = FAMILY.rule("secret.print", "prints secrets from a store: {path}", effects=("read",))
METADATA = FAMILY.rule(
    "secret.metadata", "asks the cloud for the machine's own credentials: {path}", effects=("read", "network")
)
PUBLISH = FAMILY.rule("secret.publish", "puts {path} where others can read it", effects=("network", "message"))
SEARCH = FAMILY.rule(
    "secret.search", "searches the whole machine or home for keys and passwords: {path}", effects=("read",)
)
TUNNEL = FAMILY.rule(
    "secret.expose", "opens this machine or one of its directories to others: {path}", effects=("network", "read")
)
