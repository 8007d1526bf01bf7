"""Judges variables that make a command run another one."""

from collections.abc import Iterator

from hermes_guard.languages.operation import quoted
from hermes_guard.name_sets import names
from hermes_guard.rules.family import Context
from hermes_guard.rules.tool_escapes.make import PROGRAMS, judge_variable
from hermes_guard.rules.tool_escapes.nested_commands import runs
from hermes_guard.rules.tool_escapes.rules import FAMILY
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import HOLE
from hermes_guard.verdict import Finding

_HOLDS_COMMAND = names(
    """
    PAGER MANPAGER BAT_PAGER DELTA_PAGER EDITOR VISUAL FCEDIT SUDO_EDITOR KUBE_EDITOR SYSTEMD_EDITOR
    SYSTEMD_PAGER GH_PAGER GLAB_PAGER AWS_PAGER PSQL_PAGER PSQL_EDITOR LESSOPEN LESSCLOSE RSYNC_RSH CVS_RSH
    SVN_SSH SVN_EDITOR HGEDITOR GIT_PAGER GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_SSH_COMMAND GIT_EXTERNAL_DIFF
    GIT_ASKPASS SSH_ASKPASS SUDO_ASKPASS FZF_DEFAULT_COMMAND PROMPT_COMMAND
    """
)
_HOLDS_OPTIONS = {
    "TAR_OPTIONS": "tar",
    "MAKEFLAGS": "make",
    "GNUMAKEFLAGS": "make",
    "FZF_DEFAULT_OPTS": "fzf",
    "GOFLAGS": "go build",
}


@FAMILY.judges("=")
def variables(command: Command, context: Context) -> Iterator[Finding]:
    """Judge variables that make a command run another one. Those of git are judged with git."""
    if not command.argv or command.program == "git":
        return
    for name, value in command.assignments.items():
        text = value.strip()
        if not text or text.startswith(HOLE):
            continue
        if name in _HOLDS_COMMAND:
            yield from runs(text.lstrip("|-"), command, context)
        elif name in _HOLDS_OPTIONS:
            words = " ".join(quoted(word) for word in text.split())
            yield from context.judge_code(f"{_HOLDS_OPTIONS[name]} {words}", command)
        elif name in PROGRAMS or command.program in {"make", "gmake"}:
            yield from judge_variable(name, text, command, context)
