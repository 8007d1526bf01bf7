"""Judges scripts whose name is unknown until they run, so that their code cannot be read."""

from collections.abc import Iterator

from hermes_guard.argv import Spec, parse
from hermes_guard.name_sets import names
from hermes_guard.rules.family import Context, Family
from hermes_guard.shell.command import Command
from hermes_guard.shell.shell_code import SHELLS, is_unknown_script
from hermes_guard.shell.word import Word
from hermes_guard.verdict import Finding

FAMILY = Family("unknown scripts")

SCRIPT = FAMILY.rule("unknown.script", "runs an unknown script: {path}", effects=("execute", "unknown"))
HISTORY = FAMILY.rule(
    "unknown.history",
    "runs unknown commands from the history again: {path}",
    effects=("execute", "unknown"),
)

_SHELL = Spec(
    "c i l r s D e f h m n p t u v x B C E H P T k a b O= o= norc noprofile posix login rcfile= init-file= verbose "
    "version help restricted debugger dump-strings",
    posix=True,
)
_INTERPRETER = Spec("c= m= e= E= r= p= W= X= I= n l B u s S O v i q b d V check version help h", posix=True)
_INTERPRETERS = names("python python3 perl ruby node php")
#: Programs that list the project's files, or files that were just listed.
_LISTERS = names("find fd fdfind ls git locate rg grep compgen shuf sort")
#: The maximum number of commands checked for those.
_NEAR = 32


@FAMILY.judges("source", ".", *sorted(SHELLS), *sorted(_INTERPRETERS))
def scripts(command: Command, context: Context) -> Iterator[Finding]:
    """Ask about a file with an unknown name that is run as code."""
    word = _script(command)
    if word is None or word.process or not is_unknown_script(word):
        return
    writers = {writer.program for writer in word.commands}
    if command.loop:
        writers |= {other.program for other in context.commands[:_NEAR]}
    if writers.isdisjoint(_LISTERS) and not writers & _MAKERS:
        yield SCRIPT.found(command, path=word.text[:80])


_MAKE = Spec("f= file= makefile= C= directory= I= include-dir= o= W= j? l? O? n k s B e i q r R t w")


@FAMILY.judges("make", "gmake")
def makefiles(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about a makefile with an unknown name."""
    for word in parse(command, _MAKE).values("f", "file", "makefile"):
        if not word.process and is_unknown_script(word):
            yield SCRIPT.found(command, path=word.text[:80])


@FAMILY.judges("fc")
def history(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about running lines of the history, unchanged or edited."""
    if parse(command, _FC).has("s", "e"):
        yield HISTORY.found(command, path=" ".join(command.texts)[:80])


_FC = Spec("e= l n r s", posix=True)


#: Programs that print the location of a program or of a new file.
_MAKERS = names("which type command mktemp realpath readlink brew")


def _script(command: Command) -> Word | None:
    """Return the word that names the script."""
    if command.program in {"source", "."}:
        return command.args[0] if command.args else None
    if command.program in _INTERPRETERS:
        options = parse(command, _INTERPRETER)
        given = options.has("c", "m", "e", "E", "r", "p", "l", "check", "version", "help", "V", "h")
    else:
        options = parse(command, _SHELL)
        given = options.has("c", "s", "n", "version", "help")
    return None if given or not options.operands else options.operands[0]
