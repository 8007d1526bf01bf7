"""Judges deletes after moving, packing or trashing files."""

import posixpath
from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.argv import Spec, parse
from hermes_guard.name_sets import names
from hermes_guard.rules.common.file_tool_options import CP, TAR, removes_files
from hermes_guard.rules.deletes.deletable_files import temporary
from hermes_guard.rules.deletes.removal import named
from hermes_guard.rules.deletes.rules import DISCARD, FAMILY
from hermes_guard.rules.family import Context
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import Word
from hermes_guard.verdict import Finding

_ZIP = Spec("r m 9 q x= i= n= b= t= j T u d move delete")
#: Files that archivers add, which can be deleted safely.
_ADDED = re.compile(r"[\"'*/]*(?:__MACOSX|\.DS_Store|META-INF)")
_HERE = frozenset({"*", "./*", ".*", "./.*"})
_BINS = names("trash .trash trashcan bin recycle deleted garbage rubbish discard discarded junk")


@FAMILY.judges("mv", "gmv")
def mv(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about moving a file to the null device, or a whole directory into the trash."""
    options = parse(command, CP)
    given = options.value("t", "target-directory")
    target = given or (options.operands[-1] if len(options.operands) > 1 else None)
    if target is None or options.helps:
        return
    path = command.path(target)
    sources = options.operands if given is not None else options.operands[:-1]
    if path == "/dev/null" or (_thrown(target, path) and any(_all_here(word, command) for word in sources)):
        yield DISCARD.found(command, path=named(options.operands))


def _thrown(target: Word, path: str | None) -> bool:
    return temporary(f"{path}/") or posixpath.basename(target.raw.rstrip("/")).lower() in _BINS


def _all_here(word: Word, command: Command) -> bool:
    return word.glob and word.raw in _HERE and not temporary(f"{command.cwd}/")


@FAMILY.judges("tar", "gtar", "bsdtar", "zip", "7z", "7za", "7zz", "rar")
def pack(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about archivers that delete packed files, and about deleting members of archives."""
    program = command.program or ""
    if program.endswith("tar"):
        discards = removes_files(command) or parse(command, TAR).has("delete")
    elif program == "zip":
        options = parse(command, _ZIP)
        members = [word for word in options.operands[1:] if not _ADDED.match(word.raw)]
        discards = options.has("m", "move") or (options.has("d", "delete") and bool(members))
    else:
        discards = any(word.raw in {"-sdel", "-df", "-dr"} for word in command.args) or command.texts[1:2] == ("d",)
    if discards:
        yield DISCARD.found(command, path=named(list(command.args[-1:])))


@FAMILY.judges("trash-empty", "gio", "trash-rm", "empty-trash", "trash", "trashy", "gtrash", "kioclient", "kioclient5")
def trash(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about emptying the trash."""
    texts = [word.raw for word in command.args]
    if "--help" in texts:
        return
    program = command.program or ""
    if program == "gio":
        empties = "trash" in texts and "--empty" in texts
    elif program in {"trash", "trashy", "gtrash"}:
        empties = bool({"-e", "--empty", "empty", "prune"}.intersection(texts[:1]))
    elif program.startswith("kioclient"):
        empties = "remove" in texts and any(text.startswith("trash:") for text in texts)
    else:
        empties = True
    if empties:
        yield DISCARD.found(command, path="the trash")
