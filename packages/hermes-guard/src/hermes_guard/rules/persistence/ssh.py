"""Judges commands in options of ssh and related programs."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.argv import Spec, parse
from hermes_guard.rules.family import Context
from hermes_guard.rules.persistence.environment_variables import SSH, code
from hermes_guard.rules.persistence.rules import FAMILY, SSH_RUNS
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import HOLE
from hermes_guard.verdict import Finding

_PROXIES = re.compile(
    r"(?:\S*/)?(?:ssh|nc|ncat|netcat|connect(?:-proxy)?|corkscrew|cloudflared|aws|gcloud|"
    r"socat|proxytunnel|tsh|session-manager-plugin|none|websocat|tailscale)"
    r"(?:\Z|\s[^;|&`<>]*\Z)|none\Z",
    re.IGNORECASE,
)
_SSH_KEYS = re.compile(
    r"(ProxyCommand|LocalCommand|KnownHostsCommand|ProxyUseFdpass|PKCS11Provider|SecurityKeyProvider|"
    r"XAuthLocation|Match)[=\s]\s*(.*)\Z",
    re.IGNORECASE | re.DOTALL,
)
_SSH = Spec(
    "4 6 A a C f G g K k M N n q s T t V v X x Y y r p? B= b= c= D= E= e= F= I= i= J= L= l= m= O= o= P= Q= R= S= W= w=",
    posix=True,
)
_SCP = Spec("3 4 6 A B C p q r v O R s T c= D= F= i= J= l= o= P= S= X= e= rsh= rsync-path=")
_REMOTE_SHELLS = re.compile(r"(?:\S*/)?(?:rsh|sshpass|gcloud|docker|kubectl|podman)\b")
#: Options that name the program for making the connection.
_CONNECTS = {"rsync": ("e", "rsh"), "scp": ("S",), "sftp": ("S",)}


@FAMILY.judges("ssh", "scp", "sftp", "rsync", "autossh", "mosh", "sshfs")
def ssh(command: Command, context: Context) -> Iterator[Finding]:
    """Judge commands in options of ssh."""
    program = command.program or ""
    options = parse(command, _SSH if program in {"ssh", "autossh"} else _SCP)
    for word in options.values("o"):
        found = _SSH_KEYS.match(word.raw)
        if found is None:
            continue
        key, value = found.groups()
        if key.lower() != "proxycommand" or not _PROXIES.match(value.removeprefix("exec ")):
            yield SSH_RUNS.found(command, path=word.text)
            yield from code(value, command, context)
    for word in options.values(*_CONNECTS.get(program, ())):
        if HOLE not in word.raw and not SSH.match(word.raw) and not _REMOTE_SHELLS.match(word.raw):
            yield SSH_RUNS.found(command, path=word.text)
            yield from code(word.raw, command, context)
