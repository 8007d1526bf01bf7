"""Deletes: recursive, bulk, and beyond recovery."""

import re
from collections.abc import Iterator
from itertools import pairwise

from hermes_guard.argv import Spec, parse
from hermes_guard.rules.family import Context, Family
from hermes_guard.rules.vital import MANY, look, shown
from hermes_guard.rules.writes_options import CP, RSYNC, RSYNC_DELETES, removes_files
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import Word
from hermes_guard.verdict import Finding

FAMILY = Family("deletes")

RECURSIVE = FAMILY.rule(
    "delete.recursive",
    "deletes a folder and everything in it: {path}",
    effects=("delete",),
    match=(
        "rm -rf node_modules",
        "rm -f -r x",
        "rm --recursive d",
        "rm --recurs d",
        "sudo rm -r d",
        "r\\m -fR d",
        "rm x -r",
        "rimraf dist",
        "lftp -e 'rm -r /www; bye' h",
        "lftp -e 'mirror -R --delete . /www; quit' h",
    ),
    not_match=(
        "rm readme.txt",
        "rm -f readme",
        "rm -v -- -r",
        "rm --help -r",
        "echo rm -rf x",
        "git commit -m 'rm -rf x'",
        "lftp -e 'mirror /www .; bye' h",
    ),
)
BULK = FAMILY.rule(
    "delete.bulk",
    "deletes many files, or files that nobody has named: {path}",
    effects=("delete",),
    match=(
        "rm *",
        "rm -f ./*",
        "find . -name '*.pyc' -delete",
        "find . -exec rm {} +",
        "ls | xargs rm",
        "rm $(git ls-files -o)",
        "fd -e pyc -X rm",
    ),
    not_match=("rm *.o", 'rm "$FILE"', "find . -name '*.pyc' -print", "ls | xargs wc -l", "find . -exec grep rm {} +"),
)
PROTECTED = FAMILY.rule(
    "delete.protected",
    "deletes a file that the system or an account needs: {path}",
    effects=("delete", "write"),
    match=("rm /etc/passwd", "unlink /etc/fstab", "rm -f /var/log/*.gz", "rm /etc/*.conf", "rm .git/HEAD"),
    not_match=(
        "rm /tmp/x",
        "rm src/main.c",
        "rm -f /tmp/*.gz",
        "rm -f .git/index.lock",
        "rm .git/refs/heads/a.lock",
        "rm ~/x/*.zip",
    ),
)
SHRED = FAMILY.rule(
    "delete.shred",
    "overwrites data so that nothing recovers it: {path}",
    effects=("delete",),
    match=("shred -u secret.txt", "srm x"),
    not_match=("shred --help", "man shred"),
)
TRUNCATE = FAMILY.rule(
    "delete.truncate",
    "cuts the content of a file away: {path}",
    effects=("delete",),
    match=(
        "truncate -s 0 app.log",
        "truncate --size=0 db",
        "truncate -s -5 f",
        "cp /dev/null app.db",
        "cat /dev/null > app.db",
        "dd if=/dev/null of=app.sqlite3",
        ": > app.db",
    ),
    not_match=(
        "truncate -s 10M disk.img",
        "truncate --help",
        "cp /dev/null app.log",
        ": > app.log",
        "cat /dev/null > app.log",
        "cat x.sql > app.db",
        "cp /dev/null /tmp/x",
    ),
)
MIRROR = FAMILY.rule(
    "delete.mirror",
    "deletes whatever the source does not have: {path}",
    effects=("delete",),
    match=(
        "rsync -a --delete src/ dst/",
        "rsync --delete-after a b",
        "rsync --remove-source-files a b",
        "rsync -a --del a b",
    ),
    not_match=("rsync -a src/ dst/", "rsync -an --delete a b", "rsync --dry-run --delete a b"),
)
DISCARD = FAMILY.rule(
    "delete.discard",
    "deletes what it has moved, packed or put away: {path}",
    effects=("delete",),
    match=("mv x /dev/null", "tar czf a.tgz --remove-files d", "zip -rm a.zip d", "trash-empty", "gio trash --empty"),
    not_match=("mv a b", "tar czf a.tgz d", "zip -r a.zip d", "trash-put a", "cp x /dev/null"),
)

