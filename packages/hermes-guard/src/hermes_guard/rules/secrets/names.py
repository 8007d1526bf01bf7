"""Secrets that hide in a name which is looked up."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.rules.family import Context
from hermes_guard.rules.secrets.leaving import ENCODING, output
from hermes_guard.rules.secrets.table import DNS, FAMILY
from hermes_guard.rules.secrets.vendors import known_keys
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import HOLE
from hermes_guard.verdict import Finding

_IN_NAME = re.compile(r"[`)][\"']?\.|\.[\"']?(?:`|\$\()")
_NAMING = frozenset({"hostname", "date", "uname", "echo", "printf", "domainname", "dnsdomainname"})
_LOOKUPS = "dig nslookup host drill kdig delv doggo dog getent resolvectl whois finger ping nping hping3 traceroute"


@FAMILY.judges(*_LOOKUPS.split())
def lookups(command: Command, context: Context) -> Iterator[Finding]:
    """Output of commands inside of host names."""
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
