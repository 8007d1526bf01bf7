"""Programs that run or build straight from an address."""

import re
from collections.abc import Callable, Iterator

from hermes_guard.argv import Spec, parse
from hermes_guard.rules.family import Context
from hermes_guard.rules.remote_code.packages import address
from hermes_guard.rules.remote_code.rules import ADDRESS, FAMILY
from hermes_guard.rules.words import names
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import Word
from hermes_guard.verdict import Finding


def _words(command: Command) -> list[Word]:
    """The arguments that are no options."""
    return [word for word in command.args if not word.raw.startswith("-")]


def _plain(command: Command) -> tuple[str, list[Word]]:
    """The first argument that is no option, and those behind it."""
    words = _words(command)
    return (words[0].raw, words[1:]) if words else ("", [])


_DENO = names("run install eval serve test x compile repl")


def _deno(command: Command) -> str:
    order, rest = _plain(command)
    return address(rest) if order in _DENO else address(_words(command)[:1])


_GO_ADDRESS = re.compile(
    r"(?!golang\.org/x/)[\w-]+(?:\.[\w-]+)+/[^@\s]+@|(?!golang\.org/x/)[\w-]+\.(?:com|org|io|net|dev|in)/"
)


def _go(command: Command) -> str:
    order, rest = _plain(command)
    return next((word.raw for word in rest if _GO_ADDRESS.match(word.raw)), "") if order == "run" else ""


def _nix(command: Command) -> str:
    order, rest = _plain(command)
    return address(rest) if order in {"run", "shell", "develop"} else ""


def _nix_shell(command: Command) -> str:
    return address(_words(command))


def _tells(command: Command) -> bool:
    return any(word.raw in {"--help", "-h", "--dry-run"} for word in command.args)


_CARGO = Spec("git= branch= tag= rev= path= version= features= F= j= root= registry= index=")


def _cargo(command: Command) -> str:
    options = parse(command, _CARGO)
    orders = [word.raw for word in options.operands if not word.raw.startswith("+")]
    git = options.value("git")
    return git.raw if orders[:1] == ["install"] and git is not None and not _tells(command) else ""


def _installer(command: Command) -> str:
    order, rest = _plain(command)
    return address(rest) if order in {"install", "reinstall", "upgrade"} and not _tells(command) else ""


def _cpanm(command: Command) -> str:
    return "" if _tells(command) else _nix_shell(command)


_HELM = Spec(
    "f= values= set= set-string= set-file= set-json= n= namespace= version= repo= ca-file= cert-file= key-file= "
    "keyring= username= password= timeout= description= post-renderer= kube-context= kubeconfig= history-max= o= "
    "output= labels= name-template= i install wait atomic create-namespace debug"
)


def _helm(command: Command) -> str:
    order, _ = _plain(command)
    if order not in {"install", "upgrade", "template"} or _tells(command):
        return ""
    return address(parse(command, _HELM).operands[1:])


_MODULE = re.compile(r"--?from-module=\S*://")


def _terraform(command: Command) -> str:
    return next((word.raw[:80] for word in command.args if _MODULE.match(word.raw)), "")


_PROGRAMS: dict[str, Callable[[Command], str]] = {
    **dict.fromkeys(("brew", "gem", "luarocks"), _installer),
    **dict.fromkeys(("terraform", "tofu"), _terraform),
    "cargo": _cargo,
    "cpanm": _cpanm,
    "deno": _deno,
    "go": _go,
    "helm": _helm,
    "nix": _nix,
    "nix-shell": _nix_shell,
}


@FAMILY.judges(*_PROGRAMS)
def addresses(command: Command, _: Context) -> Iterator[Finding]:
    """What is run or built without being looked at."""
    found = _PROGRAMS[command.program or ""](command)
    if found:
        yield ADDRESS.found(command, path=found)