RM = Spec(
    "r R f i I v d recursive force interactive? one-file-system no-preserve-root preserve-root? "
    "verbose dir help version"
)
_SHRED = Spec("n= s= u? z v x f iterations= size= remove? zero random-source= help version")
_TRUNCATE = Spec("s= c o r= size= no-create io-blocks reference= help version")
_ZIP = Spec("r m 9 q x= i= n= b= t= j T u d move")
#: Sizes that cut: nothing, less than now, at most.
_CUTS = re.compile(r"0+\D?B?$|[-<]")
_EVERYTHING = re.compile(r"(?:.*/)?(?:\.?\*+|\*\.\*|\.\[[!^]\.\]\*)$")


def _names(words: list[Word]) -> str:
    return shown(words) or "what its input names"


@FAMILY.judges("rm", "grm", "rm.real")
def rm(command: Command, context: Context) -> Iterator[Finding]:
    """A recursive rm is asked about, and so is one of many or unnamed files."""
    options = parse(command, RM)
    if options.helps:
        return
    names = _names(options.operands)
    if options.has("r", "R", "recursive"):
        yield RECURSIVE.found(command, path=names)
    elif (
        command.wrapped_by("xargs", "gxargs", "parallel", "find", "gfind", "fd", "fdfind")
        or any(_unnamed(word, command) for word in options.operands)
        or (len(command.args) > 1 and command.args[0].splits and command.args[0].prefix == "")
    ):
        yield BULK.found(command, path=names)
    yield from _protected(options.operands, command, context)


@FAMILY.judges("unlink", "rmdir")
def unlink(command: Command, context: Context) -> Iterator[Finding]:
    """One named file or empty folder is fine, unless somebody needs it."""
    operands = [word for word in command.args if not word.raw.startswith("-")]
    if command.program == "unlink" and command.wrapped_by("xargs", "parallel", "find"):
        yield BULK.found(command, path=_names(operands))
    yield from _protected(operands, command, context)


def _unnamed(word: Word, command: Command) -> bool:
    if word.glob and _EVERYTHING.match(word.raw):
        return True
    return not word.certain and (bool(word.commands) or (command.loop and word.prefix == "" and word.suffix == ""))


_WILD = re.compile(r"[*?]+|\[[^\]/]*\]")


def _protected(operands: list[Word], command: Command, context: Context) -> Iterator[Finding]:
    if command.elsewhere:
        return
    if len(operands) > MANY:
        yield BULK.found(command, path=_names(operands))
    for word in operands[:MANY]:
        path = command.path(word)
        if path is None or _is_lock(path):
            continue
        if word.glob:
            if word.raw[:1] != "/" or path.startswith(f"{context.home}/"):
                continue
            path = _WILD.sub("x", path)
        if look("write", path, context).severity != "allow":
            yield PROTECTED.found(command, path=word.text if word.glob else path)
            return


def _is_lock(path: str) -> bool:
    """What git leaves behind when it was stopped."""
    return path.endswith(".lock") and not path.endswith("/.lock") and "/.git/" in f"/{path}"


@FAMILY.judges("find", "gfind", "bfs")
def find(command: Command, _: Context) -> Iterator[Finding]:
    """`-delete` deletes whatever it finds; `-exec rm` is judged where rm is."""
    if any(word.raw == "-delete" for word in command.args):
        yield BULK.found(command, path=_names([word for word in command.args if not word.raw.startswith("-")][:1]))


@FAMILY.judges("rsync")
def rsync(command: Command, _: Context) -> Iterator[Finding]:
    """Mirrors that delete."""
    options = parse(command, RSYNC)
    if options.has("n", "dry-run", "list-only") or options.helps:
        return
    if options.has(*RSYNC_DELETES):
        yield MIRROR.found(command, path=options.operands[-1].text if options.operands else "")


@FAMILY.judges("shred", "gshred", "srm", "wipe", "scrub")
def shred(command: Command, _: Context) -> Iterator[Finding]:
    """Nothing brings shredded data back."""
    options = parse(command, _SHRED)
    if not options.helps and (options.operands or command.wrappers):
        yield SHRED.found(command, path=_names(options.operands))


