"""What the policy of paths says about the words of a command."""

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
    """The ids of the rules of paths with these names."""
    return frozenset(f"path.{name}" for name in names.split())


#: More words of one command are not looked at one by one: judging stays fast, and the command is asked about.
MANY = 100
#: Rules of paths that know a secret by its name alone, wherever it lies.
BY_NAME = path_rules("dotenv private-key secret-file infrastructure-state")
#: Reads that the policy asks file tools about, but that commands do all day.
READ_IGNORED = path_rules(
    "dotenv endless-device device fifo socket too-long infrastructure-state malformed empty unresolved"
)
#: What is grave on every machine; services have their own folders.
MACHINE = path_rules("shadow accounts preload cron etc system-program boot kernel-module service")
#: Where even a new folder or another mode matters.
SETTLED = MACHINE | path_rules("package-database root-folder hermes-config")
#: What an unknown folder is tried as the home for.
_HOME = path_rules(
    "shell-startup session-startup ssh-write tool-credentials cloud-credentials registry-credentials "
    "hermes-config agent-config"
)
#: Somebody else's home is not ours to judge: permissions are.
_NEVER = path_rules("other-home outside-workspace")
_HARMLESS = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/full", "/dev/stdin"})
#: What the shell itself has opened, and whether a port of this machine answers.
_OPENED_HERE = re.compile(
    r"(?:/dev/|/proc/(?:self|thread-self)/)fd/\d+\Z|/dev/(?:tcp|udp)/(?:localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|::1)/"
)
#: More different paths in one text are not looked at, so that judging stays fast; the text is asked about.
_MOST_LOOKS = 200
_CROWDED = Verdict(
    (
        Finding(
            rule="path.too-many",
            severity="ask",
            reason="There are more paths in this text than can be looked at.",
            effects=frozenset({"unknown"}),
        ),
    )
)
_looks = threading.local()


def look(op: Literal["read", "write"], path: str, context: Context) -> Verdict:
    """What the policy says about a path; each is looked at once per judged text."""
    if getattr(_looks, "text", None) is not context.commands:
        _looks.text, _looks.seen = context.commands, {}
    seen: dict[tuple[str, str], Verdict] = _looks.seen
    found = seen.get((op, path))
    if found is None:
        if len(seen) >= _MOST_LOOKS:
            return _CROWDED
        found = seen[(op, path)] = context.paths.judge(op, path, home=context.home)
    return found


def notice(finding: Finding, command: Command, context: Context) -> None:
    """Keep what a rule of the user for paths says, beside what the rules for commands make of the path."""
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
    """What the policy of paths says about every path that a word may name."""
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
    """What a policy says about a relative path, for which nothing on the disk is looked at."""
    return policy.judge(op, path, home=home)
