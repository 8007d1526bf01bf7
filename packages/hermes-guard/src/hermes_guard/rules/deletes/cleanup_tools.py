"""Judges deletes by build tools, cleanup tools and Windows commands."""

import dataclasses
from collections.abc import Iterator

from hermes_guard.argv import Spec, parse
from hermes_guard.rules.common.path_arguments import renamed
from hermes_guard.rules.deletes.removal import named, rm
from hermes_guard.rules.deletes.rules import BULK, FAMILY, RECURSIVE
from hermes_guard.rules.family import Context
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import Word
from hermes_guard.verdict import Finding


@FAMILY.judges("rimraf", "del-cli", "npx", "bunx", "pnpx")
def rimraf(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about recursive deletes with rimraf and similar npm tools."""
    words = [word for word in command.args if not word.raw.startswith("-")]
    if command.program in {"npx", "bunx", "pnpx"}:
        if not words or words[0].raw.split("@", 1)[0] not in {"rimraf", "del-cli"}:
            return
        words = words[1:]
    if words:
        yield RECURSIVE.found(command, path=named(words))


def cmake_rm(command: Command) -> Command | None:
    """Return the rm command that a `cmake -E` stands for."""
    if [word.raw for word in command.args[:1]] != ["-E"] or len(command.args) < 3:
        return None
    verb = command.args[1]
    flags = {"rm": "", "remove": "-f", "remove_directory": "-r"}.get(verb.raw)
    if flags is None:
        return None
    given: list[Word] = [renamed(flags, verb)] if flags else []
    return dataclasses.replace(command, program="rm", argv=(renamed("rm", verb), *given, *command.args[2:]))


@FAMILY.judges("cmake")
def cmake(command: Command, context: Context) -> Iterator[Finding]:
    """Judge `cmake -E rm` like rm."""
    found = cmake_rm(command)
    if found is not None:
        yield from rm(found, context)


@FAMILY.judges("del", "erase", "rd", "rmdir", "deltree")
def windows(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about `/s`, which deletes whole directories on Windows."""
    texts = [word.raw.lower() for word in command.args]
    if "/s" in texts or (command.program == "deltree" and texts):
        yield RECURSIVE.found(command, path=named([word for word in command.args if not word.raw.startswith("/")]))


_FDUPES = Spec("r R s n f 1 S m q d N I G= p o= i delete noprompt recurse immediate help version")
_TMPREAPER = Spec("t a c f m M s u v d q x X= test force all help dirmtime protect= exclude= runtime= verbose")


@FAMILY.judges("fdupes", "jdupes", "rdfind", "tmpreaper", "tmpwatch", "stmpclean", "bleachbit")
def cleaners(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about programs that choose by themselves what to delete."""
    program, texts = command.program or "", [word.raw for word in command.args]
    if program in {"fdupes", "jdupes"}:
        options = parse(command, _FDUPES)
        goes = options.has("d", "delete") and options.has("N", "noprompt", "I", "immediate")
    elif program == "rdfind":
        goes = "-deleteduplicates" in texts and "true" in texts and "-dryrun" not in texts and "-n" not in texts
    elif program == "bleachbit":
        goes = bool({"-c", "--clean", "-s", "--shred", "-w", "--wipe-free-space"}.intersection(texts))
    else:
        options = parse(command, _TMPREAPER)
        goes = len(options.operands) > 1 and not options.has("t", "test") and not options.helps
    if goes:
        yield BULK.found(command, path=named(list(command.args[-1:])))
