"""Judges PowerShell, and other Windows programs that fetch and run."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.rules.family import Context
from hermes_guard.rules.remote_code.rules import FAMILY, POWERSHELL
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import HOLE
from hermes_guard.verdict import Finding

_ENCODED = re.compile(r"-(?:e|ec|en|enc|enco\w*)\Z", re.IGNORECASE)
_COMPUTER = re.compile(r"\b(?:Stop|Restart)-Computer\b", re.IGNORECASE)
_VERBS = re.compile(
    r"\b(?:iex|invoke-expression|downloadstring|downloadfile|"
    r"set-executionpolicy|stop-process|stop-service|restart-service|format-volume|clear-disk|clear-recyclebin|"
    r"invoke-command|start-bitstransfer|frombase64string|"
    r"tcpclient|new-scheduledtask|register-scheduledtask|set-mppreference|disable-\w+|uninstall-\w+)",
    re.IGNORECASE,
)
#: Verbs that need an argument on the same line. One pattern for both would try every pair.
_PAIRS = tuple(
    (re.compile(rf"\b{verb}\b", re.IGNORECASE), re.compile(behind, re.IGNORECASE))
    for verb, behind in (
        (r"(?:remove-item|rm)", "-r"),
        (r"remove-\w+", "-force"),
        (r"del", "/s"),
        (r"start-process", "runas"),
        # Fetched, and run after it.
        (r"(?:invoke-webrequest|iwr|invoke-restmethod|irm)", r"[;&]\s{0,9}(?:\.[\\/]|start-process|invoke-item|ii\b)"),
    )
)


def _dangerous(code: str) -> bool:
    if _VERBS.search(code):
        return True
    for line in code.split("\n"):
        for verb, behind in _PAIRS:
            found = verb.search(line)
            if found is not None and behind.search(line, found.end()):
                return True
    return False


@FAMILY.judges("powershell", "powershell.exe", "pwsh", "pwsh.exe", "pwsh-preview")
def powershell(command: Command, context: Context) -> Iterator[Finding]:
    """Ask about encoded and fetched commands, and those that delete or stop something."""
    texts = [word.raw for word in command.args]
    if any(_ENCODED.match(text) for text in texts[:-1]):
        yield POWERSHELL.found(command, path="an encoded command")
        return
    if any(text.lower() in {"-file", "-f", "--version", "-help", "--help", "-version"} for text in texts):
        return
    code = " ".join(text for text in texts if not text.startswith("-") or " " in text)
    full = " ".join(texts)
    if command.stdin is not None and command.stdin.text:
        full += "\n" + command.stdin.text
    if _COMPUTER.search(full):
        yield from context.judge_code("reboot", command)
    elif _dangerous(full) or (texts and HOLE in code):
        yield POWERSHELL.found(command, path=code[:80])


_FETCHED = re.compile(r"https?:|javascript:|vbscript:|-urlcache|/transfer|-decode|\\\\")


@FAMILY.judges(
    "mshta",
    "mshta.exe",
    "regsvr32",
    "regsvr32.exe",
    "rundll32",
    "rundll32.exe",
    "certutil",
    "certutil.exe",
    "bitsadmin",
    "bitsadmin.exe",
    "wscript",
    "cscript",
    "msiexec",
)
def windows(command: Command, _: Context) -> Iterator[Finding]:
    """Judge Windows programs that fetch and run."""
    full = " ".join(word.raw for word in command.args).lower()
    if _FETCHED.search(full):
        yield POWERSHELL.found(command, path=full[:80])
