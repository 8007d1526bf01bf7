"""Variables whose value a program runs, and the one that silences the agent's questions."""

import re
from collections.abc import Iterator

from hermes_guard.rules.family import Context
from hermes_guard.rules.persistence.programs import EDITORS, SSH, code
from hermes_guard.rules.persistence.table import FAMILY, SELF_RULES, SSH_RUNS
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import HOLE
from hermes_guard.verdict import Finding

_RUNNING = frozenset(
    [
        *("GIT_SSH_COMMAND", "GIT_SSH", "GIT_EDITOR", "GIT_PAGER", "GIT_EXTERNAL_DIFF", "GIT_PROXY_COMMAND"),
        *("GIT_SEQUENCE_EDITOR", "GIT_ASKPASS", "SSH_ASKPASS", "SUDO_ASKPASS", "RSYNC_RSH", "CVS_RSH"),
        *("PAGER", "MANPAGER", "SYSTEMD_PAGER", "LESSOPEN", "LESSCLOSE", "BROWSER"),
        *("EDITOR", "VISUAL", "SYSTEMD_EDITOR", "SUDO_EDITOR", "KUBE_EDITOR", "PROMPT_COMMAND", "BASH_ENV"),
    ]
)
_TOOLS = re.compile(r"(?:sed|perl|echo|bat|col|touch|cp|ln|sort|python3?)\b[^;|&`<>]*\Z")
_EXPORTS = frozenset({"export", "declare", "typeset", "readonly", "setx"})


@FAMILY.judges("*")
def variables(command: Command, context: Context) -> Iterator[Finding]:
    """Variables that a command is given or that stay for the next ones."""
    for name, value in command.assignments.items():
        if name in _RUNNING and HOLE not in value:
            yield from _run(name, value, command, context)
        elif name == "HERMES_YOLO_MODE" and _on(value):
            yield SELF_RULES.found(command, path=name)
    if command.program in _EXPORTS:
        given = dict(word.raw.partition("=")[::2] for word in command.args if "=" in word.raw)
        if _on(given.get("HERMES_YOLO_MODE", "")):
            yield SELF_RULES.found(command, path="HERMES_YOLO_MODE")


def _run(name: str, value: str, command: Command, context: Context) -> Iterator[Finding]:
    if not (EDITORS.match(value) or SSH.match(value) or _TOOLS.match(value)):
        yield SSH_RUNS.found(command, path=f"{name}={value}"[:80])
        yield from code(value, command, context)
    elif "roxyCommand" in value:
        yield SSH_RUNS.found(command, path=f"{name}={value}"[:80])


def _on(value: str) -> bool:
    return value.lower() not in {"0", "", "false"}
