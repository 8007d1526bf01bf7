"""Programs with an option, or with words, that hold a command."""

import re
from collections.abc import Iterator

from hermes_guard.rules.family import Context
from hermes_guard.rules.tool_escapes.rules import ESCAPE, FAMILY
from hermes_guard.rules.tool_escapes.running import joined, judge_text, judge_words
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

#: Programs without such an option. To name them here keeps others from guessing a command among their words.
_WITHOUT = """
borg byobu cpulimit crash dialog dvtm expect_unbuffer fab gcloud inotifywait ionice irssi kubectl-exec mail mutt pdb
reptyr run-parts salt sem start-stop-daemon tmuxinator toolbox xdotool yarn
"""
#: Options whose value is a command.
_OPTIONS: dict[str, tuple[str, ...]] = {
    "npm": ("-c", "--call"),
    "npx": ("-c", "--call"),
    "pnpm": ("-c",),
    "nix-shell": ("--run", "--command"),
    "wget": ("--use-askpass",),
    "restic": ("--password-command",),
    "watchmedo": ("--command", "-c"),
    "nodemon": ("--exec", "-x"),
    "aria2c": ("--on-download-complete",),
    **dict.fromkeys(_WITHOUT.split(), ()),
}
#: Options before a command that takes all further words.
_REST: dict[str, tuple[str, ...]] = {
    "nix": ("-c", "--command"),
    "xterm": ("-e",),
    "gnome-terminal": ("--", "-e", "-x"),
    "konsole": ("-e",),
    "kitty": ("--",),
    "alacritty": ("-e", "--command"),
    "wsl": ("--", "-e", "--exec"),
    "wsl.exe": ("--", "-e", "--exec"),
    "distrobox": ("--",),
    "watchexec": ("--",),
    "flatpak-spawn": ("--host",),
}
_WINDOWS = re.compile(r"\bformat\b|\breg\s+delete\b|\bshutdown\b|powershell|\bbcdedit\b|\bdiskpart\b|vssadmin\s+delete")
_WINDOWS_DELETE = re.compile(r"\b(?:del|erase|rd|rmdir)\b")


@FAMILY.judges(*_OPTIONS)
def values(command: Command, context: Context) -> Iterator[Finding]:
    """A command in the value of an option."""
    options = _OPTIONS[command.program or ""]
    for number, word in enumerate(command.args, start=1):
        name, equals, value = word.raw.partition("=")
        if word.raw in options and number < len(command.args):
            yield from judge_text(command.args[number].raw, command, context)
        elif equals and name.startswith("--") and name in options:
            yield from judge_text(value, command, context)


@FAMILY.judges(*_REST)
def rest(command: Command, context: Context) -> Iterator[Finding]:
    """A command that takes all words behind an option."""
    options = _REST[command.program or ""]
    for number, word in enumerate(command.args, start=1):
        if word.raw in options and number < len(command.args):
            yield from judge_words(command.args[number:], command, context)
            return


@FAMILY.judges("concurrently", "onchange", "cargo-watch")
def watchers(command: Command, context: Context) -> Iterator[Finding]:
    """Every word that looks like a command is one."""
    for word in command.args:
        if " " in word.raw:
            yield from judge_text(word.raw, command, context)


@FAMILY.judges("logsave", "rlwrap")
def wrappers(command: Command, context: Context) -> Iterator[Finding]:
    """A command behind the program's own words: logsave names a file first."""
    if len(command.args) > 1:
        words = command.args[1:] if command.program == "logsave" else command.args
        yield from context.judge_code(joined([word for word in words if not word.raw.startswith("-")]), command)


@FAMILY.judges("pssh", "parallel-ssh", "pdsh", "clush")
def everywhere(command: Command, context: Context) -> Iterator[Finding]:
    """A command for many machines is the last word."""
    if command.args:
        yield from judge_text(command.args[-1].raw, command, context)


@FAMILY.judges("nmap")
def nmap(command: Command, _: Context) -> Iterator[Finding]:
    """Old versions have a prompt that opens a shell."""
    if any(word.raw == "--interactive" for word in command.args):
        yield ESCAPE.found(command, path="nmap --interactive")


@FAMILY.judges("cmd", "cmd.exe")
def windows(command: Command, _: Context) -> Iterator[Finding]:
    """The shell of Windows, where it is called from here."""
    line = " ".join(word.raw for word in command.args).lower()
    deletes = _WINDOWS_DELETE.search(line)
    if (deletes and "/s" in line[deletes.end() :]) or _WINDOWS.search(line):
        yield ESCAPE.found(command, path=line[:80])
