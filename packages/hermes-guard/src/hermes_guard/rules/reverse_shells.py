"""Rules for shells and tunnels that give remote access."""

import itertools
from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.argv import Spec, parse
from hermes_guard.name_sets import names
from hermes_guard.rules.common.port_checks import only_asks
from hermes_guard.rules.family import Context, Family, abbreviate
from hermes_guard.shell.command import Command
from hermes_guard.shell.shell_code import SHELLS
from hermes_guard.verdict import Finding

FAMILY = Family("reverse_shells")

DEVICE = FAMILY.rule("reverse.device", "talks to another machine through {path}", effects=("network", "execute"))
NETCAT = FAMILY.rule("reverse.netcat", "connects a program to the network: {path}", effects=("network", "execute"))
TUNNEL = FAMILY.rule("reverse.tunnel", "lets other machines connect to this one: {path}", effects=("network",))
TOOLKIT = FAMILY.rule("reverse.toolkit", "is a tool for breaking into machines: {path}", effects=("network", "execute"))
DISPLAY = FAMILY.rule(
    "reverse.display", "gives another machine a screen, a terminal or a login: {path}", effects=("network",)
)
_NETWORK = ("/dev/tcp/", "/dev/udp/")
_NETCATS = names("nc ncat netcat nc.openbsd nc.traditional nc6 pwncat rustcat rcat cryptcat powercat dbd sbd")
_NC = Spec(
    "e= c= l k v n u z w= p= s= i= q= o= x= X= P= T= O= I= M= m= W= G= g= r t d D h 4 6 U L N S C b F exec= sh-exec= "
    "lua-exec= listen keep-open ssl proxy= proxy-type= "
    "proxy-auth= source= source-port= wait= idle-timeout= output= allow= deny= max-conns= verbose send-only recv-only "
    "crlf help version broker chat ssl-cert= ssl-key= ssl-verify"
)


@FAMILY.judges(">")
def devices(command: Command, context: Context) -> Iterator[Finding]:
    """Ask about redirections to bash's network devices, except for port probes."""
    for redirect in command.redirects:
        if redirect.target.raw.startswith(_NETWORK) and redirect.operator not in {"<<", "<<-", "<<<"}:
            if not only_asks(command, redirect, context):
                yield DEVICE.found(command, path=redirect.target.text)
            return


