"""Lists of words as rules write them, and commands as findings show them."""

from hermes_guard.shell.command import Command


def names(text: str) -> frozenset[str]:
    """The names in a text, which reads better than a long list of strings."""
    return frozenset(text.split())


def shown(command: Command, length: int = 100) -> str:
    """The beginning of a command, as a finding shows it."""
    return " ".join(command.texts)[:length]
