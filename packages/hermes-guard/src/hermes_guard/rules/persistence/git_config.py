"""Judges git settings that run a program or trust another server."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.argv import Options, Spec, parse, parse_words
from hermes_guard.rules.common.file_tool_options import GIT
from hermes_guard.rules.family import Context
from hermes_guard.rules.persistence.environment_variables import EDITORS, SSH, code
from hermes_guard.rules.persistence.rules import FAMILY, GIT_RUNS
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_GIT_KEYS = re.compile(
    r"core\.(?:hookspath|fsmonitor|sshcommand|gitproxy|pager|editor|askpass|attributesfile|"
    r"alternaterefscommand|worktree)\Z|"
    r"alias\..+|filter\..+\.(?:clean|smudge|process)\Z|diff\.(?:external|.+\.(?:textconv|"
    r"command))\Z|merge\..+\.driver\Z|(?:diff|merge)tool\..+\.cmd\Z|"
    r"gpg\.(?:.+\.)?program\Z|init\.templatedir\Z|credential\.(?:.+\.)?helper\Z|sequence\.editor\Z|"
    r"include(?:if\..+)?\.path\Z|"
    r"http\.(?:.+\.)?(?:sslverify|proxy)\Z|protocol\.(?:.+\.)?allow\Z|remote\..+\.(?:uploadpack|"
    r"receivepack|vcs|proxy)\Z|pager\..+|"
    r"interactive\.difffilter\Z|uploadpack\..+|receive\.deny\w+\Z|sendemail\.\w*cmd\Z|"
    r"trailer\..+\.(?:command|cmd)\Z|browser\..+\.(?:cmd|path)\Z|"
    r"man\..+\.cmd\Z|submodule\..+\.update\Z|fsck\.\w+\Z|transfer\.fsckobjects\Z|safe\.barerepository\Z"
)
_HELPERS = re.compile(
    r"(?:cache|osxkeychain|libsecret|manager(?:-core)?|wincred|gnome-keyring|gh auth "
    r"git-credential|!gh auth git-credential|"
    r"!?(?:/\S+/)?gh auth git-credential|!aws codecommit credential-helper \$@|!?gcloud\.sh|"
    r"!gcloud auth git-helper \S*|oauth|)(?: .*)?\Z"
)
_SIGNERS = re.compile(r"(?:/\S+/)?(?:gpg2?|ssh-keygen|gpgsm|op-ssh-sign|smimesign)\Z")
_MERGERS = re.compile(r"(?:code|meld|kdiff3|vim|nvim|bcomp\w*|p4merge|opendiff|idea|cursor|difft)\b[^;|&`]*\Z")


def _runs(key: str, value: str) -> bool:
    """Return True when a setting makes git run an unusual program or trust an unknown server."""
    key = key.lower()
    if not _GIT_KEYS.match(key):
        return False
    if key.startswith("alias."):
        return value.lstrip().startswith("!")
    if key == "core.sshcommand":
        return not SSH.match(value) or "proxycommand" in value.lower()
    if key in {"core.editor", "core.pager", "sequence.editor", "interactive.difffilter"} or key.startswith("pager."):
        return not EDITORS.match(value) and value not in {"true", "false"}
    if key.endswith(".helper"):
        return not _HELPERS.match(value)
    if key.endswith("sslverify"):
        return value.lower() in {"false", "0", "no", "off"}
    if key.endswith(".proxy") and key.startswith("http"):
        return False
    if key == "core.fsmonitor":
        return value.lower() not in {"true", "false", "0", "1"}
    if key.startswith("filter.lfs."):
        return not value.startswith("git-lfs ")
    if key.endswith(".update"):
        return value.startswith("!")
    if key.startswith(("receive.", "fsck.", "transfer.", "uploadpack.", "safe.")):
        return value.lower() in {"false", "ignore"} or "hook" in key
    if key.startswith("gpg."):
        return not _SIGNERS.match(value)
    if key == "core.attributesfile" or key.endswith(".cmd"):
        return key.endswith(".cmd") and not _MERGERS.match(value)
    return True


_PARAMETER = re.compile(r"'([^'=]+)'?='?([^']*)'")
_CLONE = Spec("c= config= u= upload-pack= template= b= o= depth= branch=")
_CONFIG = Spec(
    "f= file= blob= t= type= e l z add replace-all get get-all get-regexp get-urlmatch "
    "unset unset-all list edit global system local worktree "
    "show-origin show-scope name-only default= comment= fixed-value bool int path remove-section "
    "rename-section null includes value= url= all"
)
_LOOKS = ("get", "get-all", "get-regexp", "get-urlmatch", "l", "list", "unset", "unset-all", "remove-section")
_LOOKING = frozenset({"get", "list", "unset", "remove-section", "rename-section", "get-color"})


@FAMILY.judges("git")
def git(command: Command, context: Context) -> Iterator[Finding]:
    """Judge settings for one command and persistent ones."""
    options = parse(command, GIT)
    for word in options.values("c"):
        key, _, value = word.raw.partition("=")
        if _runs(key, value):
            yield GIT_RUNS.found(command, path=word.text)
            yield from code(value.lstrip("!"), command, context)
    for key, value in _PARAMETER.findall(command.assignments.get("GIT_CONFIG_PARAMETERS", "")[:2000]):
        if _runs(key, value):
            yield GIT_RUNS.found(command, path=f"{key}={value}"[:80])
            yield from code(value.lstrip("!"), command, context)
    if options.subcommand() == "clone":
        yield from _clone(parse_words(options.operands[1:], _CLONE), command)
    elif options.subcommand() == "config" and not options.helps:
        yield from _config(parse_words(options.operands[1:], _CONFIG), command, context)


def _clone(options: Options, command: Command) -> Iterator[Finding]:
    for word in options.values("c", "config"):
        key, _, value = word.raw.partition("=")
        if _runs(key, value):
            yield GIT_RUNS.found(command, path=word.text)
    if options.has("u", "upload-pack") or any(word.raw.startswith("ext::") for word in options.operands):
        yield GIT_RUNS.found(command, path=" ".join(command.texts)[:80])


def _config(options: Options, command: Command, context: Context) -> Iterator[Finding]:
    words = options.operands
    verb = words[0].raw if words else ""
    if verb in _LOOKING:
        return
    if options.has("e", "edit") or verb == "edit":
        yield GIT_RUNS.found(command, path="the whole file")
        return
    if verb == "set":
        words = words[1:]
    if options.has(*_LOOKS) or len(words) < 2:
        return
    key, value = words[0].raw, words[1].raw
    if _runs(key, value) or options.has("system"):
        yield GIT_RUNS.found(command, path=f"{words[0].text} {words[1].text}"[:80])
        if value.startswith("!"):
            yield from code(value[1:], command, context)
