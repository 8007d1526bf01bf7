"""Judges git verbs that lose uncommitted work."""

from collections.abc import Iterator, Sequence

from hermes_guard import lazy_re as re
from hermes_guard.argv import Spec
from hermes_guard.rules.git.rules import BRANCH, CLEAN, DISCARD, REMOVE, RESET, STASH
from hermes_guard.rules.git.verbs import Call, verb
from hermes_guard.shell.word import Word
from hermes_guard.verdict import Finding

#: Project files without a suffix.
_SUFFIXLESS = re.compile(
    r"(?i:make|docker|proc|gem|pod|vagrant|jenkins|rake|cap|brew|pip|just|task|earth|tilt)file\Z|[A-Z]+\Z"
)


def is_tree(word: Word) -> bool:
    """Return True for a pathspec that names more than one file."""
    text = word.raw
    return (
        word.glob
        or text.rstrip("/") in {".", "..", ":", ":/", "*", ":(top)", "./", ""}
        or text.endswith("/")
        or "*" in text
        or text.startswith((":/", ":(", "../"))
    )


def broad(paths: Sequence[Word]) -> list[Word]:
    """Return the paths that name more than one file: a directory, a pattern, or several at once."""
    if len(paths) > 1:
        return list(paths)
    return [word for word in paths if is_tree(word) or _is_folder(word)]


def _is_folder(word: Word) -> bool:
    """Return True for a path that looks like a directory: its last component has no suffix."""
    last = word.raw.rsplit("/", 1)[-1]
    return word.certain and "." not in last and not _SUFFIXLESS.match(last)


_RESET = Spec(
    "q p N quiet patch mixed soft hard merge keep intent-to-add pathspec-from-file= pathspec-file-nul "
    "refresh no-refresh recurse-submodules? help"
)
_CLEAN = Spec("d f i n q x X e= force interactive dry-run quiet exclude= help")
_CHECKOUT = Spec(
    "q f b= B= t l d m p 2 3 quiet progress no-progress force ours theirs track? no-track detach orphan= "
    "merge conflict= patch ignore-skip-worktree-bits overlay no-overlay pathspec-from-file= pathspec-file-nul "
    "guess no-guess ignore-other-worktrees recurse-submodules overwrite-ignore help"
)
_SWITCH = Spec(
    "c= C= d q f m t create= force-create= detach guess no-guess force discard-changes merge conflict= quiet "
    "progress track? no-track orphan= ignore-other-worktrees recurse-submodules help"
)
_RESTORE = Spec(
    "s= p W S q source= patch worktree staged quiet progress ours theirs merge conflict= ignore-unmerged "
    "overlay no-overlay recurse-submodules pathspec-from-file= pathspec-file-nul help"
)
_RM = Spec("f n r q force dry-run cached ignore-unmatch sparse quiet pathspec-from-file= pathspec-file-nul help")


@verb("reset", options=_RESET)
def reset(call: Call) -> Iterator[Finding]:
    """Ask about every mode that changes the work tree."""
    if call.options.has("hard", "merge", "keep"):
        yield RESET.found(call.command)


@verb("clean", options=_CLEAN)
def clean(call: Call) -> Iterator[Finding]:
    """Ask about a forced clean, or one where a setting makes force unnecessary."""
    settings = (word.raw.lower() for word in call.command.args)
    loose = any("requireforce=f" in text or "requireforce=0" in text for text in settings)
    if (call.options.has("f", "force") or loose) and not call.options.has("n", "dry-run"):
        yield CLEAN.found(call.command)


@verb("checkout", "co", options=_CHECKOUT)
def checkout(call: Call) -> Iterator[Finding]:
    """Allow one named file, and ask about more."""
    options = call.options
    if options.has("p", "patch"):
        return
    paths = options.operands if options.dashes is None else options.operands[options.dashes :]
    if options.dashes is None and len(paths) > 1:
        paths = paths[1:]
    if options.has("b", "B", "orphan"):
        if options.has("B") and options.operands:
            yield BRANCH.found(call.command)
        paths = []
    conflict = options.has("ours", "theirs", "2", "3", "m", "merge", "conflict")
    known = options.dashes is not None or len(options.operands) > 1
    wide = broad(paths) if known and not conflict else [word for word in paths if is_tree(word)]
    if options.has("f", "force", "pathspec-from-file") or wide:
        yield DISCARD.found(call.command, path=_names(wide) or "all of them")


@verb("switch", options=_SWITCH)
def switch(call: Call) -> Iterator[Finding]:
    """Ask about recreating a branch, or discarding changes while switching."""
    if call.options.has("C", "force-create") and call.options.operands:
        yield BRANCH.found(call.command)
    if call.options.has("f", "force", "discard-changes"):
        yield DISCARD.found(call.command, path="all of them")


@verb("restore", options=_RESTORE)
def restore(call: Call) -> Iterator[Finding]:
    """Ask about restoring the work tree; restoring only the index keeps it."""
    options = call.options
    if options.has("p", "patch") or (options.has("S", "staged") and not options.has("W", "worktree")):
        return
    conflict = options.has("ours", "theirs", "merge", "conflict")
    wide = [word for word in options.operands if is_tree(word)] if conflict else broad(options.operands)
    if wide or options.has("pathspec-from-file"):
        yield DISCARD.found(call.command, path=_names(wide))


@verb("rm", options=_RM)
def rm(call: Call) -> Iterator[Finding]:
    """Ask about removing directories by force, or everything."""
    options = call.options
    if options.has("cached", "n", "dry-run") or not options.has("r"):
        return
    if options.has("f", "force") or any(word.raw in {".", "*", ":/", "./"} for word in options.operands):
        yield REMOVE.found(call.command)


@verb("stash")
def stash(call: Call) -> Iterator[Finding]:
    """Ask about dropping stashes."""
    if call.options.subcommand() in {"drop", "clear"}:
        yield STASH.found(call.command)


@verb("read-tree", "checkout-index")
def plumbing(call: Call) -> Iterator[Finding]:
    """Judge the plumbing commands below checkout and reset."""
    forced = call.verb == "checkout-index" and {word.raw for word in call.rest} & {"-f", "--force", "-fa", "-af", "-u"}
    if call.options.has("reset") or forced:
        yield DISCARD.found(call.command, path="the work tree")


def _names(words: Sequence[Word]) -> str:
    return " ".join(word.text for word in words)[:80]
