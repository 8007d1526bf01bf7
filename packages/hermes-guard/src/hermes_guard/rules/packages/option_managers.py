"""Judges package managers whose verb is an option."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from hermes_guard.rules.family import Context
from hermes_guard.rules.packages.rules import FAMILY, REMOVE, SOURCE
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding


class Flags(NamedTuple):
    """The options of a command, by form."""

    #: Long options, without their values.
    long: frozenset[str]
    #: Packed short options, without the dash.
    packed: tuple[str, ...]

    @property
    def letters(self) -> str:
        """All short options."""
        return "".join(self.packed)


def _dpkg(flags: Flags) -> bool:
    # `-D` prints debug output.
    return (bool(flags.long & _DPKG_LONG) or any(text[0] in {"r", "P"} for text in flags.packed)) and not any(
        text[0] == "D" for text in flags.packed
    )


def _rpm(flags: Flags) -> bool:
    return "--erase" in flags.long or any("e" in text and not {"q", "V", "E"} & set(text) for text in flags.packed)


def _pacman(flags: Flags) -> bool:
    removes = "--remove" in flags.long or any("R" in text for text in flags.packed)
    other = any(text[0] in {"Q", "S", "F", "T", "D"} for text in flags.packed)
    # `-Scc` deletes every cached package.
    empties = any("S" in text and text.count("c") > 1 for text in flags.packed)
    return empties or (removes and not other and "p" not in flags.letters)


def _emerge(flags: Flags) -> bool:
    removes = flags.long & {"--unmerge", "--depclean", "--prune"} or set(flags.letters) & {"C", "c", "P"}
    return bool(removes) and "p" not in flags.letters


def _collect_garbage(flags: Flags) -> bool:
    return bool(flags.long & {"--delete-old", "--delete-older-than"}) or "d" in flags.letters


def _nix_env(flags: Flags) -> bool:
    uninstalls = any(text[0] == "e" for text in flags.packed)
    return uninstalls or bool(flags.long & {"--uninstall", "--delete-generations"})


def _nix_store(flags: Flags) -> bool:
    return bool(flags.long & {"--delete", "--gc"}) and not flags.long & {"--print-dead", "--print-roots"}


_DPKG_LONG = frozenset(
    {"--remove", "--purge", "--clear-selections", "--force-all", "--force-remove-essential", "--force-depends"}
)
_REMOVES: dict[str, Callable[[Flags], bool]] = {
    "dpkg": _dpkg,
    "rpm": _rpm,
    **dict.fromkeys(("pacman", "yay", "paru", "pacaur", "trizen"), _pacman),
    "emerge": _emerge,
    "nix-collect-garbage": _collect_garbage,
    "nix-env": _nix_env,
    "nix-store": _nix_store,
}
#: Options that prevent changes.
_ONLY_SHOWS = frozenset(
    {"--help", "--version", "--dry-run", "--simulate", "--no-act", "--test", "--pretend", "--print"}
)


@FAMILY.judges(*_REMOVES)
def flags(command: Command, _: Context) -> Iterator[Finding]:
    """Judge package managers whose verb is an option."""
    program = command.program or ""
    texts = [word.raw for word in command.args]
    given = Flags(
        frozenset(text.partition("=")[0] for text in texts if text.startswith("--")),
        tuple(text[1:] for text in texts if text[:1] == "-" and text[1:2] not in {"-", ""}),
    )
    if given.long & _ONLY_SHOWS:
        return
    operands = " ".join(text for text in texts if not text.startswith("-"))[:100]
    if _REMOVES[program](given):
        yield REMOVE.found(command, path=operands)
    if program == "dpkg" and given.long & {"--pre-invoke", "--post-invoke"}:
        yield SOURCE.found(command, path="--pre-invoke")
    if program == "rpm" and given.long & {"--import", "--nosignature", "--nodigest"}:
        yield SOURCE.found(command, path=operands)
