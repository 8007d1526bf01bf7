"""Judges programs with an option or arguments that contain a command."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.argv import Spec, parse
from hermes_guard.rules.family import Context
from hermes_guard.rules.interpreters.findings import report_code
from hermes_guard.rules.tool_escapes.nested_commands import joined, judge_text, judge_words, runs
from hermes_guard.rules.tool_escapes.rules import ESCAPE, FAMILY
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

#: Programs without such an option. Naming them here prevents a guess at a command in their arguments.
_WITHOUT = """
borg byobu cpulimit crash dialog dvtm expect_unbuffer fab gcloud inotifywait ionice irssi kubectl-exec mail mutt pdb
reptyr run-parts salt sem start-stop-daemon tmuxinator toolbox yarn
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
    "aria2c": (
        "--on-download-complete",
        "--on-download-error",
        "--on-download-start",
        "--on-download-stop",
        "--on-bt-download-complete",
    ),
    "go": ("-exec", "-toolexec", "-vettool", "--exec", "--toolexec"),
    "bazel": ("--run_under",),
    "ccache": ("--compiler",),
    "chokidar": ("-c", "--command"),
    "watchman-make": ("--run",),
    "rclone": ("--password-command",),
    "feh": ("--action", "-A"),
    "java": ("-XX:OnOutOfMemoryError", "-XX:OnError"),
    "valgrind": ("--db-command",),
    "svn": ("--diff-cmd", "--diff3-cmd", "--editor-cmd", "--merge-cmd"),
    "dpkg": ("--pre-invoke", "--post-invoke", "--status-logger"),
    "unison": ("-sshcmd", "-diff", "-merge"),
    **dict.fromkeys(_WITHOUT.split(), ()),
}
#: Options after which all remaining words are a command.
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
#: Settings that contain a command, in the value of an option for settings.
_SETTINGS: dict[str, tuple[tuple[str, ...], re.Pattern[str]]] = {
    "cargo": (
        ("--config",),
        re.compile(r"[\w.\-'\"()=, ]*(?:runner|wrapper|linker|rustc|credential-provider)\s*=\s*(.*)"),
    ),
    "hg": (
        ("--config",),
        re.compile(r"(?:alias\.\w+=!|hooks\.[\w.-]+=|ui\.(?:ssh|editor|merge)=|extensions\.\w+=!?)(.*)"),
    ),
    "svn": (("--config-option",), re.compile(r"config:(?:tunnels|helpers):[\w-]+=(.*)")),
    **dict.fromkeys(
        ("apt", "apt-get", "aptitude"),
        (
            ("-o", "--option"),
            re.compile(r"[\w:-]+::(?:Pre|Post)-(?:Invoke\w*|Install-Pkgs)(?:::)?=(.*)", re.IGNORECASE),
        ),
    ),
}
_WINDOWS = re.compile(r"\bformat\b|\breg\s+delete\b|\bshutdown\b|powershell|\bbcdedit\b|\bdiskpart\b|vssadmin\s+delete")
_WINDOWS_DELETE = re.compile(r"\b(?:del|erase|rd|rmdir)\b")


@FAMILY.judges(*_OPTIONS)
def values(command: Command, context: Context) -> Iterator[Finding]:
    """Judge a command in the value of an option."""
    options = _OPTIONS[command.program or ""]
    for number, word in enumerate(command.args, start=1):
        name, equals, value = word.raw.partition("=")
        if word.raw in options and number < len(command.args):
            yield from judge_text(command.args[number].raw, command, context)
        elif equals and len(name) > 2 and name in options:
            yield from judge_text(value, command, context)


_SPLIT = Spec("filter= a= b= C= l= n= t= additional-suffix= bytes= lines= line-bytes= number= suffix-length=")


@FAMILY.judges("split", "gsplit")
def filters(command: Command, context: Context) -> Iterator[Finding]:
    """Judge a command that filters the parts of a file."""
    for word in parse(command, _SPLIT).values("filter"):
        yield from runs(word.raw, command, context)


@FAMILY.judges(*_SETTINGS)
def settings(command: Command, context: Context) -> Iterator[Finding]:
    """Judge a command in the value of a setting."""
    names, pattern = _SETTINGS[command.program or ""]
    words = command.args
    for number, word in enumerate(words, start=1):
        name, equals, value = word.raw.partition("=")
        text = (
            words[number].raw
            if word.raw in names and number < len(words)
            else value
            if equals and name in names
            else ""
        )
        found = pattern.match(text)
        if found:
            code = re.sub(r"[\[\]\"']+|,\s*", " ", found.group(1)) if command.program == "cargo" else found.group(1)
            yield from judge_text(code.strip(" {};"), command, context)


_PERL_CODE = re.compile(r"\b(?:system|exec|unlink|eval|qx|open)\b|`")


@FAMILY.judges("exiftool", "rename", "prename", "file-rename", "perl-rename")
def evaluated(command: Command, context: Context) -> Iterator[Finding]:
    """Judge Perl expressions in tools that are written in Perl."""
    for word in command.args:
        if _PERL_CODE.search(word.raw):
            text = word.raw.partition("${")[2] if "${" in word.raw else word.raw
            yield from report_code(text.partition(";")[2] if "${" in word.raw else text, "perl", command, context)


@FAMILY.judges("xdotool", "ydotool", "wtype", "dotool")
def typed(command: Command, context: Context) -> Iterator[Finding]:
    """Judge simulated typing, which usually goes to a terminal."""
    texts = [word.raw for word in command.args]
    if "type" in texts[:2] or command.program == "wtype":
        yield from judge_text(texts[-1], command, context)
    elif "exec" in texts:
        yield from judge_words(
            [word for word in command.args[texts.index("exec") + 1 :] if word.raw != "--sync"], command, context
        )


@FAMILY.judges(*_REST)
def rest(command: Command, context: Context) -> Iterator[Finding]:
    """Judge a command that takes all words after an option."""
    options = _REST[command.program or ""]
    for number, word in enumerate(command.args, start=1):
        if word.raw in options and number < len(command.args):
            yield from judge_words(command.args[number:], command, context)
            return


@FAMILY.judges("concurrently", "onchange", "cargo-watch")
def watchers(command: Command, context: Context) -> Iterator[Finding]:
    """Judge every word that looks like a command."""
    for word in command.args:
        if " " in word.raw:
            yield from judge_text(word.raw, command, context)


@FAMILY.judges("logsave", "rlwrap")
def wrappers(command: Command, context: Context) -> Iterator[Finding]:
    """Judge a command after the program's own arguments: logsave names a file first."""
    if len(command.args) > 1:
        words = command.args[1:] if command.program == "logsave" else command.args
        yield from context.judge_code(joined([word for word in words if not word.raw.startswith("-")]), command)


@FAMILY.judges("nmap")
def nmap(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about the interactive mode of old versions, which can open a shell."""
    if any(word.raw == "--interactive" for word in command.args):
        yield ESCAPE.found(command, path="nmap --interactive")


@FAMILY.judges("cmd", "cmd.exe")
def windows(command: Command, _: Context) -> Iterator[Finding]:
    """Judge the Windows shell."""
    line = " ".join(word.raw for word in command.args).lower()
    deletes = _WINDOWS_DELETE.search(line)
    if (deletes and "/s" in line[deletes.end() :]) or _WINDOWS.search(line):
        yield ESCAPE.found(command, path=line[:80])
