"""Judges git verbs that access another repository: pushes, fetches, remotes, submodules and servers."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.argv import Options, Spec
from hermes_guard.argv.options import parse_words
from hermes_guard.rules.git.config import ANYBODYS, SIMPLE, runs_code
from hermes_guard.rules.git.rules import (
    BRANCH,
    CONFIG,
    EXECUTE,
    FORCE,
    FOREIGN,
    REMOTE,
    REMOVE,
    SERVE,
)
from hermes_guard.rules.git.verbs import Call, verb
from hermes_guard.shell.word import Word
from hermes_guard.verdict import Finding

_PUSH = Spec(
    "v q n f u d 4 6 o= verbose quiet all branches mirror tags follow-tags no-follow-tags dry-run force "
    "force-with-lease? force-if-includes delete prune set-upstream repo= receive-pack= exec= thin no-thin progress "
    "no-verify verify push-option= signed? atomic porcelain recurse-submodules= ipv4 ipv6 help"
)
_TRANSFER = Spec(
    "u= upload-pack= receive-pack= exec= c= config= o= origin= b= branch= j= jobs= depth= reference= "
    "template= separate-git-dir= server-option= shallow-since= shallow-exclude= filter= recurse-submodules? remote= "
    "prefix= format= output= q v n l s bare mirror quiet verbose help"
)
#: Programs that the remote side runs by default.
_SERVICES = frozenset({"git-upload-pack", "git-receive-pack", "git-upload-archive"})
#: A refspec that writes to a local branch or tag instead of a remote-tracking branch.
_LOCAL_BRANCH = re.compile(r":(?!refs/(?:remotes|pull|notes|merge-requests|changes)/)(?:refs/heads/)?[^:/*]")


@verb("push", "send-pack", options=_PUSH)
def push(call: Call) -> Iterator[Finding]:
    """Ask about pushes that overwrite or delete what others have pushed."""
    yield from _services(call, parse_words(call.rest, _TRANSFER))
    options = call.options
    if options.has("n", "dry-run"):
        return
    specs = [word.raw for word in options.operands]
    if options.has("f", "force", "force-with-lease") or any(spec.startswith("+") and len(spec) > 1 for spec in specs):
        yield FORCE.found(call.command)
    if options.has("d", "delete", "mirror", "prune") or any(
        spec.startswith((":", "+:")) and len(spec.lstrip("+")) > 1 for spec in specs
    ):
        yield REMOTE.found(call.command)
    address = _foreign(call, specs[0] if specs else "")
    if address:
        yield FOREIGN.found(call.command, path=address[:120])


#: The maximum number of commands checked for the one that added a remote.
_NEAR = 64
_REMOTE_ADD = Spec("f t= m= tags no-tags mirror? fetch master= track=")


def _foreign(call: Call, target: str) -> str:
    """Return the URL of a push to an unusual host, given directly or just added as a remote."""
    if _ADDRESS.match(target):
        return "" if _is_forge(target) else target
    scp = _SCP.match(target)
    if scp and call.options.has("all", "branches"):
        # Pushing one branch to a private server is common; pushing everything is not.
        return "" if _is_forge(f"git://{scp[1]}") else target
    for other in call.context.commands[:_NEAR] if target else ():
        words = [word.raw for word in other.args[:6]] if other.program == "git" else []
        if "remote" not in words or "add" not in words:
            continue
        added = parse_words(other.args[words.index("add") + 1 :], _REMOTE_ADD).operands
        if len(added) > 1 and added[0].raw == target and _ADDRESS.match(added[1].raw) and not _forge(added[1]):
            return added[1].raw
    return ""


@verb("archive", "fetch-pack")
@verb("ls-remote", own_help=True)
def query(call: Call) -> Iterator[Finding]:
    """Judge verbs that only query another repository."""
    yield from _services(call, parse_words(call.rest, _TRANSFER))


@verb("fetch", "pull")
def fetch(call: Call) -> Iterator[Finding]:
    """Ask about a fetch that overwrites a local branch."""
    options = parse_words(call.rest, _TRANSFER)
    yield from _services(call, options)
    forced = options.has("f", "force")
    specs = [word.raw for word in options.operands[1:]]
    if any((forced or spec.startswith("+")) and _LOCAL_BRANCH.search(spec) for spec in specs):
        yield BRANCH.found(call.command)


@verb("clone", "init")
def clone(call: Call) -> Iterator[Finding]:
    """Judge a clone, which may begin with hooks and settings."""
    options = parse_words(call.rest, _TRANSFER)
    yield from _services(call, options)
    for word in options.values("template"):
        if word.raw.startswith(ANYBODYS):
            yield EXECUTE.found(call.command, path=word.text)
    for word in options.values("c", "config"):
        key, _, value = word.raw.partition("=")
        if runs_code(key, value):
            yield EXECUTE.found(call.command, path=word.text)


def _services(call: Call, options: Options) -> Iterator[Finding]:
    """Judge programs that run instead of git on the remote side, or locally for a local path."""
    short = ("u",) if call.verb in {"clone", "ls-remote"} else ()
    for word in options.values("upload-pack", "receive-pack", "exec", *short):
        program = word.raw.split(" ")[0].rsplit("/", 1)[-1]
        if program not in _SERVICES or not SIMPLE.match(word.raw):
            yield EXECUTE.found(call.command, path=word.text)


@verb("worktree")
@verb("submodule", own_help=True)
def by_force(call: Call) -> Iterator[Finding]:
    """Ask about removing work trees and submodules with changes."""
    first, options = call.options.subcommand(), call.options
    forced = options.has("f", "force")
    if (call.verb == "worktree" and first == "remove" and forced) or (
        call.verb == "submodule" and first == "deinit" and (forced or options.has("all"))
    ):
        yield REMOVE.found(call.command)


@verb("remote")
def remote(call: Call) -> Iterator[Finding]:
    """Ask about changing the URL that pushes go to."""
    first, operands = call.options.subcommand(), call.options.operands
    if first in {"remove", "rm"}:
        yield REMOVE.found(call.command)
    elif first == "set-url" and len(operands) > 2 and not _forge(operands[2]):
        yield CONFIG.found(call.command, path=operands[2].text)


_ADDRESS = re.compile(r"(?:https?|git|ftp)://(?:[^@/]{0,300}@)?([\w.-]{1,260})")
_SCP = re.compile(r"[\w.-]{1,64}@([\w.-]{1,260}):(?!/)")
#: Code hosts without `git` in their names, by how they begin or end.
_FORGES = (
    "bitbucket.", "dev.azure.", "codeberg.", "ssh.", "code.", "source.", "review.", "gerrit.", "forge", "gogs.", "scm.",
    "repo.", "vcs.", "huggingface.co", "hf.co", "sr.ht", "salsa.debian.org", "pagure.io", "opendev.org", "notabug.org",
    "heroku.", "overleaf.com", "127.", "10.", "192.168.",
)  # fmt: skip
_FORGE_ENDS = (".visualstudio.com", ".googlesource.com", ".amazonaws.com", ".local", ".internal", ".lan", ".localhost")


def _forge(word: Word) -> bool:
    """Return True for the URL of a usual code host, and for an unknown URL."""
    return not word.certain or _is_forge(word.raw)


def _is_forge(address: str) -> bool:
    match = _ADDRESS.match(address)
    if match is None:
        return True
    host = match[1].lower()
    return "git" in host or host == "localhost" or host.startswith(_FORGES) or host.endswith(_FORGE_ENDS)


@verb("daemon")
def daemon(call: Call) -> Iterator[Finding]:
    """Ask about a server that accepts pushes from everyone."""
    options = parse_words(call.rest, Spec("enable= port= base-path= listen= export-all verbose help"))
    if any(word.raw == "receive-pack" for word in options.values("enable")) and not options.helps:
        yield SERVE.found(call.command)
