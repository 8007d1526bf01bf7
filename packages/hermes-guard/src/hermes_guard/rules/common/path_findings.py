"""Applies the path policy to the words of a command."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Literal

from hermes_guard import lazy_re as re
from hermes_guard.paths.policy import PathPolicy
from hermes_guard.rules.common.path_arguments import outside_path, places
from hermes_guard.rules.family import Context
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import Word
from hermes_guard.verdict import Finding, Verdict


def path_rules(names: str) -> frozenset[str]:
    """Return the ids of the path rules with these names."""
    return frozenset(f"path.{name}" for name in names.split())


#: More words of one command are not checked one by one, to keep judging fast; the command needs approval.
MANY = 100
#: Path rules that recognize a secret by its name alone, in any directory.
BY_NAME = path_rules("dotenv private-key secret-file infrastructure-state")
#: Reads that need approval for file tools but are ordinary for commands.
READ_IGNORED = path_rules(
    "dotenv endless-device device fifo socket too-long infrastructure-state malformed empty unresolved"
)
#: Rules that are serious on every machine; services have their own directories.
MACHINE = path_rules("shadow accounts preload cron etc system-program boot kernel-module service")
#: Rules that also apply to creating directories and changing modes.
SETTLED = MACHINE | path_rules("package-database root-folder hermes-config")
#: Rules for which an unknown directory is treated as the home.
_HOME = path_rules(
    "shell-startup session-startup ssh-write tool-credentials cloud-credentials registry-credentials "
    "hermes-config agent-config"
)
#: Other users' homes are protected by permissions, not by this guard.
_NEVER = path_rules("other-home outside-workspace")
_HARMLESS = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/full", "/dev/stdin"})
#: File descriptors that the shell has opened, and probes of local ports.
_OPENED_HERE = re.compile(
    r"(?:/dev/|/proc/(?:self|thread-self)/)fd/\d+\Z|/dev/(?:tcp|udp)/(?:localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|::1)/"
)
#: More different paths in one text are not checked, to keep judging fast; the text needs approval.
_MAX_LOOKS = 200
_CROWDED = Verdict(
    (
        Finding(
            rule="path.too-many",
            severity="ask",
            reason="There are too many paths in this text to check.",
            effects=frozenset({"unknown"}),
        ),
    )
)
_looks = threading.local()


def look(op: Literal["read", "write"], path: str, context: Context) -> Verdict:
    """Look up the policy for a path, once per judged text."""
    if getattr(_looks, "text", None) is not context.commands:
        _looks.text, _looks.seen = context.commands, {}
    seen: dict[tuple[str, str], Verdict] = _looks.seen
    found = seen.get((op, path))
    if found is None:
        if len(seen) >= _MAX_LOOKS:
            return _CROWDED
        found = seen[(op, path)] = context.paths.judge(op, path, home=context.home)
    return found


def notice(finding: Finding, command: Command, context: Context) -> None:
    """Record what a user's path rule says, in addition to what the command rules find."""
    context.noticed.append(replace(finding, span=command.span, argv=command.texts))


def judged(
    op: Literal["read", "write"],
    word: Word,
    command: Command,
    context: Context,
    *,
    ignore: frozenset[str] = frozenset(),
    only: frozenset[str] | None = None,
) -> Iterator[tuple[str, Finding]]:
    """Apply the path policy to every path that a word may name."""
    for path, guess in places(word, command, context):
        if path in _HARMLESS or _OPENED_HERE.match(path):
            continue
        outside = outside_path(path, command)
        if outside is None:
            continue
        absolute = outside[:1] == "/"
        verdict = look(op, outside, context) if absolute else _relative(op, outside, context.home, context.paths)
        for finding in verdict.findings:
            rule = finding.rule
            if rule in context.paths.added:
                if not guess:
                    notice(finding, command, context)
                continue
            if (
                rule in _NEVER
                or rule in ignore
                or (only is not None and rule not in only)
                or (guess and rule not in _HOME)
            ):
                continue
            yield outside, finding


@lru_cache(maxsize=2048)
def _relative(op: Literal["read", "write"], path: str, home: str, policy: PathPolicy) -> Verdict:
    """Apply a policy to a relative path without accessing the file system."""
    return policy.judge(op, path, home=home)
