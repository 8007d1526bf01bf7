"""Declares the rules for version control."""

from hermes_guard.rules.family import Family

FAMILY = Family("git")

RESET = FAMILY.rule(
    "git.reset", "discards uncommitted changes, and commits that no branch refers to", effects=("delete",)
)
FORCE = FAMILY.rule("git.force-push", "overwrites what others have pushed", effects=("delete", "publish"))
REMOTE = FAMILY.rule("git.remote-delete", "deletes branches or tags on the remote", effects=("delete", "publish"))
FOREIGN = FAMILY.rule(
    "git.foreign-push",
    "pushes the code to an unusual host: {path}",
    effects=("publish", "network"),
)
CLEAN = FAMILY.rule("git.clean", "deletes files that git does not track", effects=("delete",))
BRANCH = FAMILY.rule(
    "git.branch-delete",
    "deletes or moves a branch, tag or reference even if its commits exist nowhere else",
    effects=("delete",),
)
DISCARD = FAMILY.rule("git.discard", "discards uncommitted changes: {path}", effects=("delete",))
STASH = FAMILY.rule("git.stash-drop", "deletes stashed changes", effects=("delete",))
PRUNE = FAMILY.rule("git.prune", "deletes the records and objects needed to recover lost commits", effects=("delete",))
REWRITE = FAMILY.rule("git.rewrite-history", "rewrites the history of the repository", effects=("delete",))
REMOVE = FAMILY.rule(
    "git.remove", "removes a work tree, submodule, remote or tracked directory by force", effects=("delete",)
)
CONFIG = FAMILY.rule(
    "git.config-code",
    "sets an option that makes git run code or contact another server: {path}",
    effects=("execute", "persist"),
)
EXECUTE = FAMILY.rule("git.executes", "makes git run another program: {path}", effects=("execute",))
SERVE = FAMILY.rule(
    "git.serve", "lets anyone who can reach this machine push to its repositories", effects=("network",)
)
HOSTED = FAMILY.rule(
    "git.hosted",
    "makes an irreversible change on the code host: {path}",
    effects=("delete", "publish"),
)
