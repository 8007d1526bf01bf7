"""Protections of the machine that are switched off, and new authorities that are trusted."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from hermes_guard.rules.family import Context
from hermes_guard.rules.privilege.table import FAMILY, PROTECTION
from hermes_guard.rules.privilege_orders import Told, always, both, either, folded, gives, starts
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding


def _without(words: Sequence[str]) -> bool:
    return any(word.startswith("--without") for word in words)


def _anchors(words: Sequence[str]) -> bool:
    return list(words[:1]) == ["anchor"] and len(words) > 1 and "--remove" not in words


def _audits_less(words: Sequence[str]) -> bool:
    return "-D" in words or "-e0" in words or ("-e", "0") in pairwise(words)


_PROTECTIONS: dict[str, Told] = {
    "setenforce": folded(starts("0|permissive")),
    "spctl": gives("--master-disable", "--global-disable", "--add", "--disable", "--remove"),
    "csrutil": either(starts("disable|clear", "authenticated-root disable"), both(starts("enable"), _without)),
    "security": starts(
        "add-trusted-cert|set-keychain-settings|unlock-keychain|delete-keychain|set-key-partition-list",
        "authorizationdb write|remove",
    ),
    "trust": _anchors,
    "tccutil": starts("reset"),
    "auditctl": _audits_less,
    "faillock": gives("--reset"),
    "mkcert": gives("-install"),
    "authselect": starts("select|enable-feature|disable-feature|apply-changes"),
    "fdesetup": starts("disable|removerecovery|add"),
    "semanage": both(
        starts("permissive|boolean|fcontext|port|login|user"), gives("-a", "-d", "-m", "--add", "--delete", "--modify")
    ),
    **dict.fromkeys(("aa-disable", "aa-complain", "aa-teardown", "setsebool"), always),
    **dict.fromkeys(("update-ca-certificates", "update-ca-trust", "pam-auth-update", "authconfig"), always),
}


@FAMILY.judges(*_PROTECTIONS)
def protection(command: Command, _: Context) -> Iterator[Finding]:
    """Protections of the machine."""
    texts = [word.raw for word in command.args]
    if "--help" not in texts and "-h" not in texts and _PROTECTIONS[command.program or ""](texts):
        yield PROTECTION.found(command, path=" ".join(texts)[:80])
