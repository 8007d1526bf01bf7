"""Judges unpacking archives and applying patches."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.argv import Options, Spec, parse
from hermes_guard.rules.common.file_tool_options import TAR, tar_folders
from hermes_guard.rules.common.path_arguments import below, renamed
from hermes_guard.rules.common.path_findings import BY_NAME, judged
from hermes_guard.rules.family import Context
from hermes_guard.rules.writes.findings import report_writes
from hermes_guard.rules.writes.rules import ARCHIVE, FAMILY, STARTUP, UNKNOWN_PATCH
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import Word
from hermes_guard.verdict import Finding

#: Archives that, by their name, contain hidden files of a home directory.
_HOME_ARCHIVE = re.compile(r"dot|home|conf|backup|profile|setting|bash|zsh|shell|rc\b", re.IGNORECASE)
#: A decompression program that can run anything.
_INTERPRETER = re.compile(r"\S*(?:sh|python\d?|perl|ruby|node)(?:\s|$)")
_ENDS_IN_D = re.compile(r"-[a-zA-Z]{1,8}d\Z")
#: Letters of unzip that list, test or print.
_UNZIP_SHOWS = re.compile(r"-[A-Za-z]*[ltZzv]")
_CPIO = Spec(
    "i o p r w d m u v t c a A B C= D= E= F= H= I= L M= O= R= V f n k s= absolute-filenames no-absolute-filenames "
    "directory= extract create pass-through list make-directories help version"
)
_PATCH = Spec(
    "b c C d= D= e E f F= g= i= l n N o= p= r= R s S t T u v V= Y= z= Z B= directory= input= output= strip= "
    "dry-run reverse forward backup prefix= suffix= reject-file= merge? batch force silent quiet verbose posix "
    "help version fuzz= unified context binary"
)
_PATCHED = re.compile(r"^\+\+\+ ([^\t\n]+)", re.MULTILINE)


@FAMILY.judges("tar", "gtar", "bsdtar", "star")
def tar(command: Command, context: Context) -> Iterator[Finding]:
    """Judge where an archive is unpacked or written, and what runs meanwhile."""
    options = parse(command, TAR)
    if options.helps:
        return
    for word in _tar_runs(options):
        yield ARCHIVE.found(command, path=word.text)
        yield from context.judge_code(word.raw, command)
    if options.has("x", "extract", "get"):
        folders = tar_folders(options, command)
        yield from _unpacked(folders, options.operands, command, context)
        if not options.operands:
            yield from _fills_home(folders[-1:], options.value("f", "file"), command, context)
        if options.has("P", "absolute-names"):
            yield ARCHIVE.found(command, path=str(options.value("f", "file") or "its input"))
    elif options.has("c", "r", "u", "A", "create", "append", "update"):
        yield from report_writes([options.value("f", "file")], command, context)


def _fills_home(folders: list[Word], archive: Word | None, command: Command, context: Context) -> Iterator[Finding]:
    """Yield True for archives of hidden files that overwrite those of the home."""
    for word in folders:
        path = command.path(word)
        own = path == context.home and archive is not None and _HOME_ARCHIVE.search(archive.raw.rsplit("/", 1)[-1])
        if (own or path == f"{context.home}/.config") and not command.contained:
            yield STARTUP.found(command, path=path or "", why="its hidden files start with every shell")


def _tar_runs(options: Options) -> list[Word]:
    """Judge the code that runs while an archive is read or written."""
    scripts = options.values("to-command", "info-script", "new-volume-script", "rsh-command", "rmt-command", "F")
    actions = [word.tail(5) for word in options.values("checkpoint-action") if word.raw.startswith("exec=")]
    filters = [word for word in options.values("I", "use-compress-program") if _INTERPRETER.match(word.raw)]
    return scripts + actions + filters


def _unpacked(folders: list[Word], members: list[Word], command: Command, context: Context) -> Iterator[Finding]:
    yield from report_writes(folders, command, context, ignore=BY_NAME)
    base = folders[-1] if folders else None
    if base is None:
        if command.cwd and command.cwd != ".":
            yield from report_writes([renamed(command.cwd, command.argv[0])], command, context, ignore=BY_NAME)
        named = members
    else:
        named = [below(base, word.raw) for word in members]
    yield from report_writes(named, command, context, ignore=BY_NAME)


@FAMILY.judges("7z", "7za", "7zr", "7zz")
def seven_zip(command: Command, context: Context) -> Iterator[Finding]:
    """Judge 7-Zip, whose option for the directory includes its value."""
    folders = [word.tail(2) for word in command.args if len(word.raw) > 2 and word.raw[:2] in {"-o", "-d"}]
    yield from _unpacked_below(folders, command, context)


@FAMILY.judges("unzip", "unrar", "bsdunzip", "unar", "jar", "ditto", "unsquashfs")
def unzip(command: Command, context: Context) -> Iterator[Finding]:
    """Judge other archivers, with their ways to name a directory."""
    if command.program == "unzip" and any(_UNZIP_SHOWS.match(word.raw) for word in command.args):
        return
    folders: list[Word] = []
    for number, word in enumerate(command.args):
        if word.raw in {"-d", "-o", "-C"} or _ENDS_IN_D.match(word.raw):
            folders.extend(command.args[number + 1 : number + 2])
        elif word.raw.startswith("-d"):
            folders.append(word.tail(2))
    if command.program == "unrar" and command.args and command.args[-1].raw.endswith("/"):
        folders.append(command.args[-1])
    yield from _unpacked_below(folders, command, context)
    archive = next((word for word in command.args if word.raw[:1] != "-" and word not in folders), None)
    yield from _fills_home(folders[-1:], archive, command, context)


def _unpacked_below(folders: list[Word], command: Command, context: Context) -> Iterator[Finding]:
    """Replace a plain name, which is a new directory here."""
    named = [word for word in folders if "/" in word.raw or word.raw in {"~", ".."}]
    yield from report_writes(named, command, context, ignore=BY_NAME)


@FAMILY.judges("cpio", "pax")
def cpio(command: Command, context: Context) -> Iterator[Finding]:
    """Judge copying in and passing through."""
    options = parse(command, _CPIO)
    if options.helps or options.has("t", "list"):
        return
    if options.has("absolute-filenames"):
        yield ARCHIVE.found(command, path="absolute names")
    words = [options.value("D", "directory"), options.value("O")]
    if options.has("p", "pass-through") or (command.program == "pax" and options.has("r") and options.has("w")):
        words += options.operands[-1:]
    yield from report_writes(words, command, context)
    if options.has("i", "extract", "r") and command.cwd and command.cwd != ".":
        yield from report_writes([renamed(command.cwd, command.argv[0])], command, context)


@FAMILY.judges("patch", "gpatch")
def patch(command: Command, context: Context) -> Iterator[Finding]:
    """Judge patches of a named file, into a directory, or of the files that the text names."""
    options = parse(command, _PATCH)
    if options.helps or options.has("dry-run", "C"):
        return
    yield from report_writes([options.value("o", "output"), *options.operands[:1]], command, context)
    folder = options.value("d", "directory")
    if folder is not None:
        for path, _ in judged("write", folder, command, context, ignore=BY_NAME):
            yield UNKNOWN_PATCH.found(command, path=path)
            break
    if command.stdin is not None and command.stdin.text:
        for name in _patched_names(command.stdin.text, options):
            for path, _ in judged("write", renamed(name, command.argv[0]), command, context):
                yield UNKNOWN_PATCH.found(command, path=path)
                return


def _patched_names(text: str, options: Options) -> Iterator[str]:
    """Yield the files that a patch names, with and without the first component, because `-p` is easily forgotten."""
    strip = options.value("p", "strip")
    count = int(strip.raw) if strip is not None and strip.raw.isdecimal() and len(strip.raw) < 4 else 0
    for found in _PATCHED.findall(text)[:16]:
        name = found.strip()
        for spelling in (name, "/".join(name.split("/")[count:])):
            if spelling not in {"", "/dev/null"}:
                yield spelling
