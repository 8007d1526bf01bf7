"""Judges attack tools, and passwords typed by scripts."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.rules.family import Context
from hermes_guard.rules.privilege.rules import FAMILY, GUESSING, SCRIPTED
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_TOOLS = (
    "hydra medusa ncrack patator crowbar crackmapexec cme netexec nxc kerbrute brutespray "
    "john hashcat aircrack-ng aireplay-ng msfconsole msfvenom responder "
    "Responder.py evil-winrm linpeas.sh linpeas LinEnum.sh linux-exploit-suggester.sh lse.sh winpeas.exe "
    "mimikatz mimikatz.exe bettercap "
    "ettercap arpspoof sqlmap wpscan beef-xss setoolkit "
    "impacket-secretsdump impacket-psexec secretsdump.py psexec.py wmiexec.py chisel "
    "ligolo hping3 slowloris masscan zmap slowhttptest gobuster feroxbuster dirb wfuzz "
    "nikto reaver pspy64 sucrack sudo_killer.sh xmrig minerd cgminer"
)


@FAMILY.judges(*_TOOLS.split())
def attack_tools(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about tools whose only use is an attack."""
    texts = {word.raw for word in command.args}
    if command.program == "medusa":
        # A shop system has the same name; here `-h` is the host.
        if texts & {"-M", "-u", "-U"}:
            yield GUESSING.found(command)
    elif not texts or not (texts <= _HELP or any(text.startswith(("--help", "-h", "--list")) for text in texts)):
        yield GUESSING.found(command)


_HELP = frozenset({"--help", "-h", "-hh", "-H", "--version", "-V", "-Version", "-v", "version", "help"})
_NETWORK = re.compile(r"[\d.]+/(?:\d|1[0-6])\Z")


@FAMILY.judges("nmap", "rustscan", "fping")
def sweeps(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about scans of large networks."""
    if any(_NETWORK.match(word.raw) for word in command.args):
        yield GUESSING.found(command)


#: The same as scripts for a shell or Python.
_SCRIPTS = frozenset(name for name in _TOOLS.split() if name.endswith((".sh", ".py")))


@FAMILY.judges("bash", "sh", "zsh", "dash", "python", "python3")
def attack_scripts(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about attack tools that run in an interpreter."""
    script = next((word.raw for word in command.args[:8] if not word.raw.startswith("-")), "")
    if script.rsplit("/", 1)[-1] in _SCRIPTS:
        yield GUESSING.found(command, program=script)


@FAMILY.judges("sshpass")
def sshpass(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about ssh passwords on the command line."""
    if command.args and command.args[0].raw not in {"-h", "-V"}:
        yield SCRIPTED.found(command)


_SPAWNS_LOGIN = re.compile(r"\bspawn\b[^\n;]{0,80}\b(?:sudo|su|doas|passwd|ssh|login)\b")


@FAMILY.judges("expect", "osascript", "autoexpect", "pexpect")
def scripted(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about scripts that answer a login prompt."""
    text = " ".join(word.raw for word in command.args)[:4000]
    if command.stdin is not None and command.stdin.text:
        text += "\n" + command.stdin.text[:4000]
    if "with administrator privileges" in text or _SPAWNS_LOGIN.search(text):
        yield SCRIPTED.found(command)
