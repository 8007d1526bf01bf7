"""The machine's own folders and the home, deleted as a whole."""

import re
from collections.abc import Iterator
from itertools import pairwise

from hermes_guard.argv import Options, Spec, parse
from hermes_guard.rules.deletes import RM
from hermes_guard.rules.family import Context
from hermes_guard.rules.hardline.rules import FAMILY, WIPE
from hermes_guard.rules.vital import SYSTEM, below, folder, is_vital
from hermes_guard.rules.writes_options import CP, RSYNC, RSYNC_DELETES, TAR, removes_files, tar_folders
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import Word
from hermes_guard.verdict import Finding

_SHRED = Spec("n= s= iterations= size= random-source= help version")
#: Tests that narrow what find finds. A kind of file or a depth does not.
_NARROW = re.compile(
    r"-(?:i?name|i?path|i?regex|i?wholename|[acm](?:time|min)|newer\w*|size|user|group|uid|gid|perm|empty|inum|links|samefile|i?lname|nouser|nogroup)$"
)
#: All but one name is still nearly all.
_NAMES = re.compile(r"-i?(?:name|path|regex|wholename)$")
_DELETERS = frozenset({"rm", "unlink", "shred", "rmdir"})


@FAMILY.judges("rm", "grm", "rm.real")
def rm(command: Command, context: Context) -> Iterator[Finding]:
    """An rm of a vital folder, or fed with all of one."""
    yield from _wiped(command, parse(command, RM), context)


@FAMILY.judges("shred", "gshred", "srm", "wipe", "scrub", "rimraf")
def shred(command: Command, context: Context) -> Iterator[Finding]:
    """The same by programs that overwrite first."""
    yield from _wiped(command, parse(command, _SHRED), context)


def _wiped(command: Command, options: Options, context: Context) -> Iterator[Finding]:
    if options.helps:
        return
    for word in options.operands:
        path = folder(word, command, context)
        mounted = command.contained and _mounted(word, command, context)
        if path or mounted:
            yield WIPE.found(command, path=mounted or path, contained=not mounted)
            return
    if options.has("no-preserve-root") and options.has("r", "R", "recursive"):
        yield WIPE.found(command, path=" ".join(word.text for word in options.operands) or "/")
        return
    if command.wrapped_by("xargs", "parallel") and command.stdin is not None:
        for source in command.stdin.commands:
            path = _found_all(source, context) or _listed(source, context)
            if path:
                yield WIPE.found(command, path=path)
                return


def _mounted(word: Word, command: Command, context: Context) -> str:
    """The vital folder of this machine that a word names from inside of a container."""
    path = command.path(word.raw.rstrip("*") if word.glob else word)
    for wrapper in command.wrappers:
        for outside, inside in wrapper.mounts:
            if inside and path == inside.rstrip("/") and is_vital(outside.rstrip("/") or "/", context):
                return outside
    return ""


@FAMILY.judges("find", "gfind", "bfs")
def find(command: Command, context: Context) -> Iterator[Finding]:
    """A find over a vital folder that deletes all it finds."""
    texts = [word.raw for word in command.args]
    deletes = "-delete" in texts or any(
        text in {"-exec", "-execdir"} and after.rsplit("/", 1)[-1] in _DELETERS for text, after in pairwise(texts)
    )
    path = _found_all(command, context) if deletes else ""
    if path:
        yield WIPE.found(command, path=path)


def _found_all(command: Command, context: Context) -> str:
    """The vital folder of which this find names everything."""
    if command.program not in {"find", "gfind", "bfs"}:
        return ""
    before = ""
    for word in command.args:
        if _NARROW.match(word.raw) and not (before in {"!", "-not"} and _NAMES.match(word.raw)):
            return ""
        before = word.raw
    for word in command.args:
        if word.raw[:1] in {"-", "(", "!"} and word.raw not in {"-H", "-L", "-P"}:
            break
        path = folder(word, command, context)
        if path:
            return path
    return ""


def _listed(command: Command, context: Context) -> str:
    if command.program not in {"ls", "echo", "printf"}:
        return ""
    return next((path for word in command.args if (path := folder(word, command, context))), "")


@FAMILY.judges("mv", "gmv")
def mv(command: Command, context: Context) -> Iterator[Finding]:
    """A vital folder moved to the null device, or the machine's own moved anywhere."""
    options = parse(command, CP)
    given = options.value("t", "target-directory")
    words = [*options.operands, given] if given is not None else options.operands
    if len(words) < 2 or options.helps:
        return
    gone = command.path(words[-1]) == "/dev/null"
    for word in words[:-1]:
        path = folder(word, command, context)
        if path and (gone or path in SYSTEM or command.path(word) == context.home):
            # Moved elsewhere a home can be moved back.
            yield WIPE.found(command, path=path, severity=None if gone or path in SYSTEM else "ask")
            return


@FAMILY.judges("tar", "gtar", "bsdtar")
def tar(command: Command, context: Context) -> Iterator[Finding]:
    """A vital folder that is packed and removed."""
    if not removes_files(command):
        return
    folders = tar_folders(parse(command, TAR), command)
    named = frozenset(folders)
    for member in command.args:
        # A first word without a dash holds letters, as in `tar czf`.
        if member.raw[:1] == "-" or member in named or (member is command.args[0] and len(member.raw) < 6):
            continue
        word = below(folders[-1], member.raw) if folders and member.raw[:1] != "/" else member
        path = folder(word, command, context)
        if path:
            yield WIPE.found(command, path=path)
            return


@FAMILY.judges("rsync")
def rsync(command: Command, context: Context) -> Iterator[Finding]:
    """A vital folder made equal to nothing."""
    options = parse(command, RSYNC)
    if not options.has(*RSYNC_DELETES) or options.has("n", "dry-run") or len(options.operands) < 2:
        return
    path = folder(options.operands[-1], command, context)
    source = options.operands[-2].raw.lower()
    if path and (path in {"/", context.home} or any(word in source for word in ("empty", "null", "blank"))):
        yield WIPE.found(command, path=path)
