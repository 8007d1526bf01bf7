"""Declares the rules for packages."""

from hermes_guard.rules.family import Family

FAMILY = Family("packages")

REMOVE = FAMILY.rule("package.remove", "removes installed packages: {path}", effects=("delete",))
PUBLISH = FAMILY.rule("package.publish", "publishes or withdraws a package: {path}", effects=("publish",))
SOURCE = FAMILY.rule(
    "package.source",
    "installs from an untrusted source, or bypasses a safeguard: {path}",
    effects=("execute",),
)
LOOKALIKE = FAMILY.rule(
    "package.look-alike",
    "installs a package whose name mixes look-alike letters: {path}",
    effects=("execute", "unknown"),
)
