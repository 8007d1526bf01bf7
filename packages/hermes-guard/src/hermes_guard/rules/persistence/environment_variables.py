"""Judges variables whose value a program runs, and those that disable the agent's questions."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.rules.common.agent_names import VARIABLE
from hermes_guard.rules.family import Context
from hermes_guard.rules.persistence.rules import FAMILY, SELF_RULES, SSH_RUNS, UNLEASHED
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import HOLE
from hermes_guard.verdict import Finding

EDITORS = re.compile(
    r"[\"']?(?:\S*/)?(?:vim?|nvim|nano|emacs|emacsclient|code|code-insiders|subl|micro|"
    r"helix|hx|cat|less|more|delta|bat|diff-so-fancy|true|false|:|true;|"
    r"cursor|idea|zed|mate|gedit|kate|notepad[\w.+-]*|most|ydiff|diff-highlight|tig|pico|joe|"
    r"ed|ex|kak|atom|mg|meld)?(?:[\"']?(?: [^;|&$`<>]*)?)\Z"
)
SSH = re.compile(r"(?:\S*/)?(?:ssh|plink|autossh)(?: [^;|&$`<>]*)?\Z")


def code(text: str, command: Command, context: Context) -> list[Finding]:
    """Judge a value that will be run as code."""
    return context.judge_code(text, command) if text.strip(HOLE).strip() else []


_RUNNING = frozenset(
    [
        *("GIT_SSH_COMMAND", "GIT_SSH", "GIT_EDITOR", "GIT_PAGER", "GIT_EXTERNAL_DIFF", "GIT_PROXY_COMMAND"),
        *("GIT_SEQUENCE_EDITOR", "GIT_ASKPASS", "SSH_ASKPASS", "SUDO_ASKPASS", "RSYNC_RSH", "CVS_RSH"),
        *("PAGER", "MANPAGER", "SYSTEMD_PAGER", "LESSOPEN", "LESSCLOSE", "BROWSER"),
        *("EDITOR", "VISUAL", "SYSTEMD_EDITOR", "SUDO_EDITOR", "KUBE_EDITOR", "PROMPT_COMMAND", "BASH_ENV"),
        *("RSYNC_CONNECT_PROG", "KUBECTL_EXTERNAL_DIFF", "SVN_SSH", "HGMERGE", "SSH_SK_HELPER"),
    ]
)
_TOOLS = re.compile(r"(?:sed|perl|echo|bat|col|touch|cp|ln|sort|python3?)\b[^;|&`<>]*\Z")
#: Other programs that these variables are commonly set to.
_USUAL = re.compile(
    r"(?:\S*/)?(?:firefox|chromium(?:-browser)?|google-chrome\S*|chrome|brave\S*|safari|lynx|w3m|none|open|xdg-open|"
    r"wslview|sensible-\w+|difft|ksshaskpass|ssh-askpass|lesspipe(?:\.sh)?)(?: [^;|&$`<>]*)?\Z|"
    r"\|-?\s*(?:\S*/)?(?:lesspipe(?:\.sh)?|src-hilite-lesspipe\.sh|pygmentize|bat|highlight) [^;|&$`<>]*\Z|"
    r"sh -c [\"'](?:col|sed) [^;&$`<>|]*\| ?bat [^;|&$`<>]*\Z"
)
_ON = re.compile(r"(?!0\Z|false\Z|no\Z)\S", re.IGNORECASE)
_EXPORTS = frozenset({"export", "declare", "typeset", "readonly", "setx"})


#: Variables that disable an agent's approvals, and the values that do so.
_UNLEASHING: dict[str, re.Pattern[str]] = {
    "GOOSE_MODE": re.compile(r"auto\Z", re.IGNORECASE),
    "OPENCODE_PERMISSION": re.compile(r".*(?:bash|\*)['\"]?\s*:\s*['\"]?allow", re.DOTALL),
    **dict.fromkeys(("AIDER_YES_ALWAYS", "AIDER_YES", "COPILOT_ALLOW_ALL", "CODEX_UNSAFE_ALLOW_NO_SANDBOX"), _ON),
}


@FAMILY.judges("=", *_EXPORTS)
def variables(command: Command, context: Context) -> Iterator[Finding]:
    """Judge variables that are set for a command or persistently."""
    given = command.assignments
    exported = command.program in _EXPORTS
    if exported:
        given = {**given, **dict(word.raw.partition("=")[::2] for word in command.args if "=" in word.raw)}
    for name, value in given.items():
        if name in _RUNNING and HOLE not in value:
            # A persistent prompt is ordinary shell configuration; only the code in it counts.
            yield from (
                code(value, command, context)
                if exported and name == "PROMPT_COMMAND"
                else _run(name, value, command, context)
            )
        elif (name == "HERMES_YOLO_MODE" and _ON.match(value)) or VARIABLE.match(name):
            yield SELF_RULES.found(command, path=name)
        elif name in _UNLEASHING and _UNLEASHING[name].match(value[:2000]):
            yield UNLEASHED.found(command, path=name)


def _run(name: str, value: str, command: Command, context: Context) -> Iterator[Finding]:
    if not (EDITORS.match(value) or SSH.match(value) or _TOOLS.match(value) or _USUAL.match(value)):
        yield SSH_RUNS.found(command, path=f"{name}={value}"[:80])
        yield from code(value, command, context)
    elif "roxyCommand" in value:
        yield SSH_RUNS.found(command, path=f"{name}={value}"[:80])
