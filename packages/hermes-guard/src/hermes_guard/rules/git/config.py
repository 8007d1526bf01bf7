"""Judges git configuration: settings that make git run code, and the commands that set them."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.argv import Options, Spec
from hermes_guard.name_sets import names
from hermes_guard.rules.git.rules import CONFIG, EXECUTE, REMOVE
from hermes_guard.rules.git.verbs import Call, verb
from hermes_guard.verdict import Finding

#: Environment variables that correspond to a setting.
VARIABLES = {
    "GIT_SSH_COMMAND": "core.sshcommand",
    "GIT_SSH": "core.sshcommand",
    "GIT_PAGER": "core.pager",
    "PAGER": "core.pager",
    "GIT_EDITOR": "core.editor",
    "EDITOR": "core.editor",
    "VISUAL": "core.editor",
    "GIT_SEQUENCE_EDITOR": "sequence.editor",
    "GIT_EXTERNAL_DIFF": "diff.external",
    "GIT_PROXY_COMMAND": "core.gitproxy",
    "GIT_ASKPASS": "core.askpass",
    "SSH_ASKPASS": "core.askpass",
}
#: World-writable directories.
ANYBODYS = ("/tmp", "/var/tmp", "/dev/shm", "//")  # noqa: S108 - a list to compare with
#: Text in which a shell finds only words.
SIMPLE = re.compile(r"[\w./ =:,@%+~#'\"-]*$")

#: Programs that git is commonly configured to run.
_TRUSTED = names(
    "cat less more most delta diff-so-fancy bat vim vi nvim nano emacs emacsclient code codium subl micro hx kak ed "
    "true : ssh git-lfs gpg gpg2 gpgsm op-ssh-sign ssh-keygen difft meld vimdiff nvimdiff opendiff kdiff3 p4merge "
    "git git-credential-manager notepad zed cursor gedit kate mate idea pycharm false echo"
)
_HELPERS = names(
    "store cache osxkeychain wincred manager manager-core libsecret gnome-keyring oauth pass gcloud.sh netrc keychain"
)
_HELPER_PROGRAM = re.compile(r"(?:!|!?/\S*/)?(?:gh|glab|aws|gcloud|git-credential-[\w-]+)(?: [\w -]*)?(?:\$@)?$")
#: Keys whose value is a command.
_COMMANDS = re.compile(
    r"(?:core\.(?:sshcommand|pager|editor|fsmonitor|askpass|gitproxy|alternaterefscommand)|sequence\.editor"
    r"|gpg\.(?:.*\.)?program|pager\..*|diff\.external|diff\..*\.(?:command|textconv)"
    r"|merge\..*\.driver|filter\..*\.(?:clean|smudge|process)|interactive\.difffilter"
    r"|uploadpack\.packobjectshook|remote\..*\.(?:vcs|uploadpack|receivepack)|credential\.(?:.*\.)?helper"
    r"|sendemail\..*cmd|browser\..*\.cmd|man\..*\.cmd|(?:diff|merge)tool\..*\.cmd|trailer\..*\.(?:command"
    r"|cmd)|instaweb\.httpd|ssh\.variant\Z)$"
)
#: SSH options that accept any host key. For one command they are common; as a setting they persist.
_NO_HOST_CHECK = re.compile(
    r"stricthostkeychecking[= ]{1,4}(?:no|off)\b|userknownhostsfile[= ]{1,4}/dev/null", re.IGNORECASE
)
_OFF = frozenset({"false", "0", "off", "no"})
_NOW = frozenset({"now", "all", "0"})
#: Values of keys that remove a safeguard.
_UNSAFE = {
    "protocol.ext.allow": frozenset({"always", "user"}),
    "protocol.allow": frozenset({"always", "user"}),
    "http.sslverify": _OFF,
    "clean.requireforce": _OFF,
    "gc.reflogexpire": _NOW,
    "gc.reflogexpireunreachable": _NOW,
    "gc.pruneexpire": _NOW,
}
_HOST = re.compile(r"(?:\w+://)?(?:[^@/]*@)?([\w.-]+)")


def runs_code(key: str, value: str, *, wide: bool = True) -> bool:
    """Return True when a configuration value makes git run unexpected code or trust an unknown server."""
    key, text = key.lower(), value.strip()
    if key.startswith("alias."):
        return text.startswith("!")
    if key == "core.hookspath":
        return (
            bool(text) and text != "/dev/null" and (wide or text.startswith(("/", "~", "$")) or ".." in text.split("/"))
        )
    if key.endswith((".insteadof", ".pushinsteadof")):
        ours, theirs = _HOST.match(key[4:].rsplit(".", 1)[0]), _HOST.match(text.lower())
        return not (ours and theirs and ours[1] == theirs[1])
    if key.startswith("credential.") and key.endswith("helper"):
        known = text.partition(" ")[0] in _HELPERS or _HELPER_PROGRAM.match(text)
        return bool(text) and not known
    if key in _UNSAFE:
        return text.lower() in _UNSAFE[key]
    if key in {"init.templatedir", "include.path"} or key.startswith("includeif."):
        return text.startswith(ANYBODYS)
    return _COMMANDS.match(key) is not None and _is_strange(key, text)


def _is_strange(key: str, text: str) -> bool:
    """Return True for a command that is unusual in a git configuration."""
    if text.lower() in {"", "true", "false"}:
        return False
    if not SIMPLE.match(text) or "proxycommand" in text.lower() or "localcommand" in text.lower():
        return True
    words = text.split()
    program = words[0].rsplit("/", 1)[-1].strip("'\"")
    if key == "sequence.editor" and program == "sed":
        return False
    return program not in _TRUSTED or (program == "ssh" and words[0] not in {"ssh", "/usr/bin/ssh"})


_CONFIG = Spec(
    "f= t= z l e global system local worktree file= blob= type= bool int path null name-only show-origin "
    "show-scope add get get-all get-regexp get-urlmatch replace-all unset unset-all rename-section remove-section "
    "list edit get-color get-colorbool default= all value= fixed-value comment= includes no-includes append help"
)
#: Options and verbs of `git config` that set nothing.
_READS = ("get", "list", "unset", "edit", "remove-section", "rename-section")
_READING_OPTIONS = (*_READS, "get-all", "get-regexp", "get-urlmatch", "unset-all", "l", "e")


@verb("config", options=_CONFIG, own_help=True)
def config(call: Call) -> Iterator[Finding]:
    """Ask about persistent settings."""
    options, words = call.options, call.options.operands
    if _forgets_remote(options):
        yield REMOVE.found(call.command)
    if options.has(*_READING_OPTIONS) or (words and words[0].raw in _READS):
        return
    if words and words[0].raw == "set":
        words = words[1:]
    wide = options.has("global", "system", "file", "f")
    if len(words) > 1 and (
        runs_code(words[0].raw, words[1].raw, wide=wide)
        or (words[0].raw.lower() == "core.sshcommand" and _NO_HOST_CHECK.search(words[1].raw))
    ):
        yield CONFIG.found(call.command, path=f"{words[0].text} {words[1].text}"[:120])


def _forgets_remote(options: Options) -> bool:
    """Return True when a remote's URL is removed, as `git remote remove` does."""
    words = [word.raw for word in options.operands]
    if words[:1] in (["unset"], ["remove-section"]):
        verb, words = words[0], words[1:]
    else:
        verb = next((name for name in ("unset", "unset-all", "remove-section") if options.has(name)), "")
    key = words[0].lower() if words else ""
    return key.startswith("remote.") and (verb == "remove-section" or (bool(verb) and key.endswith(".url")))


_GREP = Spec("O? open-files-in-pager? e= f= A= B= C= m= max-depth= threads= n i v w l L c h H o p W E G P F q z a I r")


@verb("grep", options=_GREP, own_help=True)
def grep(call: Call) -> Iterator[Finding]:
    """Ask about `git grep` with an unusual pager."""
    for word in call.options.values("O", "open-files-in-pager"):
        if runs_code("core.pager", word.raw):
            yield EXECUTE.found(call.command, path=word.text)
