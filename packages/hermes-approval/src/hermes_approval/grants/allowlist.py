"""Reads the `command_allowlist` of Hermes Agent."""

from __future__ import annotations

from hermes_approval.grants.argument_patterns import ANY, Pattern
from hermes_approval.grants.grant import REST, Grant
from hermes_core.errors import ConfigError

KEY = "command_allowlist"
_TOOL = "terminal"
_ARGUMENT = "command"
_BESIDE = ("background", "notify_on_complete", "pty", "timeout", "watch_patterns", "workdir")
"""The other parameters of Hermes Agent's terminal tool. An entry of the list allows any value for these only."""
_KINDS = {bool: "a yes or no", int: "a number", float: "a number", list: "a list", dict: "an object"}


def allowlist_grants(entries: object) -> tuple[list[Grant], list[str]]:
    """Return the grants that a `command_allowlist` stands for, and its problems as text.

    An entry is the name of a rule, or a command. A command allows only itself; a `*` in it matches any text within one
    simple command, so `git push *` does not allow `git push x; rm -rf y`. How and where the command runs does not
    matter.
    """
    if entries is None:
        return [], []
    if not isinstance(entries, list | tuple):
        return [], [f"it must be a list of texts, not {_kind(entries)}; it is ignored."]
    grants: dict[str, Grant] = {}
    problems: list[str] = []
    for number, entry in enumerate(entries, 1):
        try:
            grants.update((grant.id, grant) for grant in _grants_of(entry))
        except ConfigError as error:
            problems.append(f"entry {number} is ignored: {error.reason}")
    return list(grants.values()), problems


def _grants_of(entry: object) -> list[Grant]:
    if not isinstance(entry, str) or not entry.strip():
        kind = "an empty text" if isinstance(entry, str) else _kind(entry)
        raise ConfigError(f"it is {kind}, not the name of a rule or a command.")
    text = entry.strip()
    if text.startswith("*"):
        raise ConfigError("it begins with a star, so it would allow every program.")
    pattern: Pattern = {"command": text} if "*" in text else {"equals": text}
    beside: dict[str, Pattern] = dict.fromkeys(_BESIDE, ANY)
    return [
        _grant(text, "rule", text, {REST: ANY}),
        _grant(text, "command", REST, {_ARGUMENT: pattern, **beside}),
    ]


def _kind(value: object) -> str:
    return "nothing" if value is None else _KINDS.get(type(value), f"of the type {type(value).__name__}")


def _grant(entry: str, kind: str, rule: str, args: dict[str, Pattern]) -> Grant:
    from hashlib import sha256

    digest = sha256(entry.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return Grant(
        id=f"allowlist-{kind}-{digest}",
        tool=_TOOL,
        rule=rule,
        args=args,
        scope="always",
        by=KEY,
        at=0.0,
        reason=f"{entry!r} in {KEY} of config.yaml",
    )
