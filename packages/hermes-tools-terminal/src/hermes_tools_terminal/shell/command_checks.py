"""Checks of a command's text: the meaning of exit codes, commands that belong in the background, and syntax errors."""

from __future__ import annotations

import os
import posixpath
import re
import shlex
import subprocess
from typing import TYPE_CHECKING

from hermes_tools_terminal.environments.base import TerminalEnvironmentError
from hermes_tools_terminal.environments.env_vars import command_variables

if TYPE_CHECKING:
    from hermes_tools_terminal.environments.base import Environment

_SEARCHED = {1: "no match was found (not an error)"}
_DIFFERS = {1: "the files differ (not an error)"}
_FALSE = {1: "the condition is false (not an error)"}
_MEANINGS: dict[str, dict[int, str]] = {
    **dict.fromkeys(("grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack", "pgrep"), _SEARCHED),
    **dict.fromkeys(("diff", "colordiff", "cmp", "comm"), _DIFFERS),
    **dict.fromkeys(("test", "[", "[["), _FALSE),
    "find": {1: "some directories could not be read; the results may be incomplete"},
    "curl": {
        6: "the host name could not be resolved",
        7: "the connection failed",
        22: "the server answered with an HTTP error",
        28: "the operation timed out",
    },
    "wget": {4: "the network failed", 8: "the server answered with an error"},
    "git": {1: "it failed, or there is nothing to do; for git diff and git grep this is not an error"},
    "ssh": {255: "the connection failed"},
    "timeout": {124: "the command timed out"},
    "python": {1: "the program raised an exception or reported an error"},
    "pytest": {
        1: "some tests failed",
        2: "it was interrupted",
        4: "it was called with wrong arguments",
        5: "there are no tests",
    },
}
_ANYWHERE = {
    124: "the command timed out and was ended",
    126: "the command cannot be run: no permission, not a program, or no such directory",
    127: "command not found",
    130: "it was interrupted",
    137: "it was killed (SIGKILL), possibly for lack of memory",
    139: "it crashed (segmentation fault)",
    143: "it was terminated (SIGTERM)",
}
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_OPERATORS = frozenset({";", "&&", "||", "|", "&", "|&", "(", ")", ";;", "\n"})
_PREFIXES = frozenset({"!", "sudo", "env", "command", "nice", "nohup", "time", "timeout", "exec", "builtin"})
_OPTIONS_WITH_VALUE = frozenset({"-u", "-g", "-n", "-k", "-s"})
_DURATION = re.compile(r"[\d.]+[smhd]?")
# Text that is not what it looks like: quotes, escapes, comments and line ends.
_SPECIAL = re.compile(r"""'[^']*'|"(?:\\.|[^"\\])*"|\\.|(?<![^\s;&|()])#[^\n]*|\n""", re.DOTALL)
_BLANKED = str.maketrans("();<>|&\n", "________")


def exit_code_meaning(command: str, status: int) -> str | None:
    """Return what an exit code of a command's last program means; None when that is obvious."""
    if status == 0:
        return None
    program = last_program(command)
    return _MEANINGS.get(program, {}).get(status) or _ANYWHERE.get(status)


def last_program(command: str) -> str:
    """Return the name of the program that determines the exit code: the last one."""
    words = split_words(command)
    if words is None:
        return ""
    start = 0
    for index, word in enumerate(words):
        if word in _OPERATORS and index + 1 < len(words):
            start = index + 1
    left, prefix = words[start:], ""
    while left:
        word = left.pop(0)
        if word in _PREFIXES:
            prefix = word
        elif prefix and word.startswith("-"):
            if word in _OPTIONS_WITH_VALUE:
                left = left[1:]
        elif not _ASSIGNMENT.match(word) and not (prefix == "timeout" and _DURATION.fullmatch(word)):
            return re.sub(r"^python[\d.]*$", "python", posixpath.basename(word))
    return ""


def split_words(command: str) -> list[str] | None:
    """Split a command into words and operators; None when its quotes do not match.

    Operators inside quotes are blanked, so that every operator among the words is real.
    """
    reader = shlex.shlex(_SPECIAL.sub(_blank, command.strip()), posix=True, punctuation_chars="();<>|&")
    reader.whitespace_split = True
    reader.commenters = ""
    try:
        return list(reader)
    except ValueError:
        return None


def _blank(found: re.Match[str]) -> str:
    text = found[0]
    if text == "\n":
        return " ; "
    if text == "\\\n":
        return ""
    return "" if text.startswith("#") else text.translate(_BLANKED)


