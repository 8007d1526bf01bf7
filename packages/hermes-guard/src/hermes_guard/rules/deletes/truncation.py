"""Judges files that are truncated or overwritten."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.argv import Spec, parse
from hermes_guard.rules.common.file_tool_options import SED
from hermes_guard.rules.deletes.deletable_files import temporary
from hermes_guard.rules.deletes.removal import named
from hermes_guard.rules.deletes.rules import FAMILY, SHRED, TRUNCATE
from hermes_guard.rules.family import Context
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import Word
from hermes_guard.verdict import Finding

_SHRED = Spec("n= s= u? z v x f iterations= size= remove? zero random-source= help version")
_TRUNCATE = Spec("s= c o r= size= no-create io-blocks reference= help version")
_FALLOCATE = Spec("c d i l= n o= p v x z length= offset= punch-hole collapse-range zero-range keep-size help version")
#: Sizes that truncate: zero, less than now, at most.
_CUTS = re.compile(r"0+\D?B?$|[-<]")
_LOG = re.compile(r"(?:^|/)logs?/[^/]+\Z|\.(?:log|out|err)(?:\.\d+)?\Z", re.IGNORECASE)
#: Logs that must be kept.
_KEPT_LOG = re.compile(r"prod|audit|access|auth|secur|history", re.IGNORECASE)
#: Files that hold data, as opposed to a program's own logs.
_DATA = re.compile(
    r"\.(?:db|db3|sqlite3?|sql|mdb|rdb|dump|ibd|parquet|kdbx|realm|xlsx?|docx?|odt|ods)\Z", re.IGNORECASE
)
#: Tabular files, which scripts truncate before they fill them.
_ROWS = re.compile(r"\.(?:csv|tsv|jsonl|ndjson)\Z", re.IGNORECASE)
_NOTHING = frozenset({"/dev/null", "/dev/zero", "/dev/urandom", "/dev/random"})
_EMPTY_ECHO = frozenset({"-n", "-ne", "-en", ""})
#: Scripts of sed that delete every line.
_ALL_LINES = frozenset({"d", "1,$d", "1,$ d", "/.*/d", "//d", "/^/d", "$!d;d"})


@FAMILY.judges("shred", "gshred", "srm", "wipe", "scrub")
def shred(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about shredding."""
    options = parse(command, _SHRED)
    if not options.helps and (options.operands or command.wrappers):
        yield SHRED.found(command, path=named(options.operands))


@FAMILY.judges("cipher", "cipher.exe")
def cipher(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about `/w`, which overwrites deleted data on Windows."""
    if any(word.raw.lower().startswith("/w") for word in command.args):
        yield SHRED.found(command, path=named(list(command.args)))


@FAMILY.judges("truncate", "gtruncate")
def truncate(command: Command, context: Context) -> Iterator[Finding]:
    """Allow growing a file, and ask about shrinking it unless it is one of the user's logs."""
    options = parse(command, _TRUNCATE)
    size = options.value("s", "size")
    if options.helps or size is None or (size.certain and not _CUTS.match(size.raw)):
        return
    if len(options.operands) != 1 or not _passing(options.operands[0], command, context):
        yield TRUNCATE.found(command, path=named(options.operands))


def _passing(word: Word, command: Command, context: Context) -> bool:
    """Return True for a temporary file, or a log that does not belong to the machine."""
    path = command.path(word)
    if path is None or word.glob or command.loop:
        return False
    near = path[:1] != "/" or path.startswith((f"{context.home}/", f"{context.cwd or context.home}/"))
    return temporary(path) or (near and bool(_LOG.search(path)) and not _KEPT_LOG.search(path.rsplit("/", 1)[-1]))


@FAMILY.judges("fallocate")
def fallocate(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about punching holes in a file."""
    options = parse(command, _FALLOCATE)
    if options.has("p", "punch-hole", "c", "collapse-range", "z", "zero-range") and not options.helps:
        yield TRUNCATE.found(command, path=named(options.operands))


@FAMILY.judges("fsutil")
def fsutil(command: Command, _: Context) -> Iterator[Finding]:
    """Judge truncation on Windows."""
    if any(word.raw.lower() in {"setzerodata", "setvaliddata", "deletejournal"} for word in command.args):
        yield TRUNCATE.found(command, path=named(list(command.args)))


@FAMILY.judges(">")
def emptied(command: Command, context: Context) -> Iterator[Finding]:
    """Ask about truncating a data file by redirection."""
    for redirect in command.redirects:
        if (
            redirect.operator in {">", ">|", "&>"}
            and _lost(redirect.target, command)
            and _silent(command)
            and not _filled(redirect.target, context)
        ):
            yield TRUNCATE.found(command, path=redirect.target.text)


def _lost(word: Word, command: Command) -> bool:
    return bool(_DATA.search(word.raw) or _ROWS.search(word.raw)) and not temporary(command.path(word))


def _silent(command: Command) -> bool:
    """Return True when a command writes nothing."""
    texts = [word.raw for word in command.args]
    if command.group:
        return False
    if command.program in {":", "true", None, ""}:
        return command.program is not None or not texts
    if command.program == "cat":
        return texts == ["/dev/null"]
    return command.program in {"echo", "printf"} and _EMPTY_ECHO.issuperset(texts)


def _filled(target: Word, context: Context) -> bool:
    """Return True for a tabular file that the same text then fills."""
    return bool(_ROWS.search(target.raw)) and any(
        redirect.operator == ">>" and redirect.target.raw == target.raw
        for other in context.commands[:100]
        for redirect in other.redirects
    )


@FAMILY.judges("cp", "gcp", "dd", "gdd", "install", "tee", "sponge")
def copied_nothing(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about copying the null device or random data onto data files."""
    words = [word for word in command.args if not word.raw.startswith("-")]
    targets: list[Word] = []
    if command.program in {"dd", "gdd"}:
        if any(word.raw.startswith("if=") and word.raw[3:] in _NOTHING for word in words):
            targets = [word.tail(3) for word in words if word.raw.startswith("of=")]
    elif command.program in {"tee", "sponge"}:
        file = command.stdin.file if command.stdin is not None else None
        if file is not None and file.raw == "/dev/null" and not any(word.raw == "-a" for word in command.args):
            targets = words
    elif len(words) == 2 and words[0].raw == "/dev/null":
        targets = words[1:]
    for word in targets:
        if _lost(word, command):
            yield TRUNCATE.found(command, path=word.text)
            return


@FAMILY.judges("sed", "gsed")
def sed(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about deleting every line in place."""
    if not any(word.raw.startswith(("-i", "--in-place")) for word in command.args):
        return
    options = parse(command, SED)
    scripts = options.values("e", "expression") or options.operands[:1]
    if any(word.raw.strip() in _ALL_LINES for word in scripts):
        yield TRUNCATE.found(command, path=named(options.operands[-1:]))
