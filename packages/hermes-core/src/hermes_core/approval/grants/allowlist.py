"""Reads upstream's `command_allowlist`, so that what users allowed there stays allowed, and no more."""

from __future__ import annotations

from hermes_core.approval.grants.grant import REST, Grant
from hermes_core.approval.grants.patterns import ANY, Pattern
from hermes_core.errors import ConfigError

KEY = "command_allowlist"
_TOOL = "terminal"
_ARGUMENT = "command"


def allowlist_grants(entries: object) -> tuple[list[Grant], list[str]]:
    """The grants that a `command_allowlist` stands for, and what is wrong with it, in words.

    An entry is the name of a rule, a command, or the beginning of one; a `*` in it is any text within one simple
    command. What follows a beginning is also within one simple command: `git push` is not `git push; rm -rf x`.
    """
    if entries is None:
        return [], []
    if not isinstance(entries, list | tuple):
        return [], [f"{KEY}: it is a list of texts, not a {type(entries).__name__}; nothing of it is used."]
    grants: dict[str, Grant] = {}
    problems: list[str] = []
    for index, entry in enumerate(entries):
        try:
            grants.update((grant.id, grant) for grant in _grants_of(entry, f"{KEY}[{index}]"))
        except ConfigError as error:
            problems.append(f"{error} This entry is not used.")
    return list(grants.values()), problems


def _grants_of(entry: object, key: str) -> list[Grant]:
    if not isinstance(entry, str) or not entry.strip():
        kind = "an empty text" if isinstance(entry, str) else f"a {type(entry).__name__}"
        raise ConfigError(f"an entry is the name of a rule or a command, not {kind}.", key=key)
    text = entry.strip()
    if text.startswith("*"):
        raise ConfigError("it begins with a star, so it would allow every program.", key=key)
    try:
        return [
            _grant(text, "rule", text, {}),
            _grant(text, "command", REST, {_ARGUMENT: {"command": text}}),
            *([] if text.endswith("*") else [_grant(text, "prefix", REST, {_ARGUMENT: {"command": f"{text} *"}})]),
        ]
    except ConfigError as error:
        raise ConfigError(error.reason, key=key) from error


def _grant(entry: str, kind: str, rule: str, args: dict[str, Pattern]) -> Grant:
    from hashlib import sha256

    digest = sha256(entry.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return Grant(
        id=f"allowlist-{kind}-{digest}",
        tool=_TOOL,
        rule=rule,
        args={**args, REST: ANY},
        scope="always",
        by=KEY,
        at=0.0,
        reason=f"{entry!r} in {KEY} of config.yaml",
    )