@FAMILY.judges("truncate", "gtruncate")
def truncate(command: Command, _: Context) -> Iterator[Finding]:
    """Growing a file is fine, cutting it is not."""
    options = parse(command, _TRUNCATE)
    size = options.value("s", "size")
    if not options.helps and size is not None and (not size.certain or _CUTS.match(size.raw)):
        yield TRUNCATE.found(command, path=_names(options.operands))


#: Files that hold data, not what a program tells about itself.
_DATA = re.compile(r"\.(?:db|db3|sqlite3?|sql|mdb|rdb|dump|ibd|parquet|kdbx|realm)\Z", re.IGNORECASE)
_SILENT = frozenset({":", "true", None, ""})


@FAMILY.judges("*")
def emptied(command: Command, _: Context) -> Iterator[Finding]:
    """A redirection of nothing onto a file of data."""
    for redirect in command.redirects:
        if redirect.operator in {">", ">|", "&>"} and _DATA.search(redirect.target.raw):
            empty = command.program in _SILENT and not command.args
            if empty or (command.program == "cat" and [word.raw for word in command.args] == ["/dev/null"]):
                yield TRUNCATE.found(command, path=redirect.target.text)


@FAMILY.judges("cp", "gcp", "dd", "install")
def copied_nothing(command: Command, _: Context) -> Iterator[Finding]:
    """The null device copied onto a file of data."""
    texts = [word.raw for word in command.args if not word.raw.startswith("-")]
    if command.program == "dd":
        target = next((text[3:] for text in texts if text.startswith("of=")), "") if "if=/dev/null" in texts else ""
    else:
        target = texts[1] if len(texts) == 2 and texts[0] == "/dev/null" else ""
    if _DATA.search(target):
        yield TRUNCATE.found(command, path=target)


@FAMILY.judges("mv", "gmv")
def mv(command: Command, _: Context) -> Iterator[Finding]:
    """A file that is moved to the null device is gone."""
    options = parse(command, CP)
    target = options.value("t", "target-directory") or (options.operands[-1] if len(options.operands) > 1 else None)
    if target is not None and command.path(target) == "/dev/null":
        yield DISCARD.found(command, path=_names(options.operands))


@FAMILY.judges("tar", "gtar", "bsdtar", "zip", "7z", "7za")
def pack(command: Command, _: Context) -> Iterator[Finding]:
    """Archives that delete what they have packed."""
    program = command.program or ""
    if program.endswith("tar"):
        discards = removes_files(command)
    elif program == "zip":
        discards = parse(command, _ZIP).has("m", "move")
    else:
        discards = any(word.raw == "-sdel" for word in command.args)
    if discards:
        yield DISCARD.found(command, path=_names(list(command.args[-1:])))


@FAMILY.judges("lftp")
def lftp(command: Command, _: Context) -> Iterator[Finding]:
    """Orders that delete on the other machine."""
    for word in command.args:
        if any(_lftp_deletes(order.split()) for order in re.split(r"[;&|\n]", word.raw)):
            yield RECURSIVE.found(command, path=word.text[:80])
            return


def _lftp_deletes(words: list[str]) -> bool:
    return (
        any(word == "rm" and re.match(r"-\w*r", after) for word, after in pairwise(words))
        or "mrm" in words[:-1]
        or ("mirror" in words and any(word == "-e" or word.startswith("--delete") for word in words))
    )


@FAMILY.judges("trash-empty", "gio", "trash-rm", "empty-trash")
def trash(command: Command, _: Context) -> Iterator[Finding]:
    """What leaves the trash is gone."""
    texts = [word.raw for word in command.args]
    if "--help" in texts or (command.program == "gio" and not ("trash" in texts and "--empty" in texts)):
        return
    yield DISCARD.found(command, path="the trash")


@FAMILY.judges("rimraf", "del-cli", "npx", "bunx", "pnpx")
def rimraf(command: Command, _: Context) -> Iterator[Finding]:
    """Recursive deletes of the JavaScript world."""
    words = [word for word in command.args if not word.raw.startswith("-")]
    if command.program in {"npx", "bunx", "pnpx"}:
        if not words or words[0].raw.split("@", 1)[0] not in {"rimraf", "del-cli"}:
            return
        words = words[1:]
    if words:
        yield RECURSIVE.found(command, path=_names(words))
