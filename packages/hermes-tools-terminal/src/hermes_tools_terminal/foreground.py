"""Commands that do not end: they belong in the background, where they can be watched and ended."""

from __future__ import annotations

import posixpath
import re

from hermes_tools_terminal.hints import words_of

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
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
# Taking a command apart costs more than running most of them.
_SUSPICIOUS = re.compile(
    r"&\s*$|nohup|disown|setsid|npm|yarn|bun|npx|nodemon|uvicorn|gunicorn|hypercorn|vite|server|next|flask|rails|ng "
    r"|compose"
)
_HEREDOC = re.compile(r"<<-?\s*['\"]?\w")


def reason_for_background(command: str) -> str | None:
    """Why a command should not run in the foreground; None when it may."""
    if not _SUSPICIOUS.search(command) or _HEREDOC.search(command):
        return None  # what stands in a here-document is not told from commands here
    words = words_of(command)
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
