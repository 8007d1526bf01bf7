"""Tools that break in, and passwords that a script types."""

import re
from collections.abc import Iterator

from hermes_guard.rules.family import Context
from hermes_guard.rules.privilege.table import FAMILY, GUESSING, SCRIPTED
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_TOOLS = (
    "hydra medusa ncrack patator crowbar crackmapexec cme netexec nxc kerbrute brutespray "
    "john hashcat aircrack-ng aireplay-ng msfconsole msfvenom responder "
    "Responder.py evil-winrm linpeas.sh linpeas winpeas.exe mimikatz mimikatz.exe bettercap "
    "ettercap arpspoof sqlmap wpscan beef-xss setoolkit "
    "impacket-secretsdump impacket-psexec secretsdump.py psexec.py wmiexec.py chisel "
    "ligolo hping3 slowloris reaver pspy64 sucrack sudo_killer.sh xmrig minerd cgminer"
)


@FAMILY.judges(*_TOOLS.split())
def attack_tools(command: Command, _: Context) -> Iterator[Finding]:
    """Tools whose only use is to break in."""
    texts = {word.raw for word in command.args}
    if not texts & {"--help", "-h", "--version", "-V", "-hh"} and not any(text.startswith("--list") for text in texts):
        yield GUESSING.found(command)


@FAMILY.judges("sshpass")
def sshpass(command: Command, _: Context) -> Iterator[Finding]:
    """Passwords for ssh on the command line."""
    if command.args and command.args[0].raw not in {"-h", "-V"}:
        yield SCRIPTED.found(command)


_SPAWNS_LOGIN = re.compile(r"\bspawn\b[^\n;]{0,80}\b(?:sudo|su|doas|passwd|ssh|login)\b")


@FAMILY.judges("expect", "osascript", "autoexpect", "pexpect")
def scripted(command: Command, _: Context) -> Iterator[Finding]:
    """Scripts that answer a login."""
    text = " ".join(word.raw for word in command.args)[:4000]
    if command.stdin is not None and command.stdin.text:
        text += "\n" + command.stdin.text[:4000]
    if "with administrator privileges" in text or _SPAWNS_LOGIN.search(text):
        yield SCRIPTED.found(command)
