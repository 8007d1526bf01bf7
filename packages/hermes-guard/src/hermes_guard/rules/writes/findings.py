"""Converts the paths that a command writes into findings."""

from collections.abc import Iterable, Iterator

from hermes_guard import lazy_re as re
from hermes_guard.rules.common.critical_paths import disk
from hermes_guard.rules.common.path_findings import MACHINE, MANY, judged, look, path_rules
from hermes_guard.rules.family import Context, Rule
from hermes_guard.rules.hardline.rules import DISK
from hermes_guard.rules.writes.rules import (
    AGENT,
    CREDENTIALS,
    DEVICE,
    LATER,
    OUTSIDE,
    PROJECT,
    SSH,
    STARTUP,
    SYSTEM,
)
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import Word
from hermes_guard.verdict import Finding

#: The command rule for each path rule; all others map to `OUTSIDE`.
_KINDS: dict[str, Rule] = {
    **dict.fromkeys(
        MACHINE - path_rules("service")
        | path_rules("system-state package-database mail kernel-memory sysrq cgroup-escape"),
        SYSTEM,
    ),
    **dict.fromkeys(path_rules("shell-startup session-startup program-startup python-startup"), STARTUP),
    "path.ssh-write": SSH,
    **dict.fromkeys(
        path_rules(
            "gpg cloud-credentials registry-credentials tool-credentials keyring browser wallet private-key "
            "secret-file infrastructure-state history"
        ),
        CREDENTIALS,
    ),
    **dict.fromkeys(path_rules("hermes-config agent-config agent-instructions hermes-secret agent-secret"), AGENT),
    **dict.fromkeys(
        path_rules("git-hook git-config git-internals editor-task search-path package-hook user-application service"),
        LATER,
    ),
    "path.dotenv": PROJECT,
    **dict.fromkeys(
        path_rules("raw-disk device network-device control-socket fifo socket proc-write sys-write"), DEVICE
    ),
}
_BY_NAME = path_rules("project-config")
_PRIVATE = re.compile(r"/private/(?:etc|var|tmp|home)/(?!folders/)", re.IGNORECASE)
#: A key may be written by a program that creates or fetches one.
KEYS = path_rules("private-key")
_MADE_KEYS = KEYS | path_rules("secret-file")
_KEY_MAKERS = (
    "openssl ssh-keygen age-keygen wg mkcert step certtool keytool cfssl cfssljson easyrsa certbot gpg minisign"
)
_MAKES_KEYS = frozenset(_KEY_MAKERS.split())


def key_rules(command: Command) -> frozenset[str]:
    """Return the rules that do not apply to programs that create keys."""
    return _MADE_KEYS if command.program in _MAKES_KEYS else frozenset()


def report_writes(
    words: Iterable[Word | None],
    command: Command,
    context: Context,
    *,
    ignore: frozenset[str] = frozenset(),
    only: frozenset[str] | None = None,
    config: bool = False,
    raw: bool = True,
) -> Iterator[Finding]:
    """Report written paths, each rule once. `raw` is False when a disk would not be overwritten."""
    seen: set[str] = set()
    # Commands need approval only where the content is replaced.
    ignore = ignore | _BY_NAME
    named = list(words)
    if len(named) > MANY:
        yield OUTSIDE.found(command, path=f"{len(named)} files", why="there are too many to check")
    for word in named[:MANY]:
        if word is None:
            continue
        if raw and only is None and word.raw and not word.process and disk(word, command):
            yield DISK.found(command, path=word.text)
        for path, finding in judged("write", word, command, context, ignore=ignore, only=only):
            rule = _KINDS.get(finding.rule, OUTSIDE)
            if rule.id not in seen:
                seen.add(rule.id)
                yield rule.found(command, path=path, why=finding.reason[:1].lower() + finding.reason[1:].rstrip("."))
        if not seen and only is None and _PRIVATE.match(word.raw):
            yield SYSTEM.found(command, path=word.raw, why="it is part of the machine")
            return
        if config and not seen and not command.contained and _is_config(word, command, context):
            seen.add(PROJECT.id)
            yield PROJECT.found(command, path=word.text)


def _is_config(word: Word, command: Command, context: Context) -> bool:
    """Return True when the policy knows a file as a configuration file; an unknown directory may contain one."""
    if word.raw.rsplit("/", 1)[-1] != "config.yaml":
        return False
    path = command.path(word)
    return path is None or bool(_BY_NAME.intersection(look("write", path, context).rules))
