"""Judges output files that are named by an option or an operand."""

from collections.abc import Iterator
from itertools import pairwise

from hermes_guard import lazy_re as re
from hermes_guard.argv import Spec, parse
from hermes_guard.rules.common.path_arguments import renamed
from hermes_guard.rules.common.path_findings import BY_NAME, path_rules
from hermes_guard.rules.family import Context
from hermes_guard.rules.hardline.disks import opened_by_socat
from hermes_guard.rules.writes.findings import key_rules, report_writes
from hermes_guard.rules.writes.rules import FAMILY
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_Output = tuple[Spec, tuple[str, ...]]


def _output(spec: str, names: str, *, single: bool = False) -> _Output:
    return Spec(spec, single=single), tuple(names.split())


_PIP = _output("target= t= prefix= root= d= dest= r= i= c=", "target t prefix root dest d")
_SORT = _output(
    "o= output= k= t= S= T= n= i= e b d f g h M r u V z c C m s R key= field-separator= parallel=", "o output"
)
_GPG = _output(
    "o= output= r= recipient= u= local-user= keyring= homedir= options= a d e s c b armor decrypt encrypt sign "
    "batch yes",
    "o output",
)
#: Programs with only `-o`.
_PLAIN = (
    "gcc cc g++ c++ clang clang++ ld as tcc rustc go nasm bison flex pandoc dot protoc zig ghc ocamlopt ocamlfind "
    "swiftc gnatmake gfortran esbuild strace ltrace plantuml xsltproc ssh-keyscan iconv mysqldump msgfmt objdump "
    "tsc gdc dmd ldc2 nim valac emcc wasm-ld"
)
#: The options of each program, and those that name an output file.
_OUTPUTS: dict[str, _Output] = {
    **dict.fromkeys(_PLAIN.split(), _output("o= output= out= O?", "o output out")),
    **dict.fromkeys(("sort", "gsort", "shuf", "gshuf"), _SORT),
    **dict.fromkeys(("gpg", "gpg2"), _GPG),
    **dict.fromkeys(("pip", "pip3"), _PIP),
    "openssl": _output(
        "out= keyout= CAserial= writerand= in= inkey= config= subj= days= newkey= passin= passout=",
        "out keyout",
        single=True,
    ),
    "ssh-keygen": _output(
        "f= t= b= C= N= P= O= I= n= s= V= z= R= F= H= l L y e p q v A c B i k K= m= M= r= S= U W= Y= Z= a= D= E= g "
        "h w= x",
        "f",
    ),
    "keytool": _output("keystore= destkeystore= file= alias= storepass=", "destkeystore", single=True),
    "script": _output("c= a e f q t? I= O= B= T= command= append log-out=", "O log-out B"),
    "mkcert": _output("cert-file= key-file= p12-file= install", "cert-file key-file", single=True),
    "pg_dump": _output("f= file= d= h= p= U= F= t= n= dbname= host= port= username= format=", "f file"),
    "base64": _output("o= i= d D w= output= input= decode wrap=", "o output"),
    "javac": _output("d= cp= classpath= s= h=", "d s h", single=True),
    "tcpdump": _output("w= i= r= c= s= C= G= W= z= Z= n v X A e q U l D", "w"),
    "tshark": _output("w= i= r= c= s= f= Y= T= e= a= b= n V q l", "w"),
    "age": _output("o= output= d e p r= R= i= a", "o output"),
    "minisign": _output("s= p= m= x=", "s"),
}
_LONG_OUTPUTS = ("--output=", "--output-file=", "--outfile=", "--out-file=", "--log-file=", "--logfile=")
_LONG_IGNORED = BY_NAME | path_rules("system-state")


@FAMILY.judges(*_OUTPUTS)
def options_that_write(command: Command, context: Context) -> Iterator[Finding]:
    """Judge programs with an option for their output."""
    spec, names = _OUTPUTS[command.program or ""]
    options = parse(command, spec)
    if options.helps or (command.program == "ssh-keygen" and options.has(*"lyeFLBYRH")):
        return
    yield from report_writes(options.values(*names), command, context, ignore=key_rules(command))


@FAMILY.judges("*")
def long_outputs(command: Command, context: Context) -> Iterator[Finding]:
    """Judge `--output=`, which means the same in nearly every program."""
    if command.program in _OUTPUTS or len(command.argv) < 2:
        return
    for word in command.argv[1:]:
        raw = word.raw
        if raw[:3] in {"--o", "--l"} and raw.startswith(_LONG_OUTPUTS):
            yield from report_writes([word.tail(raw.index("=") + 1)], command, context, ignore=_LONG_IGNORED)


# Operands

