"""Judges deleting system directories or the home as a whole."""

from collections.abc import Iterator
from itertools import pairwise

from hermes_guard import lazy_re as re
from hermes_guard.argv import Options, Spec, parse
from hermes_guard.rules.common.container_isolation import apart
from hermes_guard.rules.common.critical_paths import SYSTEM, folder
from hermes_guard.rules.common.file_tool_options import (
    CP,
    RSYNC,
    RSYNC_DELETES,
    TAR,
    removes_files,
    tar_folders,
)
from hermes_guard.rules.common.path_arguments import below
from hermes_guard.rules.deletes.cleanup_tools import cmake_rm
from hermes_guard.rules.deletes.deletable_files import TEMPORARY
from hermes_guard.rules.deletes.removal import RM
from hermes_guard.rules.family import Context
from hermes_guard.rules.hardline.file_listings import (
    FINDS,
    SEARCHES,
    found_all,
    searched,
    streamed,
    swept,
)
from hermes_guard.rules.hardline.rules import FAMILY, WIPE
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import Word
from hermes_guard.verdict import Finding

_SHRED = Spec("n= s= iterations= size= random-source= help version")
_ZIP = Spec("r m 9 q x= i= n= b= t= j T u d move delete")
_DELETERS = frozenset({"rm", "unlink", "shred", "rmdir", "srm", "wipe", "truncate"})
#: Directories that can be moved back, unless they are moved to where nothing persists.
_MOVED = frozenset({"/home", "/root", "/Users"})
#: Where Windows and its users' files are.
_DRIVE = re.compile(r"[a-z]:[\\/]*(?:(?:windows|users|program files)[\\/]*)?(?:\*(?:\.\*)?)?\Z", re.IGNORECASE)


@FAMILY.judges("rm", "grm", "rm.real")
def rm(command: Command, context: Context) -> Iterator[Finding]:
    """Refuse an rm of a critical directory, or of everything listed in one."""
    yield from _wiped(command, parse(command, RM), context)


@FAMILY.judges("shred", "gshred", "srm", "wipe", "scrub", "rimraf")
def shred(command: Command, context: Context) -> Iterator[Finding]:
    """Judge programs that overwrite files before they delete them."""
    yield from _wiped(command, parse(command, _SHRED), context)


def _wiped(command: Command, options: Options, context: Context) -> Iterator[Finding]:
    if options.helps:
        return
    for word in options.operands:
        path = folder(word, command, context)
        if path:
            yield WIPE.found(command, path=path, severity="ask" if _in_environment(path, word, command) else None)
            return
    if options.has("no-preserve-root") and options.has("r", "R", "recursive"):
        yield WIPE.found(command, path=" ".join(word.text for word in options.operands) or "/")
        return
    path = _handed(options, command, context)
    if path:
        yield WIPE.found(command, path=path)


def _in_environment(path: str, word: Word, command: Command) -> bool:
    """Return True for a directory in a container created for the command, without anything of this machine."""
    return command.contained and command.path(word.raw.rstrip("/*") or "/") == path and apart(command, path)


def _handed(options: Options, command: Command, context: Context) -> str:
    """Return the critical directory of which another command passes on every name."""
    if command.wrapped_by("xargs", "gxargs", "parallel") and command.stdin is not None:
        return streamed(command.stdin.commands, context)
    last = command.wrappers[-1].program if command.wrappers else ""
    if last not in FINDS and (last in SEARCHES or _given_by_find(options)):
        for wrapper in command.wrappers:
            if wrapper.program in SEARCHES:
                words = tuple(_word(text, command) for text in wrapper.argv[1:])
                return searched(wrapper.program, words, command, context)
    if command.loop:
        return next((path for word in options.operands[:8] if (path := swept(word, command, context))), "")
    return ""


def _given_by_find(options: Options) -> bool:
    return any("{}" in word.raw for word in options.operands)


def _word(text: str, command: Command) -> Word:
    return Word(text, text, command.span, glob=any(sign in text for sign in "*?["))


