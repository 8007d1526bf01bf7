"""Judges files that a program reads because of an option, an address or a script."""

from collections.abc import Iterator
from itertools import islice

from hermes_guard import lazy_re as re
from hermes_guard.argv import Spec, parse
from hermes_guard.rules.common.path_findings import BY_NAME, READ_IGNORED
from hermes_guard.rules.family import Context
from hermes_guard.rules.secrets.findings import OBEYED, SHOWN, reads
from hermes_guard.rules.secrets.rules import FAMILY
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import HOLE, Word
from hermes_guard.verdict import Finding

_OPENSSL = Spec("in= inkey= key= out= pass= passin= connect= CAfile=", single=True)
_ENCODERS = frozenset({"enc", "base64", "aes-256-cbc", "smime", "cms", "rsautl", "pkeyutl", "zlib"})
_PYTHON_READERS = frozenset({"json.tool", "base64", "tarfile", "zipfile", "gzip", "quopri", "uu"})


@FAMILY.judges("dd", "gdd", "dcfldd")
def dd(command: Command, context: Context) -> Iterator[Finding]:
    """Judge the input file of dd."""
    words = [word.tail(3) for word in command.args if word.raw.startswith("if=")]
    yield from reads(words, command, context, ignore=READ_IGNORED - {"path.device"} | {"path.raw-disk-read"})


@FAMILY.judges("openssl")
def openssl(command: Command, context: Context) -> Iterator[Finding]:
    """Judge what openssl encodes or shows; using a key is allowed."""
    options = parse(command, _OPENSSL)
    if options.subcommand() in _ENCODERS or "-d" in command.texts:
        yield from reads(options.values("in"), command, context)
    else:
        yield from reads(options.values("in", "inkey", "key"), command, context, ignore=READ_IGNORED | BY_NAME)


@FAMILY.judges("python", "python3")
def python(command: Command, context: Context) -> Iterator[Finding]:
    """Judge modules that print a file."""
    args = command.args
    if len(args) > 2 and args[0].raw == "-m" and args[1].raw in _PYTHON_READERS:
        yield from reads(args[2:], command, context)


@FAMILY.judges("docker", "podman", "kubectl")
def containers(command: Command, context: Context) -> Iterator[Finding]:
    """Judge files that are copied into a container."""
    words = [word for word in command.args if not word.raw.startswith("-")]
    if len(words) > 2 and words[0].raw == "cp" and ":" not in words[-2].raw:
        yield from reads(words[1:-1], command, context)


@FAMILY.judges("socat")
def socat(command: Command, context: Context) -> Iterator[Finding]:
    """Judge files at one end of a connection."""
    for word in command.args:
        kind, _, rest = word.raw.partition(":")
        if kind.upper() in {"FILE", "OPEN", "GOPEN"}:
            name = Word(rest.split(",", 1)[0], word.source, word.span)
            yield from reads([name], command, context, ignore=SHOWN)


#: Options of programs that print a file or follow its content; `*` stands for the operands, `1` for the first.
_BY_OPTION: dict[str, tuple[Spec, tuple[str, ...]]] = {
    **dict.fromkeys(
        ("xargs", "gxargs"),
        (Spec("a= arg-file= I= i? n= P= L= l? s= d= E= e? 0 r t p x", posix=True), ("a", "arg-file")),
    ),
    "date": (Spec("f= file= d= date= r= reference= s= set= I? u R"), ("f", "file")),
    "file": (Spec("f= files-from= F= e= m= P= separator= magic-file="), ("f", "files-from")),
    "wc": (Spec("files0-from= c m l L w"), ("files0-from",)),
    "du": (Spec("files0-from= d= X= t= B= max-depth= exclude= threshold="), ("files0-from",)),
    "cmp": (Spec("i= n= l s b ignore-initial= bytes="), ("*",)),
    "cpp": (Spec("D= U= I= o= include= x="), ("*", "include")),
    "m4": (Spec("D= U= I= F= R= P"), ("*",)),
    **dict.fromkeys(("kubectl", "oc"), (Spec("n= namespace= from-file= from-env-file= context="), ("from-file",))),
    **dict.fromkeys((".", "source"), (Spec(posix=True), ("1",))),
    **dict.fromkeys(("bash", "sh", "zsh", "dash", "ksh"), (Spec("c= o= O= rcfile= init-file=", posix=True), ("1",))),
    **dict.fromkeys(("python", "python3"), (Spec("c= m= W= X= Q=", posix=True), ("1",))),
}
_NAMED = re.compile(r"[\w.-]+=")


