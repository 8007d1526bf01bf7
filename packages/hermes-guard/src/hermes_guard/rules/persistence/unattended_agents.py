"""Judges other agents that are started without approvals."""

from collections.abc import Iterator
from itertools import pairwise

from hermes_guard import lazy_re as re
from hermes_guard.argv import Options, Spec, parse, parse_words
from hermes_guard.rules.common.argument_checks import Way, either, gives, ordered, starts
from hermes_guard.rules.family import Context
from hermes_guard.rules.persistence.rules import AGENT_SETTINGS, FAMILY, UNLEASHED
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

#: Switches that every agent accepts.
_EVERYWHERE = "yolo allow-all-tools trust-all-tools always-approve auto-approve skip-permissions-unsafe"
#: By program: additional switches, and options with the values that disable approvals (`*` is any value).
_AGENTS: dict[str, tuple[str, dict[str, str]]] = {
    **dict.fromkeys(
        ("claude", "claude-code", "ccr", "happy", "claudia", "opencode"),
        ("", {"permission-mode": "bypassPermissions", "allowedTools": "Bash", "allowed-tools": "Bash"}),
    ),
    "codex": (
        "full-auto",
        {
            "a": "never",
            "ask-for-approval": "never",
            "s": "danger-full-access",
            "sandbox": "danger-full-access",
            "approval-mode": "full-auto",
            "c": "approval_policy=never sandbox_mode=danger-full-access",
            "config": "approval_policy=never sandbox_mode=danger-full-access",
        },
    ),
    **dict.fromkeys(("gemini", "gemini-cli", "qwen", "qwen-code", "iflow"), ("y", {"approval-mode": "yolo"})),
    **dict.fromkeys(("aider", "aider-chat", "aider-install"), ("yes yes-always", {})),
    "cursor-agent": ("f force", {}),
    "amp": ("", {}),
    "copilot": ("allow-all allow-all-paths", {"allow-tool": "shell"}),
    "crush": ("y", {}),
    "droid": ("", {"auto": "high"}),
    "goose": ("", {"mode": "auto"}),
    **dict.fromkeys(("kimi", "kimi-cli"), ("y yes", {})),
    **dict.fromkeys(("cline", "roo", "roo-code"), ("y", {})),
    **dict.fromkeys(("kilocode", "kilo"), ("auto", {})),
    **dict.fromkeys(("q", "kiro-cli", "kiro", "qchat"), ("", {"trust-tools": "execute_bash shell"})),
    **dict.fromkeys(("openhands", "openhands-ai"), ("", {})),
    **dict.fromkeys(("plandex", "pdx"), ("auto-exec", {})),
    **dict.fromkeys(("interpreter", "open-interpreter"), ("y auto_run auto-run", {})),
    "gptme": ("y no-confirm", {}),
    **dict.fromkeys(("mini", "mini-swe-agent"), ("y", {})),
    **dict.fromkeys(("vibe", "mistral-vibe"), ("", {"agent": "auto-approve"})),
    **dict.fromkeys(("cn", "continue-cli"), ("auto", {"allow": "Bash *"})),
    **dict.fromkeys(("autogpt", "auto-gpt", "agpt"), ("continuous", {})),
    **dict.fromkeys(("auggie", "acli", "rovodev", "letta", "forge", "grok", "devin", "codebuff"), ("", {})),
}
#: Options whose value contains settings.
_SETTINGS = ("settings", "config-override")
_SPECS = {
    program: Spec(f"{_EVERYWHERE} {switches} help version {' '.join(f'{name}=' for name in (*valued, *_SETTINGS))}")
    for program, (switches, valued) in _AGENTS.items()
}
#: Subcommands that start one of these agents from another program.
_SUBCOMMANDS = {"cursor": "agent", "gh": "copilot"}


@FAMILY.judges(*_AGENTS)
def unleashed(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about agents that run without approvals."""
    program = command.program or ""
    options = parse(command, _SPECS[program])
    if not options.helps and (found := _brake_off(program, options)):
        yield UNLEASHED.found(command, path=found)


@FAMILY.judges(*_SUBCOMMANDS)
def inner_agents(command: Command, _: Context) -> Iterator[Finding]:
    """Judge agents that are started by another program."""
    program, first = command.program or "", command.args[0].raw if command.args else ""
    name = {"agent": "cursor-agent"}.get(first, first)
    if first == _SUBCOMMANDS[program] and (found := _brake_off(name, parse(command, _SPECS[name]))):
        yield UNLEASHED.found(command, path=found)


@FAMILY.judges("python", "python3", "uv", "pipx", "poetry", "rye", "hatch")
def started_agents(command: Command, _: Context) -> Iterator[Finding]:
    """Judge agents started by a Python runner: `python -m aider`, `uv tool run aider`."""
    for number, (before, word) in enumerate(pairwise(command.args[:8])):
        if before.raw in {"-m", "run"} and word.raw in _AGENTS:
            rest = parse_words(command.args[number + 2 :], _SPECS[word.raw])
            if not rest.helps and (found := _brake_off(word.raw, rest)):
                yield UNLEASHED.found(command, path=f"{word.raw} {found}")
            return


def _brake_off(program: str, options: Options) -> str:
    """Return the option that disables approvals, or an empty string."""
    switches, valued = _AGENTS[program]
    known = {*_EVERYWHERE.split(), *switches.split()}
    for name, word in options.given:
        value = word.raw.replace('"', "").replace("'", "") if word is not None else ""
        if name.startswith(("dangerously-", "allow-dangerously-")):
            return f"--{name}"
        if name in known and value.lower() not in {"false", "0", "no"}:
            return f"--{name}" if len(name) > 1 else f"-{name}"
        if name in valued and _loose(value, valued[name]):
            return f"--{name} {value}"[:80]
        if name in _SETTINGS and "bypassPermissions" in value:
            return f"--{name}"
    return ""


_TOOL = re.compile(r"[^\s,()]+(?:\([^)]*\))?")
_WHOLE = re.compile(r"\([:*]*\)\Z")


def _loose(value: str, wanted: str) -> bool:
    """Return True when a value disables approvals: `Bash(*)` covers all of `Bash`, `Bash(ls:*)` does not."""
    given = {value.replace(" ", ""), *(_WHOLE.sub("", tool) for tool in _TOOL.findall(value[:2000]))}
    return not given.isdisjoint(wanted.split())


_PLUGINS = starts(
    "mcp add|add-json|add-from-claude-desktop|import|enable", "config set|add", "plugin|plugins install|add|enable"
)
#: Commands with which an agent changes its own settings.
_ORDERS: dict[str, Way] = {
    **dict.fromkeys(("claude", "claude-code"), either(_PLUGINS, starts("plugin|plugins marketplace add"))),
    **dict.fromkeys(("gemini", "qwen"), either(_PLUGINS, starts("extensions install|link|enable", "hooks migrate"))),
    **dict.fromkeys(
        ("codex", "opencode", "amp", "droid", "copilot", "cursor-agent", "crush", "q", "kiro-cli"), _PLUGINS
    ),
    **dict.fromkeys(("code", "code-insiders", "cursor", "windsurf"), gives("--add-mcp")),
}


@FAMILY.judges(*_ORDERS)
def settings(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about changing what an agent may do, or which programs it starts."""
    texts = [word.raw for word in command.args]
    if {"--help", "-h"}.isdisjoint(texts) and ordered(command, _ORDERS):
        yield AGENT_SETTINGS.found(command, path=" ".join(texts)[:80])