@FAMILY.judges(*SHELLS, "python", "python3", "cmd.exe")
def shells(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about a shell attached to a network connection."""
    for reader in command.feeds:
        if _connects(reader):
            yield NETCAT.found(command, path=abbreviate(reader, 80))
            return


def _connects(command: Command) -> bool:
    program = command.program or ""
    return (
        program in _NETCATS
        or program in {"telnet", "socat"}
        or (program == "openssl" and any(word.raw == "s_client" for word in command.args))
    )


@FAMILY.judges(*_NETCATS, "telnet", "openssl")
def netcat(command: Command, _: Context) -> Iterator[Finding]:
    """Judge netcat and its variants that start a program, or whose output a shell reads."""
    program = command.program or ""
    if program == "openssl" and not any(word.raw in {"s_client", "s_server"} for word in command.args):
        return
    if program not in {"telnet", "openssl"}:
        options = parse(command, _NC)
        if options.helps or options.has("h"):
            return
        started = options.value("e", "exec", "sh-exec", "lua-exec") or (
            options.value("c") if program != "nc6" else None
        )
        if started is not None and (options.operands or options.has("l", "listen", "p")):
            yield NETCAT.found(command, path=abbreviate(command, 80))
            return
    if any(reader.program in SHELLS and not any(word.raw == "-c" for word in reader.args) for reader in command.feeds):
        yield NETCAT.found(command, path=abbreviate(command, 80))


@FAMILY.judges("socat")
def socat(command: Command, _: Context) -> Iterator[Finding]:
    """Judge socat with a program at one end."""
    for word in command.args:
        if re.search(r"(?:^|,|!!)(?:exec|system|shell):", word.raw, re.IGNORECASE):
            yield NETCAT.found(command, path=abbreviate(command, 80))
            return


@FAMILY.judges("nc", "ncat", "netcat", "socat", "busybox")
def fifos(command: Command, context: Context) -> Iterator[Finding]:
    """Ask about a named pipe that feeds a connection into a shell."""
    pipes = [word.raw for other in context.commands if other.program in {"mkfifo", "mknod"} for word in other.args]
    if not pipes or command.program == "busybox":
        return
    written = (
        {redirect.target.raw for redirect in command.redirects}
        | {word.raw for reader in command.feeds if reader.program in {"tee", "cat"} for word in reader.args}
        | {redirect.target.raw for reader in command.feeds for redirect in reader.redirects}
    )
    if written & set(pipes) and any(other.program in SHELLS or "sh" in other.texts for other in context.commands):
        yield NETCAT.found(command, path=abbreviate(command, 80))


_ELSEWHERE = re.compile(r"(?!localhost|127\.|unix|\[?::1)[\w.-]+:\d")


_TERMINALS = names("xterm uxterm rxvt urxvt")
#: Programs that serve remote users whatever their arguments.
_SERVERS = names("telnetd in.telnetd utelnetd x11vnc tcpserver x0vncserver rshd dropbear")


@FAMILY.judges(*_TERMINALS, *_SERVERS, "xhost", "zmodload", "websocat")
def displays(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about screens and terminals for remote users."""
    texts = [word.raw for word in command.args]
    if "--help" not in texts and "--version" not in texts and _shares(command, texts):
        yield DISPLAY.found(command, path=abbreviate(command, 80))


def _shares(command: Command, texts: list[str]) -> bool:
    program = command.program or ""
    if program in _TERMINALS:
        shown_at = [after for text, after in itertools.pairwise(texts) if text in {"-display", "--display"}]
        return any(_ELSEWHERE.match(text) for text in (*shown_at, command.assignments.get("DISPLAY", "")))
    if program == "xhost":
        return any(text.startswith("+") for text in texts) and not {"+local:", "+si:localuser:root"}.intersection(texts)
    if program == "zmodload":
        return "zsh/net/tcp" in texts or "zsh/net/socket" in texts
    if program == "websocat":
        return any(text.startswith(("cmd:", "sh-c:", "exec:")) for text in texts)
    return bool(texts)


_SSH_NAMES = (
    "4 6 A a C f G g K k M N n q s T t V v X x Y y B= b= c= D= E= e= F= I= i= J= L= l= m= O= o= P= p= Q= R= S= W= w="
)
_SSH, _AUTOSSH = Spec(_SSH_NAMES, posix=True), Spec(f"{_SSH_NAMES} M=", posix=True)


@FAMILY.judges("ssh", "autossh", "plink", "dbclient")
def ssh(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about a port of a remote machine that is forwarded to this one."""
    options = parse(command, _AUTOSSH if command.program == "autossh" else _SSH)
    given = options.value("R")
    forwarded = any(re.match(r"RemoteForward\b", word.raw, re.IGNORECASE) for word in options.values("o"))
    if (given is not None or forwarded) and not options.has("G", "V"):
        yield TUNNEL.found(command, path=abbreviate(command, 80))


#: Programs with other uses, and the verbs that give remote access.
_TUNNEL_VERBS = {
    "ngrok": names("http tcp tls start start-all"),
    "cloudflared": names("tunnel access"),
    "chisel": names("client server"),
    "bore": names("local server"),
    "tailscale": names("funnel serve"),
    "zrok": names("share"),
    "inlets": names("client server http tcp"),
    "code": names("tunnel"),
    "upterm": names("host"),
    "expose": names("share"),
    "npx": names("localtunnel ngrok untun"),
    "devtunnel": names("host"),
}
_TUNNELS = names(
    """
    lt localtunnel tmate frpc frps ttyd gotty shellinabox shellinaboxd gsocket gs-netcat pwncat pwncat-cs ligolo-ng
    rathole wstunnel pagekite serveo telebit sshx teleconsole dnscat dnscat2 iodine ptunnel weevely villain havoc
    sliver evil-winrm
    """
)
_HELP = names("--help -h --version version help -v -V")
#: Verbs of `cloudflared tunnel` and `tailscale serve` that open nothing.
_QUIET = names("list info login cleanup delete create route status")


@FAMILY.judges(*_TUNNELS, *_TUNNEL_VERBS)
def tunnels(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about programs whose purpose is remote access."""
    texts = [word.raw for word in command.args]
    if _HELP.intersection(texts):
        return
    words = [text for text in texts if not text.startswith("-")]
    verbs = _TUNNEL_VERBS.get(command.program or "")
    if verbs is not None and (not words or words[0].split("@")[0] not in verbs):
        return
    if command.program not in {"cloudflared", "tailscale"} or not _QUIET.intersection(words[1:2]):
        yield TUNNEL.found(command, path=abbreviate(command, 80))


_TOOLKITS = names(
    """
    msfvenom msfconsole hydra sqlmap responder mimikatz john hashcat crackmapexec nxc impacket-secretsdump
    secretsdump.py psexec.py bettercap ettercap arpspoof aircrack-ng beef-xss setoolkit empire covenant linpeas.sh
    linpeas pspy64
    """
)


@FAMILY.judges(*_TOOLKITS)
def toolkits(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about tools that ordinary work does not need."""
    if not any(word.raw in {"--help", "-h", "--version", "-V", "--list"} for word in command.args):
        yield TOOLKIT.found(command, path=abbreviate(command, 80))
