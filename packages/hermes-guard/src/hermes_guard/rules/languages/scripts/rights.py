"""Verbs of scripts that change rights, or go past the language."""

from typing import TYPE_CHECKING

from hermes_guard import lazy_re as re
from hermes_guard.rules.languages.deed import Deed
from hermes_guard.rules.languages.scripts.named import Named

if TYPE_CHECKING:
    from hermes_guard.rules.languages.scripts.script import Script

_MODE = re.compile(r"0?o?[0-7]{3,4}")
#: Setuid, setgid, and writing for everybody.
_LOOSE = 0o6002


def chmod(script: "Script", named: Named) -> None:
    """Rights that give too much."""
    for arg in script.args(named.at):
        for token in arg:
            if token.kind == "number" and _MODE.fullmatch(token.text) and int(token.text.replace("o", ""), 8) & _LOOSE:
                script.found.append(Deed("permission", f"chmod to {token.text}"))


def chown(script: "Script", named: Named) -> None:
    """A file that is given away."""
    if script.language.name != "node" or named.before == ".":
        script.found.append(Deed("permission", f"{named.name} gives a file to somebody else"))


def setuid(script: "Script", _: Named) -> None:
    """Another user from here on."""
    script.found.append(Deed("permission", "changes the user it runs as"))


def syscall(script: "Script", _: Named) -> None:
    """The kernel without the language's own functions."""
    if script.language.name in {"perl", "ruby"}:
        script.found.append(Deed("native", "calls the kernel by number"))
