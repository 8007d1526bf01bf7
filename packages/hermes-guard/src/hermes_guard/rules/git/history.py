"""Judges git verbs that lose commits, or the means to restore them."""

from collections.abc import Iterator

from hermes_guard.argv import Spec
from hermes_guard.rules.git.rules import BRANCH, PRUNE, REWRITE
from hermes_guard.rules.git.verbs import Call, verb
from hermes_guard.verdict import Finding

_BRANCH = Spec(
    "d D m M c C f l a r v q t i u= delete move copy force list all remotes verbose quiet track? no-track "
    "set-upstream-to= unset-upstream edit-description contains= no-contains= merged? no-merged? points-at= sort= "
    "format= color? column? abbrev? show-current create-reflog ignore-case help"
)
_TAG = Spec(
    "a s f d v l n? m= F= u= e i delete verify list force annotate sign message= file= local-user= edit "
    "cleanup= contains= no-contains= merged? no-merged? points-at= sort= format= color? column? "
    "create-reflog help"
)


@verb("branch", options=_BRANCH)
def branch(call: Call) -> Iterator[Finding]:
    """Allow `-d`, which keeps unmerged branches, and ask about `-D`."""
    options = call.options
    if options.has("D") or (options.has("f", "force") and not options.has("m", "move", "c", "copy")):
        yield BRANCH.found(call.command)


@verb("tag", options=_TAG)
def tag(call: Call) -> Iterator[Finding]:
    """Ask about deleting tags, which have no reflog."""
    if call.options.has("d", "delete", "f", "force"):
        yield BRANCH.found(call.command)


@verb("update-ref", "symbolic-ref")
def update_ref(call: Call) -> Iterator[Finding]:
    """Judge the plumbing commands below branch and tag."""
    options = call.options
    moved = len(options.operands) > 1 and options.subcommand().startswith("refs/heads/")
    if moved or options.has("d", "delete", "stdin"):
        yield BRANCH.found(call.command)


@verb("filter-branch", "filter-repo")
def rewrite(call: Call) -> Iterator[Finding]:
    """Ask about rewriting every commit."""
    if call.rest and not call.options.has("analyze", "dry-run", "help"):
        yield REWRITE.found(call.command)


@verb("rebase")
def rebase(call: Call) -> Iterator[Finding]:
    """Ask about rewriting all commits from the root."""
    if call.options.has("root") and not call.options.has("abort", "continue", "skip", "onto"):
        yield REWRITE.found(call.command)


#: Subcommands that delete, by verb.
_DELETES = {
    "reflog": frozenset({"expire", "delete", "drop"}),
    "lfs": frozenset({"prune"}),
    "annex": frozenset({"dropunused", "uninit"}),
    "notes": frozenset({"remove", "prune"}),
    "credential": frozenset({"fill", "reject"}),
}


@verb("prune", "gc", *_DELETES)
def prune(call: Call) -> Iterator[Finding]:
    """Ask about deleting reflogs, objects, notes and large files."""
    options, first = call.options, call.options.subcommand()
    if options.has("n", "dry-run") or options.helps:
        return
    if call.verb == "lfs" and first == "migrate":
        if options.subcommand(1) in {"import", "export"}:
            yield REWRITE.found(call.command)
    elif (
        call.verb == "prune"
        or first in _DELETES.get(call.verb, ())
        or (call.verb == "gc" and _prunes_now(call))
        or (call.verb == "annex" and first == "drop" and options.has("f", "force"))
    ):
        yield PRUNE.found(call.command)


def _prunes_now(call: Call) -> bool:
    """Return True when gc deletes very recent objects."""
    when = call.options.value("prune")
    if when is not None and (
        not when.certain or when.raw in {"now", "all", "0"} or "second" in when.raw or "minute" in when.raw
    ):
        return True
    return any("expire=now" in word.raw.lower() for word in call.command.args)
