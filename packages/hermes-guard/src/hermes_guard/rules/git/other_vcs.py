"""Judges version control systems other than git."""

from collections.abc import Iterator

from hermes_guard.argv import Options, Spec, parse
from hermes_guard.rules.family import Context
from hermes_guard.rules.git.rules import (
    BRANCH,
    CLEAN,
    DISCARD,
    EXECUTE,
    FAMILY,
    FORCE,
    REMOTE,
    REMOVE,
    REWRITE,
)
from hermes_guard.rules.git.working_tree import is_tree
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding


@FAMILY.judges("bfg", "bfg.jar", "java")
def bfg(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about BFG, which always rewrites history."""
    words = [word.raw for word in command.args]
    if command.program == "java":
        jar = words[words.index("-jar") + 1 :] if "-jar" in words else []
        words = jar[1:] if jar and jar[0].rsplit("/", 1)[-1].startswith("bfg") else []
    if words and not {"--help", "--version"} & set(words):
        yield REWRITE.found(command)


_REPO = Spec(
    "force-sync force-remove-dirty force-checkout d detach n network-only j= jobs= c current-branch q all help"
)


@FAMILY.judges("repo")
def repo(command: Command, _: Context) -> Iterator[Finding]:
    """Judge Android's repo tool, which handles many work trees."""
    options = parse(command, _REPO)
    verb = options.subcommand()
    if options.helps:
        return
    if verb == "sync" and options.has("force-sync", "force-remove-dirty", "force-checkout"):
        yield DISCARD.found(command, path="what the remote does not have")
    elif verb == "abandon":
        yield BRANCH.found(command)


_HG = Spec(
    "R= repository= cwd= config= y noninteractive q quiet v verbose f force C clean a all r= rev= n dry-run "
    "p print m= message= B= bookmark= b= branch= "
    "e= ssh= remotecmd= X= I= no-backup keep k debug traceback help version"
)


@FAMILY.judges("hg", "sl", "chg")
def hg(command: Command, _: Context) -> Iterator[Finding]:
    """Judge Mercurial and its variants."""
    options = parse(command, _HG)
    verb = options.subcommand()
    if options.helps or options.has("n", "dry-run", "print") or (verb == "purge" and options.has("p")):
        return
    for word in options.values("config"):
        key, _sign, value = word.raw.partition("=")
        if key.startswith(("hooks.", "extensions.", "ui.ssh", "ui.editor", "merge-tools.")) or value.startswith("!"):
            yield EXECUTE.found(command, path=word.text)
    if verb in {"strip", "debugstrip", "rollback", "prune", "obsolete", "hide"} or (
        verb == "debugobsolete" and len(options.operands) > 1
    ):
        yield REWRITE.found(command)
    elif (verb in {"update", "up", "checkout", "co", "goto", "merge"} and options.has("C", "clean")) or (
        verb == "revert" and (options.has("a", "all") or _is_wide(options))
    ):
        yield DISCARD.found(command, path="all of them")
    elif verb in {"purge", "clean"}:
        yield CLEAN.found(command)
    elif verb == "push" and options.has("f", "force"):
        yield FORCE.found(command)


_OTHERS = Spec(
    "m= message= r= revision= R recursive depth= force f q username= password= from= to= B= p= c= t= a all "
    "help version dry-run n C expire= remove-unversioned remove-ignored remote= b= deleted"
)
_REWRITES = {
    "darcs": frozenset({"obliterate", "unpull", "unrecord"}),
    "fossil": frozenset({"purge", "scrub"}),
    "p4": frozenset({"obliterate"}),
    "svnadmin": frozenset({"rmtxns"}),
    "bzr": frozenset({"uncommit"}),
    "brz": frozenset({"uncommit"}),
}


@FAMILY.judges("svn")
def svn(command: Command, _: Context) -> Iterator[Finding]:
    """Judge Subversion, where deleting a URL is a commit."""
    options = parse(command, _OTHERS)
    if options.helps or options.has("dry-run"):
        return
    verb = options.subcommand()
    if verb in {"delete", "del", "remove", "rm"} and (
        options.has("force") or any("://" in word.raw for word in options.operands[1:])
    ):
        yield REMOVE.found(command)
    elif verb == "revert" and (options.has("R", "recursive", "depth") or _is_wide(options)):
        yield DISCARD.found(command, path="all of them")
    elif verb == "cleanup" and options.has("remove-unversioned", "remove-ignored"):
        yield CLEAN.found(command)


@FAMILY.judges("jj")
def jj(command: Command, _: Context) -> Iterator[Finding]:
    """Judge Jujutsu, whose operation log restores everything except abandoned commits."""
    options = parse(command, _OTHERS)
    if options.helps or options.has("dry-run"):
        return
    verb, second = options.subcommand(), options.subcommand(1)
    if (
        verb == "abandon"
        or (verb in {"op", "operation"} and second in {"abandon", "restore"})
        or (verb == "util" and second == "gc" and options.has("expire"))
    ):
        yield REWRITE.found(command)
    elif verb in {"bookmark", "branch", "b"} and second in {"delete", "d", "forget"}:
        yield BRANCH.found(command)
    elif verb == "git" and second == "push" and options.has("deleted"):
        yield REMOTE.found(command)
    elif verb == "restore" and len(options.operands) == 1 and not options.has("from", "to"):
        yield DISCARD.found(command, path="all of them")


@FAMILY.judges("svnadmin", "darcs", "fossil", "bzr", "brz", "p4", "cvs")
def others(command: Command, _: Context) -> Iterator[Finding]:
    """Judge the other systems."""
    options = parse(command, _OTHERS)
    if options.helps or options.has("dry-run"):
        return
    program, verb = command.program or "", options.subcommand()
    if verb in _REWRITES.get(program, ()):
        yield REWRITE.found(command)
    elif (
        verb in {"clean", "clean-tree"}
        or (verb == "revert" and (program == "darcs" or _is_wide(options) or _names_nothing(program, options)))
        or (program == "cvs" and verb in {"update", "up"} and options.has("C"))
    ):
        yield DISCARD.found(command, path="all of them")


def _names_nothing(program: str, options: Options) -> bool:
    """Return True where a verb without a file affects all files."""
    return program in {"fossil", "bzr", "brz"} and len(options.operands) == 1


def _is_wide(options: Options) -> bool:
    """Return True when a path after the verb names more than one file."""
    return any(is_tree(word) or word.raw.endswith("...") for word in options.operands[1:])
