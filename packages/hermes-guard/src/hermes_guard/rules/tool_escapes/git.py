"""Judges commands in the settings and verbs of git."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.argv import Spec, parse, parse_words
from hermes_guard.rules.family import Context
from hermes_guard.rules.tool_escapes.nested_commands import joined, judge_words, runs
from hermes_guard.rules.tool_escapes.rules import FAMILY
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import Word
from hermes_guard.verdict import Finding

_GIT = Spec(
    "C= c= git-dir= work-tree= namespace= exec-path? p paginate P no-pager bare config-env= super-prefix= "
    "no-replace-objects literal-pathspecs",
    posix=True,
)
_GIT_COMMAND = re.compile(
    r"(?:core\.(?:pager|editor|sshcommand|fsmonitor|askpass|gitproxy)|sequence\.editor|diff\.external|"
    r"pager\.\w+|credential\.helper|gpg\.program|"
    r"(?:diff|merge|filter|difftool|mergetool)\.[^.=]+\.(?:command|driver|clean|smudge|textconv|process|cmd)|"
    r"uploadpack\.packobjectshook|interactive\.difffilter)=(.*)\Z",
    re.IGNORECASE | re.DOTALL,
)
#: Values that are switches or git's own helpers.
_OWN = frozenset({"", "true", "false", "store", "cache", "osxkeychain", "manager"})
_ALIAS = re.compile(r"alias\.[^=]+=!(.*)\Z", re.DOTALL)
_FILTERS = "tree-filter index-filter env-filter msg-filter commit-filter parent-filter"
_TOOL = (Spec("x= extcmd= t= tool="), ("x", "extcmd"))
#: Verbs with options that contain a command.
_VERBS: dict[str, tuple[Spec, tuple[str, ...]]] = {
    "rebase": (
        Spec("x= exec= onto= i interactive s= strategy= X= autosquash autostash root r? rebase-merges?"),
        ("x", "exec"),
    ),
    "filter-branch": (
        Spec(f"{_FILTERS.replace(' ', '= ')}= tag-name-filter= d= f force"),
        tuple(_FILTERS.split()),
    ),
    "difftool": _TOOL,
    "mergetool": _TOOL,
}
_TRANSFER = Spec("u= upload-pack= receive-pack= exec= b= branch= depth= c= config= o= origin= j=")


@FAMILY.judges("git")
def git(command: Command, context: Context) -> Iterator[Finding]:
    """Judge commands in git's settings and in the verbs that run one."""
    options = parse(command, _GIT)
    for word in options.values("c"):
        found = _GIT_COMMAND.match(word.raw)
        if found and found.group(1) not in _OWN:
            yield from runs(found.group(1).removeprefix("!"), command, context)
        elif alias := _ALIAS.match(word.raw):
            yield from runs(alias.group(1), command, context)
    verb, rest = options.subcommand(), options.operands[1:]
    if verb in _VERBS:
        spec, options_of_verb = _VERBS[verb]
        for word in parse_words(rest, spec).values(*options_of_verb):
            yield from runs(word.raw, command, context)
    elif verb in {"clone", "fetch", "pull", "ls-remote", "push"}:
        yield from _transfer(rest, command, context)
    else:
        yield from _each(verb, rest, command, context)


def _each(verb: str, rest: list[Word], command: Command, context: Context) -> Iterator[Finding]:
    """Yield the command that runs for each commit or submodule."""
    texts = [word.raw for word in rest]
    if verb == "bisect" and texts[:1] == ["run"]:
        yield from context.judge_code(joined(rest[1:]) or "true", command)
    elif verb == "submodule" and "foreach" in texts:
        words = [word for word in rest[texts.index("foreach") + 1 :] if not word.raw.startswith("--")]
        yield from judge_words(words, command, context)


def _transfer(rest: list[Word], command: Command, context: Context) -> Iterator[Finding]:
    """Yield the programs at both ends of a transfer."""
    for word in parse_words(rest, _TRANSFER).values("upload-pack", "receive-pack", "exec"):
        if not word.raw.endswith(("git-upload-pack", "git-receive-pack")):
            yield from runs(word.raw, command, context)
    for word in rest:
        if word.raw.startswith("ext::"):
            yield from runs(word.raw[5:].replace("% ", " "), command, context)
