"""Judges access from outside: tunnels, and servers of a whole directory."""

from collections.abc import Callable, Iterator
from itertools import pairwise

from hermes_guard.argv import Spec, parse
from hermes_guard.rules.common.argument_checks import ANY, Way, ordered
from hermes_guard.rules.common.path_findings import READ_IGNORED
from hermes_guard.rules.family import Context
from hermes_guard.rules.secrets.findings import holding_keys, is_top, secret
from hermes_guard.rules.secrets.rules import FAMILY, TUNNEL
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import Word
from hermes_guard.verdict import Finding

_TUNNELS: dict[str, Way] = {
    "ngrok": lambda words: words[0] in {"http", "tcp", "tls", "start", "tunnel"},
    "cloudflared": lambda words: (
        words[0] == "tunnel" and ("run" in words or any(word.startswith("--url") for word in words))
    ),
    "tailscale": lambda words: words[0] in {"funnel", "serve"} and words[1:2] not in (["status"], ["reset"]),
    "bore": lambda words: words[0] == "local",
    **dict.fromkeys(("lt", "localtunnel", "serveo", "zrok", "frpc", "pagekite", "devtunnel"), ANY),
}
_SSH = Spec(
    "4 6 A a C f G g K k M N n q s T t V v X x Y y B= b= c= D= E= e= F= I= i= J= L= l= m= O= o= P= p= Q= R= S= W= w=",
    posix=True,
)


@FAMILY.judges(*_TUNNELS)
def tunnels(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about programs that expose a local port to the internet."""
    texts = [word.raw for word in command.args]
    if texts and "--help" not in texts and "--version" not in texts and ordered(command, _TUNNELS):
        yield TUNNEL.found(command, path=" ".join(command.texts)[:80])


@FAMILY.judges("ssh", "autossh")
def forwards(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about local ports that are forwarded from another machine."""
    options = parse(command, _SSH)
    if options.has("R") or any(word.raw.lower().startswith("remoteforward") for word in options.values("o")):
        yield TUNNEL.found(command, path=" ".join(command.texts)[:80])


#: The arguments that make a program act as a server.
_SERVES: dict[str, Callable[[list[str]], bool]] = {
    **dict.fromkeys(
        ("python", "python2", "python3"), lambda texts: not {"http.server", "SimpleHTTPServer"}.isdisjoint(texts)
    ),
    "php": lambda texts: "-S" in texts,
    "ruby": lambda texts: any("httpd" in text for text in texts),
    "busybox": lambda texts: "httpd" in texts,
    "caddy": lambda texts: "file-server" in texts,
    **dict.fromkeys(("http-server", "serve", "httpd", "webfsd"), lambda _: True),
}
_ROOTS = frozenset({"-d", "--directory", "-t", "-h", "--root", "-r"})


@FAMILY.judges(*_SERVES)
def servers(command: Command, context: Context) -> Iterator[Finding]:
    """Ask about small servers that serve a critical directory."""
    if not _SERVES[command.program or ""]([word.raw for word in command.args]):
        return
    for word in _served(command, context):
        path = command.path(word)
        if (
            is_top(word, command, context)
            or (path and secret([word], command, context, ignore=READ_IGNORED))
            or any(holding_keys([word], command, context))
        ):
            yield TUNNEL.found(command, path=path or word.text)
            return


def _served(command: Command, context: Context) -> list[Word]:
    """Return the directories that a server serves, or the one an earlier command changed to."""
    folders = [after for word, after in pairwise(command.args) if word.raw in _ROOTS]
    if command.program in {"http-server", "serve"}:
        folders += [word for word in command.args if word.raw[:1] in {"/", "~", "."}]
    if not folders and command.cwd and command.cwd.startswith("/") and command.cwd != context.cwd:
        folders = [Word(command.cwd, command.cwd, command.span)]
    return folders
