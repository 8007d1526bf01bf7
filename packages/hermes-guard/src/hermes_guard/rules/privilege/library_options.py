"""Judges options that load a library or name a helper program."""

from collections.abc import Iterator
from typing import NamedTuple

from hermes_guard import lazy_re as re
from hermes_guard.argv import Spec, parse
from hermes_guard.rules.family import Context
from hermes_guard.rules.privilege.rules import ESCAPE, FAMILY
from hermes_guard.rules.privilege.variable_values import ANYBODYS
from hermes_guard.shell.command import Command
from hermes_guard.shell.shell_code import SHELLS
from hermes_guard.shell.word import HOLE
from hermes_guard.verdict import Finding


class _Helper(NamedTuple):
    """The options of a program, which of them name a helper, and which values are untrusted.

    A group in the pattern captures shell code.
    """

    spec: Spec
    names: tuple[str, ...]
    foreign: re.Pattern[str]


_LIBRARY = re.compile(r"(?!/usr/|/lib|/opt/|internal\Z)(?:.*/|.*\.(?:so|dylib|dll)\Z)")
_ANY = re.compile(r"(.+)", re.DOTALL)
_PIPE = re.compile(r"[|!]\s*(.*)", re.DOTALL)
_TRACE = Spec(
    "o= e= p= s= u= E= a= b= I= O= P= S= U= X= A= F= l= n= w= x= c C d D f i k q r t T v V y Y z Z h output= trace= "
    "attach= string-limit= user= env= summary-sort-by= follow-forks",
    posix=True,
)
_TUNNEL_ORDERS = (
    *("up", "down", "ipchange", "route-up", "route-pre-down", "tls-verify", "client-connect", "client-disconnect"),
    *("learn-address", "auth-user-pass-verify", "tls-crypt-v2-verify", "plugin"),
)
_HELPERS: dict[str, _Helper] = {
    **dict.fromkeys(("strace", "ltrace"), _Helper(_TRACE, ("o", "output"), _PIPE)),
    "openvpn": _Helper(Spec(" ".join(f"{name}=" for name in _TUNNEL_ORDERS)), _TUNNEL_ORDERS, _ANY),
    "dhclient": _Helper(Spec("sf= cf= lf= pf= s= g= e= d v r x q 1 4 6", single=True), ("sf",), ANYBODYS),
    "udhcpc": _Helper(Spec("s= script= i= interface= p= H= r= O= x= t= T= A= V="), ("s", "script"), ANYBODYS),
    "dnsmasq": _Helper(Spec("dhcp-script= dhcp-luascript= C= conf-file="), ("dhcp-script", "dhcp-luascript"), _ANY),
    **dict.fromkeys(
        ("gpg", "gpg2", "gpg-agent"),
        _Helper(
            Spec("agent-program= pinentry-program= dirmngr-program= photo-viewer= exec-path= o= r= u= d e s a"),
            ("agent-program", "pinentry-program", "dirmngr-program", "photo-viewer", "exec-path"),
            re.compile(r"(?!/usr/|/opt/|/bin/|/nix/)"),
        ),
    ),
    "openssl": _Helper(
        Spec(
            "engine= provider= provider-path= keyform= in= out= key= pre= post= passin= passout= config=", single=True
        ),
        ("engine", "provider", "provider-path", "pre"),
        re.compile(r"SO_PATH:|(?!/usr/|/lib|/opt/)(?:.*/|.*\.(?:so|dylib)\Z)"),
    ),
    "curl": _Helper(Spec("engine= o= d= H= X= u= T= F= A= b="), ("engine",), _LIBRARY),
    **dict.fromkeys(
        ("ssh", "scp", "sftp", "autossh"),
        _Helper(
            Spec(
                "I= F= i= o= p= l= L= R= D= J= E= S= W= b= c= e= m= B= O= Q= w= P= A C N f n q r t v T x X Y 4 6",
                posix=True,
            ),
            ("I", "F"),
            re.compile(rf".*\.(?:so|dylib)\Z|{ANYBODYS.pattern}"),
        ),
    ),
    "enable": _Helper(Spec("f= a d n p s"), ("f",), _LIBRARY),
    **dict.fromkeys(
        ("gcc", "g++", "cc", "c++", "clang", "clang++"),
        _Helper(
            Spec("fplugin= fpass-plugin= specs= o= I= L= D= U= l= x= c", single=True),
            ("fplugin", "fpass-plugin", "specs"),
            re.compile(rf"{ANYBODYS.pattern}|\.\.?/"),
        ),
    ),
    "git": _Helper(Spec("exec-path? C= c= git-dir= work-tree= namespace=", posix=True), ("exec-path",), ANYBODYS),
    **dict.fromkeys(
        ("npm", "pnpm", "yarn", "npx"),
        _Helper(
            Spec("script-shell= node-options= shell="),
            ("script-shell", "shell", "node-options"),
            re.compile(rf"{ANYBODYS.pattern}|.*(?:--require|--import|-r)[\s=]+{ANYBODYS.pattern}"),
        ),
    ),
    "cargo": _Helper(
        Spec("config= p= F= j= Z= C= target= features= manifest-path= package="),
        ("config",),
        re.compile(
            r"\s*(?:build\.rustc(?:-wrapper|-workspace-wrapper)?|target\..*\.(?:runner|linker)|"
            r"credential-alias\..*|alias\..*)\s*=\s*[\"'\[]*(?!sccache|cachepot)(?:.*/|.*\bsh\b)"
        ),
    ),
}
_HELP = frozenset({"--help", "-h", "--version"})


@FAMILY.judges(*_HELPERS)
def loads(command: Command, context: Context) -> Iterator[Finding]:
    """Ask about options whose value is loaded or started."""
    spec, names, foreign = _HELPERS[command.program or ""]
    if len(command.argv) == 2 and command.argv[1].raw in _HELP:
        return
    for word in parse(command, spec).values(*names)[:8]:
        found = foreign.match(word.raw[:2000])
        if found is None or word.raw == HOLE:
            continue
        yield ESCAPE.found(command, path=word.text[:80])
        if foreign.groups and found.group(1):
            yield from context.judge_code(found.group(1).replace(HOLE, "unknown"), command)


_PIPED_FILE = re.compile(r"-s?OutputFile=%pipe%(.*)|-o%pipe%(.*)", re.DOTALL)
_WRITE18 = re.compile(r"\\write18\s*\{([^{}]*)\}")
_TEX = ("tex", "latex", "pdftex", "pdflatex", "xelatex", "lualatex", "luatex", "xetex")


@FAMILY.judges("gs", "ghostscript", *_TEX)
def documents(command: Command, context: Context) -> Iterator[Finding]:
    """Judge commands in the arguments of a typesetter."""
    for word in command.args[:32]:
        found = _PIPED_FILE.match(word.raw) if command.program in {"gs", "ghostscript"} else _WRITE18.search(word.raw)
        if found is not None:
            yield ESCAPE.found(command, path=word.text[:80])
            yield from context.judge_code(next(filter(None, found.groups()), "").replace(HOLE, "unknown"), command)


@FAMILY.judges("websocketd", "shell2http", "wetty", "tty-share", "upterm", "sshx")
def served_shells(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about shells served to remote users."""
    names = {word.raw.rsplit("/", 1)[-1] for word in command.args[:32] if not word.raw.startswith("-")}
    always = command.program in {"wetty", "tty-share", "upterm", "sshx"}
    if (always or names & SHELLS) and _HELP.isdisjoint(word.raw for word in command.args):
        yield ESCAPE.found(command, path=" ".join(command.texts[1:])[:80])
