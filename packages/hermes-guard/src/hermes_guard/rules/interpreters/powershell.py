"""Judges irreversible deletes in PowerShell. Other PowerShell code is judged by the rules for remote code."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.languages.operation import quoted
from hermes_guard.rules.family import Context
from hermes_guard.rules.interpreters.rules import FAMILY
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import HOLE
from hermes_guard.verdict import Finding

_PROGRAMS = ("pwsh", "powershell", "powershell.exe", "pwsh.exe", "pwsh-preview")
_REMOVE = re.compile(r"\b(?:remove-item|rm|ri|del|erase|rd|rmdir)\b([^;|\n]*)", re.IGNORECASE)
_FORMAT = re.compile(
    r"\b(?:format-volume|clear-disk|initialize-disk|remove-partition|reset-physicaldisk)\b", re.IGNORECASE
)
_POWER = re.compile(r"\b(?:stop-computer|restart-computer)\b", re.IGNORECASE)
_WORD = re.compile(r"\"([^\"]*)\"|'([^']*)'|([^\s,\"']+)")
_HOME = re.compile(r"\$(?:HOME|env:HOME|env:USERPROFILE|\{HOME\})", re.IGNORECASE)
_VARIABLE = re.compile(r"\$[\w:{}]+")
_DRIVE = re.compile(r"[A-Za-z]:[\\/]?\*?\Z")


@FAMILY.judges(*_PROGRAMS)
def powershell(command: Command, context: Context) -> Iterator[Finding]:
    """Judge what PowerShell deletes or formats like the equivalent system commands."""
    texts = [word.raw for word in command.args]
    if any(text.lower() in {"-file", "-f", "--version", "-version"} for text in texts):
        return
    code = " ".join(texts)
    if command.stdin is not None and command.stdin.text:
        code += "\n" + command.stdin.text
    for line in list(dict.fromkeys(_REMOVE.findall(code)))[:16]:
        yield from _removed(line, command, context)
    if _FORMAT.search(code) and "-whatif" not in code.lower():
        yield from context.judge_code("mkfs.ntfs /dev/sda1", command)
    if _POWER.search(code) and "-whatif" not in code.lower():
        yield from context.judge_code("reboot", command)


def _removed(line: str, command: Command, context: Context) -> Iterator[Finding]:
    words = [one or two or three for one, two, three in _WORD.findall(line)]
    flags = [word.lower() for word in words if word.startswith(("-", "/"))]
    if not any(flag.startswith(("-r", "/s")) for flag in flags) or any(flag.startswith("-w") for flag in flags):
        return
    paths = [_HOME.sub(lambda _: context.home, word) for word in words if not word.startswith("-")]
    paths = ["/" if _DRIVE.match(path) else _VARIABLE.sub(HOLE, path).replace("\\", "/") for path in paths]
    paths = [path for path in paths if path.lower() not in {"/s", "/q", "/f"}]
    if paths:
        yield from context.judge_code(
            f"rm -rf -- {' '.join(quoted(path) if '*' not in path else path for path in paths)}", command
        )
