"""Judges data that is sent through a network connection, or inside a host name that is looked up."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.argv import Spec, parse
from hermes_guard.rules.family import Context
from hermes_guard.rules.secrets.destinations import DROPS, HERE, NAMES_HERE
from hermes_guard.rules.secrets.rules import DNS, FAMILY, PUBLISH, UPLOAD
from hermes_guard.rules.secrets.sensitive_data import (
    ENCODING,
    flowing_in,
    inside,
    kept_file,
    output,
    source,
)
from hermes_guard.rules.secrets.sensitive_files import filled
from hermes_guard.rules.secrets.vendor_keys import known_keys
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import HOLE
from hermes_guard.verdict import Finding

_NC = Spec(
    "4 6 C D d F h k l n N r S t U u v Z z c= e= g= G= i= I= m= M= O= o= p= P= q= s= "
    "T= V= W= w= x= X= Y= listen ssl exec= sh-exec= proxy="
)
_NETCATS = frozenset({"nc", "ncat", "netcat", "nc.openbsd", "nc.traditional"})
_QUIET_SOURCES = frozenset({"echo", "printf", "yes", "true", ":", "sleep"})
#: They talk to one kind of server, so unknown input does not indicate a leak.
_ORDINARY = frozenset({"openssl", "websocat", "ftp", "tftp"})


@FAMILY.judges(*sorted(_NETCATS), *sorted(_ORDINARY), "socat", "telnet", "ssh", "gsocket", "cryptcat", "sbd")
def sockets(command: Command, context: Context) -> Iterator[Finding]:
    """Ask about sensitive data that is sent through a connection."""
    program = command.program or ""
    texts = [word.raw for word in command.args]
    if (program == "openssl" and "s_client" not in texts) or _stays_here(command):
        return
    if program == "ssh":  # what a script sends to another machine of the user is not the guard's concern
        found = output(command.stdin.commands, context) if command.stdin is not None else ""
        found = found or _from_file(command, context)
    else:
        found = flowing_in(command, context) or inside(command.args, context) or _from_file(command, context)
    if found:
        yield UPLOAD.found(command, path=found)
        return
    stdin = command.stdin
    if program in {"ssh", "telnet"} or stdin is None:
        return
    if any(DROPS.search(text) for text in texts):
        yield PUBLISH.found(command, path="its input")
        return
    loud = stdin.commands and not all(writer.program in _QUIET_SOURCES for writer in stdin.commands)
    if (stdin.file is not None or loud) and program not in _ORDINARY:
        yield UPLOAD.found(command, path=stdin.file.text if stdin.file is not None else "its input")


def _from_file(command: Command, context: Context) -> str:
    """Return a file that is sent, directly or after an earlier command has written it."""
    file = command.stdin.file if command.stdin is not None else None
    return "" if file is None else kept_file([file], command, context) or filled([file], command, context)


def _stays_here(command: Command) -> bool:
    """Return True when the peer is local, or when only a port is probed."""
    if command.program in _NETCATS:
        options = parse(command, _NC)
        return options.has("z") or any(HERE.match(word.raw) for word in options.operands)
    return any(NAMES_HERE.search(word.raw[:400]) for word in command.args)


@FAMILY.judges(">")
def shell_sockets(command: Command, context: Context) -> Iterator[Finding]:
    """Ask about secrets that are written into a connection opened by the shell."""
    for redirect in command.redirects:
        if redirect.writes and redirect.target.raw.startswith(("/dev/tcp/", "/dev/udp/")):
            found = source(command, context) or flowing_in(command, context)
            if found:
                yield UPLOAD.found(command, path=found)


_IN_NAME = re.compile(r"[`)][\"']?\.|\.[\"']?(?:`|\$\()")
_NAMING = frozenset({"hostname", "date", "uname", "echo", "printf", "domainname", "dnsdomainname"})
_LOOKUPS = "dig nslookup host drill kdig delv doggo dog getent resolvectl whois finger ping nping hping3 traceroute"


@FAMILY.judges(*_LOOKUPS.split())
def lookups(command: Command, context: Context) -> Iterator[Finding]:
    """Ask about command output inside of host names."""
    for word in command.args:
        programs = {inner.program for inner in word.commands}
        if not programs <= _NAMING and _IN_NAME.search(word.source):
            yield DNS.found(command, path=word.text)
            return
        if known_keys(word):
            yield DNS.found(command, path=word.text)
            return
    inner = [found for word in command.args for found in word.commands]
    programs = {found.program for found in inner}
    if command.loop and any(HOLE in word.raw and word.suffix.startswith(".") for word in command.args):
        programs |= {other.program for other in context.commands}
    if programs & ENCODING or output(inner, context):
        yield DNS.found(command, path=" ".join(command.texts[1:])[:80])
