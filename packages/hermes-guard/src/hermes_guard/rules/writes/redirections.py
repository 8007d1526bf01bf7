"""Judges redirections, and programs that write their input or create files."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.argv import Spec, parse
from hermes_guard.rules.common.path_arguments import renamed
from hermes_guard.rules.common.path_findings import BY_NAME, SETTLED, path_rules
from hermes_guard.rules.family import Context
from hermes_guard.rules.writes.findings import key_rules, report_writes
from hermes_guard.rules.writes.rules import DEVICE, FAMILY
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_PORTS = ("/dev/tcp/", "/dev/udp/")
_TEE = Spec("a i p s r E append ignore-interrupts output-error? quiet help version")
_SIZED = Spec("s= c o r= l= n x m= d p z size= reference= length= offset= mode= no-create help version")
_HTPASSWD = Spec("c i m B 2 5 d s p b n v C= r= D")
_CREATE = Spec(
    "p v m= Z? a c d= f h r= t= parents verbose mode= date= time= reference= no-create no-dereference help version"
)
_ED_WRITE = re.compile(r"^(?:\d+,(?:\d+|\$))?[wW]q?[ \t]+(\S+)", re.MULTILINE)


@FAMILY.judges(">")
def redirects(command: Command, context: Context) -> Iterator[Finding]:
    """Judge the redirections of any command."""
    targets = [
        redirect.target
        for redirect in command.redirects
        if redirect.writes and not (redirect.target.raw.startswith(_PORTS) and _only_connects(command))
    ]
    if targets:
        yield from report_writes(targets, command, context, ignore=key_rules(command), config=True)


def _only_connects(command: Command) -> bool:
    """Return True for a port probe, which sends only a line end."""
    if command.program == "cat":
        return any(redirect.operator == "<" and redirect.target.raw == "/dev/null" for redirect in command.redirects)
    return command.program in {":", "true", "echo", "", None} and not command.args


@FAMILY.judges("tee", "gtee", "sponge")
def tee(command: Command, context: Context) -> Iterator[Finding]:
    """Judge programs that write their input to every operand."""
    options = parse(command, _TEE)
    if not options.helps:
        yield from report_writes(options.operands, command, context, config=True)


@FAMILY.judges("truncate", "gtruncate", "fallocate")
def sizes(command: Command, context: Context) -> Iterator[Finding]:
    """Judge programs that change the size of files."""
    options = parse(command, _SIZED)
    if not options.helps:
        yield from report_writes(options.operands, command, context)


@FAMILY.judges("mkfifo", "mknod")
def nodes(command: Command, context: Context) -> Iterator[Finding]:
    """Judge creating pipes and devices."""
    options = parse(command, _SIZED)
    if not options.helps:
        yield from report_writes(options.operands, command, context, raw=False)
    if command.program == "mknod":
        texts = [word.raw for word in command.args if not word.raw.startswith("-")]
        if texts[1:2] in (["b"], ["c"], ["u"]) and texts[1:3] != ["c", "1"]:
            yield DEVICE.found(command, path=texts[0], why="it gives access to a device")


@FAMILY.judges("ed", "red")
def ed(command: Command, context: Context) -> Iterator[Finding]:
    """Judge the file that ed opens, and those that its commands name."""
    options = parse(command, _TEE)
    if not options.helps:
        yield from report_writes(options.operands, command, context, raw=False)
    if command.stdin is not None and command.stdin.text:
        names = _ED_WRITE.findall(command.stdin.text)
        yield from report_writes([renamed(name, command.argv[0]) for name in names[:8]], command, context)


@FAMILY.judges("htpasswd", "htdigest")
def htpasswd(command: Command, context: Context) -> Iterator[Finding]:
    """Judge web server passwords; `-n` only prints, and `-v` only checks."""
    options = parse(command, _HTPASSWD)
    if not options.has("n", "v"):
        yield from report_writes(options.operands[:1], command, context)


@FAMILY.judges("mkdir", "gmkdir")
def mkdir(command: Command, context: Context) -> Iterator[Finding]:
    """Judge directories, which matter only where the machine looks for them."""
    options = parse(command, _CREATE)
    if not options.helps:
        yield from report_writes(options.operands, command, context, only=SETTLED)


@FAMILY.judges("touch", "gtouch")
def touch(command: Command, context: Context) -> Iterator[Finding]:
    """Judge empty files, which matter unless only their name makes them a secret."""
    options = parse(command, _CREATE)
    if not options.helps:
        ignore = BY_NAME | path_rules("search-path")
        yield from report_writes(options.operands, command, context, ignore=ignore, raw=False)


@FAMILY.judges("dd", "dcfldd", "dc3dd", "gdd")
def dd(command: Command, context: Context) -> Iterator[Finding]:
    """Judge the output of dd."""
    files = [word.tail(3) for word in command.args if word.raw.startswith("of=")]
    yield from report_writes(files, command, context, config=True)
