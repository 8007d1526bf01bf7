"""What exit codes mean that are no failure, or that only people know."""

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

_SEARCHED = {1: "nothing was found (this is not an error)"}
_DIFFERS = {1: "the files differ (this is not an error)"}
_FALSE = {1: "the condition is false (this is not an error)"}
_MEANINGS: dict[str, dict[int, str]] = {
    **dict.fromkeys(("grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack", "pgrep"), _SEARCHED),
    **dict.fromkeys(("diff", "colordiff", "cmp", "comm"), _DIFFERS),
    **dict.fromkeys(("test", "[", "[["), _FALSE),
    "find": {1: "some folders could not be read; the results may not be complete"},
    "curl": {
        6: "the host's name could not be resolved",
        7: "nobody answers at that address",
        22: "the server answered with an HTTP error",
        28: "the time was up",
    },
    "wget": {4: "the network failed", 8: "the server answered with an error"},
    "git": {1: "it failed, or there is nothing to do; for git diff and git grep this is not an error"},
    "ssh": {255: "the connection failed"},
    "timeout": {124: "the time was up"},
    "python": {1: "the program raised an exception, or says that it failed"},
    "pytest": {
        1: "some tests failed",
        2: "it was interrupted",
        4: "it was called in a wrong way",
        5: "there are no tests",
    },
}
_ANYWHERE = {
    124: "the time was up and the command was ended",
    126: "it was found but cannot be run: no permission, not a program, or no such folder",
    127: "there is no such command",
    130: "it was interrupted",
    137: "it was killed (SIGKILL): by somebody, or because memory was short",
    139: "it crashed (segmentation fault)",
    143: "it was asked to end (SIGTERM)",
}
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_OPERATORS = frozenset({";", "&&", "||", "|", "&", "|&", "(", ")", ";;", "\n"})
_PREFIXES = frozenset({"!", "sudo", "env", "command", "nice", "nohup", "time", "timeout", "exec", "builtin"})
_OPTIONS_WITH_VALUE = frozenset({"-u", "-g", "-n", "-k", "-s"})
_DURATION = re.compile(r"[\d.]+[smhd]?")
# What is not what it looks like: quotes, escapes, comments; and line ends.
_SPECIAL = re.compile(r"""'[^']*'|"(?:\\.|[^"\\])*"|\\.|(?<![^\s;&|()])#[^\n]*|\n""", re.DOTALL)
_BLANKED = str.maketrans("();<>|&\n", "________")


def exit_code_meaning(command: str, status: int) -> str | None:
    """What an exit code means for the last program of a command; None when there is nothing to say."""
    if status == 0:
        return None
    program = last_program(command)
    return _MEANINGS.get(program, {}).get(status) or _ANYWHERE.get(status)


def last_program(command: str) -> str:
    """The program whose exit code is the command's: that of the last one, without its folder."""
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
    """The words of a command, operators apart from the rest; None when its quotes do not match.

    Operators inside of quotes are blanked, so that every operator among the words is one.
    """
    reader = shlex.shlex(_SPECIAL.sub(_blanked, command.strip()), posix=True, punctuation_chars="();<>|&")
    reader.whitespace_split = True
    reader.commenters = ""
    try:
        return list(reader)
    except ValueError:
        return None


def _blanked(found: re.Match[str]) -> str:
    text = found[0]
    if text == "\n":
        return " ; "
    if text == "\\\n":
        return ""
    return "" if text.startswith("#") else text.translate(_BLANKED)


_DETACHING = {
    "nohup": "nohup hides a process from you",
    "disown": "disown hides a process from you",
    "setsid": "setsid hides a process from you",
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
# Taking a command apart costs more than running most of them.
_SUSPICIOUS = re.compile(
    r"&\s*$|nohup|disown|setsid|npm|yarn|bun|npx|nodemon|uvicorn|gunicorn|hypercorn|vite|server|next|flask|rails|ng "
    r"|compose"
)
_HEREDOC = re.compile(r"<<-?\s*['\"]?\w")


def background_reason(command: str) -> str | None:
    """Why a command should not run in the foreground; None when it may."""
    if not _SUSPICIOUS.search(command) or _HEREDOC.search(command):
        return None  # what stands in a here-document is not told from commands here
    words = split_words(command)
    if words is None:
        return None
    if words and words[-1] == "&":
        return "it ends with '&', so nobody would see what becomes of it"
    part: list[str] = []
    for index, word in enumerate([*words, ";"]):
        if word not in _BREAKS:
            part.append(word)
            continue
        looked_after = word == "&" and not _ENDING.isdisjoint(words[index:])  # tried out and ended in one command
        if not looked_after and (reason := _of_part(part)) is not None:
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
"""The exit codes of a shell that only parses, and cannot parse what it was given."""


# Aliases and another dialect change what can be parsed, and a shell that only parses has neither.
_CHANGES_PARSING = re.compile(r"alias|posix", re.IGNORECASE)

# Nothing is read but the command, which comes by the input. Patterns such as !(a) are syntax only with extglob.
_PARSE = {
    "bash": ("bash --norc --noprofile -n -s", "bash --norc --noprofile -O extglob -n -s"),
    "sh": ("sh -n -s",),
}


def syntax_error(command: str, place: Environment) -> str | None:
    """Return what the shell says about a command that it cannot parse, with the line; None when it can, or may.

    A command is only called wrong when the shell would take it for wrong in every state that it may be in: with
    extended patterns and without. Where aliases may have changed the syntax, nobody can tell.

    Args:
        command: The command.
        place: Where it would run; it is open.
    """
    if _CHANGES_PARSING.search(command):
        return None
    text = command.encode("utf-8", "surrogateescape") + b"\n"
    said = ""
    for parse in _PARSE[place.shell]:
        script = f"LC_ALL=C {parse} 2>&1; echo $?"
        words, _, status = _printed(script, text, place).strip().rpartition("\n")
        if status.strip() not in _WRONG or not words:
            return None
        said = said or words
    return said[:_LONGEST].strip()


def _printed(script: str, text: bytes, place: Environment) -> str:
    """What a small script prints where the command would run; nothing when it cannot be run."""
    try:
        if not place.quick:
            return str(place.run(script, input=text, timeout=_SECONDS).decode(errors="replace"))  # type: ignore[attr-defined]
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
