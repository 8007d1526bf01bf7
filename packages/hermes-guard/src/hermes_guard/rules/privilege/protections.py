"""Judges disabled protections of the machine, and newly trusted certificate authorities."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from hermes_guard.argv import Spec, parse
from hermes_guard.rules.common.argument_checks import (
    ALWAYS,
    Way,
    both,
    either,
    folded,
    gives,
    ordered,
    starts,
)
from hermes_guard.rules.common.critical_paths import folder
from hermes_guard.rules.family import Context
from hermes_guard.rules.privilege.rules import FAMILY, PROTECTION
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding


def _without(words: Sequence[str]) -> bool:
    return any(word.startswith("--without") for word in words)


def _anchors(words: Sequence[str]) -> bool:
    return list(words[:1]) == ["anchor"] and len(words) > 1 and "--remove" not in words


def _audits_less(words: Sequence[str]) -> bool:
    return "-D" in words or "-e0" in words or ("-e", "0") in pairwise(words)


def _imports(words: Sequence[str]) -> bool:
    return "-cacerts" in words or any(word.endswith("cacerts") for word in words)


_PROTECTIONS: dict[str, Way] = {
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
    "semodule": gives("-i", "-r", "-d", "-u", "-X", "--install", "--remove", "--disable", "--upgrade", "-DB"),
    "apparmor_parser": gives("-R", "--remove", "-C", "--Complain"),
    "systemsetup": folded(both(gives("-setremotelogin", "-setremoteappleevents"), lambda words: "on" in words)),
    "DevToolsSecurity": gives("-enable"),
    "profiles": starts("install|remove|renew"),
    "certutil": either(both(gives("-A"), gives("-t")), folded(gives("-addstore"))),
    "keytool": both(gives("-importcert", "-import"), _imports),
    "kextcache": ALWAYS,
    "pwpolicy": gives("-clearaccountpolicies", "-setaccountpolicies", "-setglobalpolicy"),
    **dict.fromkeys(("aa-disable", "aa-complain", "aa-teardown", "aa-remove-unknown", "setsebool"), ALWAYS),
    **dict.fromkeys(("dsenableroot", "load_policy"), ALWAYS),
    **dict.fromkeys(("update-ca-certificates", "update-ca-trust", "pam-auth-update", "authconfig"), ALWAYS),
}


@FAMILY.judges(*_PROTECTIONS)
def protection(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about disabling protections of the machine."""
    texts = [word.raw for word in command.args]
    if "--help" not in texts and "-h" not in texts and ordered(command, _PROTECTIONS):
        yield PROTECTION.found(command, path=" ".join(texts)[:80])


_CHCON = Spec("R recursive t= type= u= user= r= role= l= range= reference= v verbose h no-dereference help version")


@FAMILY.judges("chcon", "gchcon")
def labels(command: Command, context: Context) -> Iterator[Finding]:
    """Ask about relabeling a whole critical directory, which may break everything in it."""
    options = parse(command, _CHCON)
    if not options.helps and options.has("R", "recursive"):
        words = options.operands if options.has("t", "type", "reference", "u", "r", "l") else options.operands[1:]
        if found := next((path for word in words[:100] if (path := folder(word, command, context))), ""):
            yield PROTECTION.found(command, path=f"-R {found}")