@FAMILY.judges(*sorted(FINDS))
def find(command: Command, context: Context) -> Iterator[Finding]:
    """Refuse a find that deletes everything in a critical directory."""
    texts = [word.raw for word in command.args]
    deletes = "-delete" in texts or any(
        text in {"-exec", "-execdir"} and after.rsplit("/", 1)[-1] in _DELETERS for text, after in pairwise(texts)
    )
    path = found_all(command.args, command, context) if deletes else ""
    if path:
        yield WIPE.found(command, path=path)


@FAMILY.judges("mv", "gmv")
def mv(command: Command, context: Context) -> Iterator[Finding]:
    """Refuse moving a critical directory to where nothing persists, or a system directory anywhere."""
    options = parse(command, CP)
    given = options.value("t", "target-directory")
    words = [*options.operands, given] if given is not None else options.operands
    if len(words) < 2 or options.helps:
        return
    target = command.path(words[-1]) or ""
    gone = target == "/dev/null" or f"{target}/".startswith(TEMPORARY)
    for word in words[:-1]:
        path = folder(word, command, context)
        if path in SYSTEM or (path and target == "/dev/null"):
            yield WIPE.found(command, path=path)
            return
        if path == context.home or path in _MOVED:
            # A home that is moved elsewhere can be moved back.
            yield WIPE.found(command, path=path, severity=None if gone else "ask")
            return


#: Programs that trash files, and the verb that some require.
_TRASHES = {
    **dict.fromkeys(("trash", "trash-put", "rmtrash", "gvfs-trash", "trash-cli", "rip", "rmw", "safe-rm"), ""),
    **dict.fromkeys(("gio",), "trash"),
    **dict.fromkeys(("trashy", "gtrash"), "put"),
}


@FAMILY.judges(*_TRASHES)
def trash(command: Command, context: Context) -> Iterator[Finding]:
    """Refuse trashing a critical directory."""
    words = [word for word in command.args if not word.raw.startswith("-")]
    verb = _TRASHES[command.program or ""]
    if verb and [word.raw for word in words[:1]] != [verb]:
        return
    for word in words[1:] if verb else words:
        path = folder(word, command, context)
        if path:
            yield WIPE.found(command, path=path)
            return


@FAMILY.judges("cmake")
def cmake(command: Command, context: Context) -> Iterator[Finding]:
    """Judge `cmake -E rm` like rm."""
    found = cmake_rm(command)
    if found is not None:
        yield from rm(found, context)


@FAMILY.judges("del", "erase", "rd", "rmdir", "deltree")
def windows(command: Command, _: Context) -> Iterator[Finding]:
    """Refuse deleting a whole Windows drive."""
    if any(word.raw.lower() == "/s" for word in command.args) or command.program == "deltree":
        for word in command.args:
            if _DRIVE.match(word.raw):
                yield WIPE.found(command, path=word.text)
                return


@FAMILY.judges("tar", "gtar", "bsdtar")
def tar(command: Command, context: Context) -> Iterator[Finding]:
    """Refuse tar with deletion of a critical directory."""
    if not removes_files(command):
        return
    folders = tar_folders(parse(command, TAR), command)
    named = frozenset(folders)
    for member in command.args:
        # A first word without a dash contains option letters, as in `tar czf`.
        if member.raw[:1] == "-" or member in named or (member is command.args[0] and len(member.raw) < 6):
            continue
        word = below(folders[-1], member.raw) if folders and member.raw[:1] != "/" else member
        path = folder(word, command, context)
        if path:
            yield WIPE.found(command, path=path)
            return


@FAMILY.judges("zip")
def zipped(command: Command, context: Context) -> Iterator[Finding]:
    """Judge zip archives that move files."""
    options = parse(command, _ZIP)
    if options.has("m", "move"):
        for word in options.operands[1:]:
            path = folder(word, command, context)
            if path:
                yield WIPE.found(command, path=path)
                return


@FAMILY.judges("rsync")
def rsync(command: Command, context: Context) -> Iterator[Finding]:
    """Refuse mirroring an empty directory onto a critical one."""
    options = parse(command, RSYNC)
    if not options.has(*RSYNC_DELETES) or options.has("n", "dry-run") or len(options.operands) < 2:
        return
    path = folder(options.operands[-1], command, context)
    source = options.operands[-2].raw.lower()
    if path and (path in {"/", context.home} or any(word in source for word in ("empty", "null", "blank"))):
        yield WIPE.found(command, path=path)