@FAMILY.judges(*_BY_OPTION)
def by_option(command: Command, context: Context) -> Iterator[Finding]:
    """Judge credentials that are passed to programs which rarely read them."""
    spec, names = _BY_OPTION[command.program or ""]
    options = parse(command, spec)
    words = options.values(*names)
    if "*" in names:
        words += options.operands
    elif "1" in names and not options.has("c", "m"):
        words += options.operands[:1]
    words = [word.tail(word.raw.index("=") + 1) if _NAMED.match(word.raw) else word for word in words]
    sourced = command.program in {".", "source"}  # the values remain in this shell
    yield from reads(words, command, context, ignore=OBEYED - {"path.hermes-secret"} if sourced else OBEYED)


@FAMILY.judges("gcc", "cc", "clang", "g++")
def preprocessed(command: Command, context: Context) -> Iterator[Finding]:
    """Judge a preprocessor, which prints its input."""
    if any(word.raw == "-E" for word in command.args):
        words = [word for word in command.args if not word.raw.startswith("-")]
        yield from reads(words, command, context, ignore=READ_IGNORED | BY_NAME)


_INNER_FILES: dict[str, re.Pattern[str]] = {
    **dict.fromkeys(("sed", "gsed"), re.compile(r"(?:^|[;{}\n/$\d])[ \t]*[rR][ \t]+([^\s;}]+)")),
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk"), re.compile(r"getline[^<\n;]{0,40}<[ \t]*\"([^\"]+)\"")),
    "sqlite3": re.compile(r"(?:readfile\s*\(\s*'|\.(?:read|import)[ \t]+[\"']?)([^\s'\"]+)", re.IGNORECASE),
    "psql": re.compile(
        r"(?:\\copy\b[^\n]{0,200}?\bfrom\s+'|\\ir?\s+'?|pg_read_(?:binary_)?file\s*\(\s*')([^\s'\"]+)", re.IGNORECASE
    ),
}


@FAMILY.judges(*_INNER_FILES)
def inner_files(command: Command, context: Context) -> Iterator[Finding]:
    """Judge files that the script of a program reads."""
    pattern = _INNER_FILES[command.program or ""]
    names = [name for word in command.args[:16] for name in pattern.findall(word.raw[:4000])[:8]]
    if names:
        words = [Word(name, name, command.span) for name in names]
        yield from reads(words, command, context, ignore=READ_IGNORED | BY_NAME)


_SHELL_READ = re.compile(r"(?:\$\(|`)[ \t]*<[ \t]*[\"']?([^\s\"'`)<(]+)[\"']?[ \t]*(?:\)|`)")
_HOME = re.compile(r"(?:~|\$HOME|\$\{HOME\})(?=/)")


@FAMILY.judges("*")
def shell_reads(command: Command, context: Context) -> Iterator[Finding]:
    """Judge the shell's own way to read a file: `$(< file)`."""
    for word in command.argv:
        if HOLE in word.raw and "<" in word.source:
            names = [found.group(1) for found in islice(_SHELL_READ.finditer(word.source), 4)]
            homes = [found.end() if (found := _HOME.match(name)) else 0 for name in names]
            paths = [context.home + name[end:] if end else name for name, end in zip(names, homes, strict=True)]
            yield from reads([Word(path, word.source, word.span) for path in paths], command, context, ignore=SHOWN)