_SECOND = "xxd uniq guniq split csplit qpdf pdftotext convert magick ffmpeg mksquashfs genisoimage"
_LUKS_SHOWS = frozenset({"luksDump", "isLuks", "status"})


@FAMILY.judges(*_SECOND.split(), "cryptsetup")
def second_operand(command: Command, context: Context) -> Iterator[Finding]:
    """Judge programs that write their last operand."""
    words = [word for word in command.args if not word.raw.startswith("-")]
    luks = command.program == "cryptsetup"
    if not (luks and any(word.raw in _LUKS_SHOWS for word in words)):
        yield from report_writes(words[1:][-1:], command, context, ignore=BY_NAME, raw=not luks)


@FAMILY.judges("gzip", "bzip2", "xz", "gunzip", "bunzip2", "unxz")
def compressors(command: Command, context: Context) -> Iterator[Finding]:
    """Judge programs that replace their operands, unless they keep, print, list or test them."""
    flags = _short_flags(command)
    if not set(flags) & {"c", "k", "l", "t"}:
        words = [word for word in command.args if not word.raw.startswith("-")]
        yield from report_writes(words, command, context, ignore=BY_NAME)


@FAMILY.judges("objcopy", "strip", "patchelf", "chrpath")
def binaries(command: Command, context: Context) -> Iterator[Finding]:
    """Judge programs that modify an executable, or write a modified one."""
    words = [word for word in command.args if not word.raw.startswith("-")]
    yield from report_writes(words if "o" in _short_flags(command) else words[-1:], command, context, ignore=BY_NAME)


@FAMILY.judges("zip")
def zip_archive(command: Command, context: Context) -> Iterator[Finding]:
    """Judge zip, whose first operand is the archive."""
    words = [word for word in command.args if not word.raw.startswith("-")]
    yield from report_writes(words[:1], command, context, ignore=BY_NAME)


def _short_flags(command: Command) -> str:
    return "".join(word.raw[1:] for word in command.args if word.raw[:1] == "-" and word.raw[1:2] != "-")


# Files beside the work

_TIME = Spec("p f= format= o= output= a append v verbose q quiet l h", posix=True)
_CSPLIT = Spec("f= b= n= k s q z prefix= suffix-format= digits=")
_SCRIPT = Spec("c= a e f q t? I= O= B= T= E= o= m= command= append")
_FIND_FILES = frozenset({"-fls", "-fprint", "-fprint0", "-fprintf"})
_PYTHON_UNPACKS = re.compile(r"-m (?:zipfile|tarfile) (?:-e|--extract)\Z")
_SQLITE_FILE = re.compile(r"(?:^|[\n;])[ \t]*\.(?:output|once|backup|save)[ \t]+[\"']?([^\s\"']+)")


@FAMILY.judges("find", "gfind", "bfs")
def find(command: Command, context: Context) -> Iterator[Finding]:
    """Judge lists that find writes to a file."""
    files = [after for word, after in pairwise(command.args) if word.raw in _FIND_FILES]
    if files:
        yield from report_writes(files, command, context)


@FAMILY.judges("time", "gtime")
def times(command: Command, context: Context) -> Iterator[Finding]:
    """Judge the file for measured times."""
    yield from report_writes(parse(command, _TIME).values("o", "output"), command, context, ignore=BY_NAME)


@FAMILY.judges("csplit")
def csplit(command: Command, context: Context) -> Iterator[Finding]:
    """Judge the names of the output files."""
    yield from report_writes(parse(command, _CSPLIT).values("f", "prefix"), command, context, ignore=BY_NAME)


@FAMILY.judges("script")
def script(command: Command, context: Context) -> Iterator[Finding]:
    """Judge the recording of a session."""
    yield from report_writes(parse(command, _SCRIPT).operands[:1], command, context, ignore=BY_NAME)


@FAMILY.judges("socat")
def socat(command: Command, context: Context) -> Iterator[Finding]:
    """Judge files as addresses."""
    yield from report_writes(opened_by_socat(command), command, context, ignore=BY_NAME)


@FAMILY.judges("sqlite3")
def sqlite(command: Command, context: Context) -> Iterator[Finding]:
    """Judge files that a database shell writes."""
    names = [(name, word) for word in command.args[1:] for name in _SQLITE_FILE.findall(word.raw)[:8]]
    yield from report_writes([renamed(name, word) for name, word in names], command, context, ignore=BY_NAME)


@FAMILY.judges("python", "python3")
def python_unpacks(command: Command, context: Context) -> Iterator[Finding]:
    """Judge archives that a Python module unpacks."""
    if _PYTHON_UNPACKS.match(" ".join(word.raw for word in command.args[:3])):
        yield from report_writes(command.args[4:5], command, context, ignore=BY_NAME)
