"""Finds the files that a command writes, copies and passes on, from its words and redirections."""

from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import NamedTuple

from hermes_guard import lazy_re as re
from hermes_guard.argv.options import Spec, parse_words
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import Word
from hermes_guard.shell.wrappers.inner_command import POWERFUL

_SED_WRITES = re.compile(r"(?:p\s*;\s*)?w\s*([^\s;}]+)\s*\Z")
#: Programs that write the files in their arguments.
WRITERS = frozenset({"tee", "gtee", "sponge", "dd", "sed", "gsed"})
_COPY = "t= target-directory= T no-target-directory S= suffix= b backup? a archive r R recursive s symbolic-link"
#: Programs that copy, link or move files, with the options that matter or take a value.
COPIERS = {
    "cp": Spec(_COPY),
    "gcp": Spec(_COPY),
    "mv": Spec(_COPY),
    "ln": Spec("t= target-directory= T no-target-directory S= suffix= s symbolic"),
    "install": Spec(f"{_COPY} m= mode= o= owner= g= group= D d directory C p v strip-program="),
    "ginstall": Spec(f"{_COPY} m= mode= o= owner= g= group= D d directory C p v strip-program="),
    "rsync": Spec(
        "e= rsh= f= filter= exclude= include= exclude-from= include-from= files-from= T= temp-dir= B= block-size= M= "
        "bwlimit= timeout= contimeout= port= log-file= log-file-format= password-file= out-format= partial-dir= "
        "backup-dir= suffix= chmod= chown= max-size= min-size= max-delete= compare-dest= copy-dest= link-dest= "
        "rsync-path= sockopts= info= debug= modify-window= compress-level= a archive r recursive"
    ),
}


class Output(NamedTuple):
    """A file that a descriptor is connected to."""

    path: str
    append: bool


def meant(word: Word) -> str:
    """Return the program that a word names; for a pattern such as `/bin/r?`, the most dangerous match."""
    folder, _, name = word.raw.rpartition("/")
    if not word.glob or len(name) > 64:
        return word.raw
    return next((f"{folder}/{known}" for known in sorted(POWERFUL) if fnmatchcase(known, name)), word.raw)


def symbolic(command: Command) -> bool:
    return parse_words(command.args, COPIERS["ln"]).has("s", "symbolic")


def copied_by(command: Command, spec: Spec) -> tuple[list[Word], str | None]:
    """Return the files that are copied, and their destination."""
    options = parse_words(command.args, spec)
    words = options.operands
    folder = options.value("t", "target-directory")
    if folder is not None:
        return words, command.path(folder)
    if len(words) == 1 and command.program == "ln":
        return words, command.path(".")
    return (words[:-1], command.path(words[-1])) if len(words) > 1 else ([], None)


def outputs_of(command: Command, before: dict[int, Output]) -> dict[int, Output]:
    """Return the targets of a command's descriptors; `before` are those of the shell."""
    found = dict(before)
    for redirect in command.redirects:
        number = 1 if redirect.fd is None else redirect.fd
        target = redirect.target.raw
        if redirect.writes:
            path = command.path(redirect.target)
            numbers = (1, 2) if redirect.operator.startswith("&") else (number,)
            for each in numbers:
                found.pop(each, None)
                if path is not None and not redirect.target.process:
                    found[each] = Output(path, redirect.operator in {">>", "&>>", "<>"})
        elif redirect.operator == ">&":
            source = int(target.rstrip("-")) if target.rstrip("-").isdigit() and len(target) < 5 else -1
            found.pop(number, None)
            if source in found:
                found[number] = found[source]
    return found


def named_by(command: Command) -> Iterator[Output]:
    """Yield the files that a program writes because its arguments name them."""
    program = command.program
    append = any(word.raw in {"-a", "--append"} for word in command.args)
    for word in command.args[:16]:
        name = ""
        if program == "dd":
            name = word.raw[3:] if word.raw.startswith("of=") else ""
        elif program in {"sed", "gsed"}:
            found = _SED_WRITES.match(word.raw)
            name = found.group(1) if found else ""
        elif not word.raw.startswith("-"):
            name = word.raw
        path = command.path(name) if name else None
        if path is not None:
            yield Output(path, append)


def handed_on(command: Command) -> list[Word]:
    """Return the files whose content a command passes on unchanged."""
    words: list[Word] = []
    if command.program == "cat":
        words = [word for word in command.args if not word.raw.startswith("-")]
    elif command.program == "dd":
        words = [word.tail(3) for word in command.args if word.raw.startswith("if=")]
    elif command.program not in {"tee", "sponge", "pv"}:
        return []
    stdin = command.stdin
    if words or stdin is None:
        return words
    if stdin.file is not None:
        return [stdin.file]
    return handed_on(stdin.commands[-1]) if stdin.commands else []
