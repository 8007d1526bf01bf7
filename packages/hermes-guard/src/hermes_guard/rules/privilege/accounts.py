"""Judges accounts, groups and capabilities."""

from collections.abc import Iterator, Sequence

from hermes_guard.rules.common.argument_checks import ALWAYS, Way, both, either, folded, ordered, says, starts
from hermes_guard.rules.family import Context
from hermes_guard.rules.privilege.rules import ACCOUNT, CAPABILITY, FAMILY
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_ACCOUNTS = (
    "useradd adduser usermod userdel deluser lusermod luseradd newusers "
    "groupadd addgroup groupmod groupdel delgroup gpasswd "
    "passwd chpasswd chgpasswd lpasswd kpasswd vpasswd smbpasswd chage chsh ypchsh chfn "
    "pwconv pwunconv grpconv grpunconv pdbedit samba-tool homectl userdbctl"
)
#: Words that make these programs only show.
_SHOWS = {
    "passwd": frozenset({"-S", "--status", "-Sa", "-aS"}),
    "chage": frozenset({"-l", "--list"}),
    "useradd": frozenset({"-D", "--defaults"}),
    "chsh": frozenset({"-l", "--list-shells"}),
    "pdbedit": frozenset({"-L", "--list", "-Lv"}),
    "homectl": frozenset({"list", "inspect"}),
    "userdbctl": frozenset({"user", "users", "group", "groups", "services"}),
}
_HELP = frozenset({"--help", "-h", "--version", "-V"})


@FAMILY.judges(*_ACCOUNTS.split())
def account(command: Command, _: Context) -> Iterator[Finding]:
    """Judge programs that change accounts; showing is allowed."""
    texts = {word.raw for word in command.args}
    if command.contained or texts & _HELP:
        return
    program = command.program or ""
    # A lone `useradd -D` shows the defaults; with more words it changes them.
    if texts & _SHOWS.get(program, frozenset()) and not (program == "useradd" and len(texts) > 1):
        return
    operands = [word.text for word in command.args if not word.raw.startswith("-")]
    yield ACCOUNT.found(command, path=" ".join(operands)[:80] or program)


#: Groups with root-equivalent access.
_GROUPS = "docker|sudo|wheel|root|disk|lxd|adm|admin|shadow|kvm|libvirt|podman"
_DIRECTORY = frozenset({"create", "passwd", "append", "merge", "delete", "change", "changei"})
_USERS = ("-adduser", "-deleteuser", "-resetpassword", "-newpassword", "-secureton", "-securetoken", "-guestaccount")
_NET_WORDS = "user|localgroup|group|accounts"
_PW = "useradd usermod userdel groupadd groupmod groupdel"


def _net_changes(words: Sequence[str]) -> bool:
    return any(word.startswith(("/add", "/delete", "/active")) for word in words)


#: `user` with a name and a password, or one of the words that change something.
_NET = either(lambda words: words[:1] == ["user"] and len(words) > 2, both(starts(_NET_WORDS), _net_changes))


_OTHERS: dict[str, Way] = {
    "newgrp": says(_GROUPS),
    "sg": starts(_GROUPS),
    "dscl": folded(lambda words: any(word.lstrip("-") in _DIRECTORY for word in words)),
    "sysadminctl": folded(lambda words: any(word.startswith(_USERS) for word in words)),
    "dseditgroup": folded(lambda words: not {"edit", "create", "delete"}.isdisjoint(words)),
    "net": folded(_NET),
    "pw": folded(
        lambda words: (
            any(word.startswith(tuple(_PW.split())) for word in words) or words[1:2] in (["add"], ["mod"], ["del"])
        )
    ),
    "New-LocalUser": ALWAYS,
    "Add-LocalGroupMember": ALWAYS,
}
_OTHERS["net.exe"] = _OTHERS["net"]


@FAMILY.judges(*_OTHERS)
def other_accounts(command: Command, _: Context) -> Iterator[Finding]:
    """Judge accounts on other systems, and groups with root-equivalent access."""
    texts = [word.raw for word in command.args]
    if ordered(command, _OTHERS):
        yield ACCOUNT.found(command, path=" ".join(texts)[:80])


@FAMILY.judges("setcap", "filecap", "setpcaps")
def capability(command: Command, _: Context) -> Iterator[Finding]:
    """Judge file capabilities."""
    texts = [word.raw for word in command.args]
    if texts and not {"-v", "-h", "--help"} & set(texts) and not (command.program == "filecap" and len(texts) < 2):
        yield CAPABILITY.found(command, path=texts[-1])