_DETACHING = {
    "nohup": "nohup detaches the process from this tool",
    "disown": "disown detaches the process from this tool",
    "setsid": "setsid detaches the process from this tool",
}
_SCRIPTS = frozenset({"dev", "start", "serve", "watch", "preview"})
_SERVER_MODULES = (["http.server"], ["uvicorn"], ["gunicorn"])
_RUNNERS = frozenset({"npm", "pnpm", "yarn", "bun"})
_SERVERS = frozenset(
    {"nodemon", "uvicorn", "gunicorn", "hypercorn", "vite", "webpack-dev-server", "live-server", "http-server"}
)
_HARMLESS = frozenset(
    {
        "--help",
        "-h",
        "--version",
        "-v",
        "-V",
        "help",
        "version",
        "build",
        "optimize",
        "--check-config",
        "--print-config",
    }
)
_ENDING = frozenset({"kill", "pkill", "killall"})
_BREAKS = frozenset({";", "&&", "||", "|", "&", "|&", "(", ")"})
# Parsing a command takes longer than running most of them.
_SUSPICIOUS = re.compile(
    r"&\s*$|nohup|disown|setsid|npm|yarn|bun|npx|nodemon|uvicorn|gunicorn|hypercorn|vite|server|next|flask|rails|ng "
    r"|compose"
)
_HEREDOC = re.compile(r"<<-?\s*['\"]?\w")


def background_reason(command: str) -> str | None:
    """Return why a command should not run in the foreground; None when it may."""
    if not _SUSPICIOUS.search(command) or _HEREDOC.search(command):
        return None  # the text of a here-document is not distinguished from commands
    words = split_words(command)
    if words is None:
        return None
    if words and words[-1] == "&":
        return "it ends with '&', so its output and end would be lost"
    part: list[str] = []
    for index, word in enumerate([*words, ";"]):
        if word not in _BREAKS:
            part.append(word)
            continue
        is_managed = word == "&" and not _ENDING.isdisjoint(words[index:])  # started and ended in one command
        if not is_managed and (reason := _of_part(part)) is not None:
            return reason
        part = []
    return None


def _of_part(words: list[str]) -> str | None:
    while words and _ASSIGNMENT.match(words[0]):
        words = words[1:]
    if not words or not _HARMLESS.isdisjoint(words[1:]):
        return None
    program, rest = posixpath.basename(words[0]), words[1:]
    if program in _DETACHING:
        return _DETACHING[program]
    if program in ("npx", "bunx", "pnpx") and rest:
        return _of_part(rest)
    if program in _RUNNERS:
        script = rest[1] if rest[:1] == ["run"] and len(rest) > 1 else rest[0] if rest else ""
        return f"{program} {script} starts a server" if script in _SCRIPTS else None
    if program in _SERVERS:
        return f"{program} is a server"
    pairs = {("next", "dev"), ("next", "start"), ("flask", "run"), ("rails", "server"), ("rails", "s"), ("ng", "serve")}
    if rest and (program, rest[0]) in pairs:
        return f"{program} {rest[0]} starts a server"
    if program == "docker-compose" or (program in ("docker", "podman") and rest[:1] == ["compose"]):
        detached = {"-d", "--detach"} & set(rest)
        return "docker compose up stays in the foreground" if "up" in rest and not detached else None
    if re.fullmatch(r"python[\d.]*", program) and rest[:1] == ["-m"] and rest[1:2] in _SERVER_MODULES:
        return f"python -m {rest[1]} is a server"
    return None


_SECONDS = 5.0
_LONGEST = 500
_WRONG = frozenset({"1", "2"})
"""The exit codes of a shell that cannot parse its input."""


# Aliases and other modes change the syntax, and a shell that only parses knows neither.
_CHANGES_PARSING = re.compile(r"alias|posix", re.IGNORECASE)

# Only the command is read, from the input. Patterns such as !(a) need extglob.
_PARSE = {
    "bash": ("bash --norc --noprofile -n -s", "bash --norc --noprofile -O extglob -n -s"),
    "sh": ("sh -n -s",),
}


def syntax_error(command: str, environment: Environment) -> str | None:
    """Return the shell's message about a command that it cannot parse; None when it can, or might.

    A command is only reported if it is invalid in every state of the shell: with and without extended patterns. If
    aliases may have changed the syntax, the result is None.
    """
    if _CHANGES_PARSING.search(command):
        return None
    text = command.encode("utf-8", "surrogateescape") + b"\n"
    message = ""
    for parse in _PARSE[environment.shell]:
        script = f"LC_ALL=C {parse} 2>&1; echo $?"
        words, _, status = _run_script(script, text, environment).strip().rpartition("\n")
        if status.strip() not in _WRONG or not words:
            return None
        message = message or words
    return message[:_LONGEST].strip()


def _run_script(script: str, text: bytes, environment: Environment) -> str:
    """Return the output of a small script in the environment; empty on failure."""
    try:
        if not environment.quick:
            return str(environment.run(script, input=text, timeout=_SECONDS).decode(errors="replace"))  # type: ignore[attr-defined]
        done = subprocess.run(  # noqa: S603 - ours
            ["/bin/sh", "-c", script],
            input=text,
            capture_output=True,
            timeout=_SECONDS,
            env={"PATH": command_variables().get("PATH", os.defpath)},
            cwd="/",
            check=False,
        )
    except (
        OSError,
        subprocess.TimeoutExpired,
        TerminalEnvironmentError,
        AttributeError,
    ):  # not every place runs scripts
        return ""
    return done.stdout.decode(errors="replace")
