"""Phrases of a few subcommands, such as `volume rm` or `acl token delete`, for clouds, clusters and containers."""

from hermes_guard.argv import Options

#: No phrase is longer.
_MOST = 4


def phrases(text: str) -> frozenset[str]:
    """The phrases in a text, with commas between them. `app (delete | rm)` stands for `app delete` and `app rm`."""
    found: set[str] = set()
    for phrase in text.split(","):
        before, _, choices = phrase.partition("(")
        for choice in choices.rstrip(") \n").split("|"):
            found.add(" ".join(f"{before} {choice}".split()))
    return frozenset(found - {""})


def says(options: Options, known: frozenset[str]) -> bool:
    """True when the operands begin with one of these phrases."""
    said = ""
    for number in range(min(_MOST, len(options.operands))):
        word = options.subcommand(number)
        said = f"{said} {word}" if said else word
        if said in known:
            return True
    return False


def beginning(options: Options, length: int = 3) -> str:
    """The first operands, as a finding shows them."""
    return " ".join(options.subcommand(number) for number in range(length)).strip()[:100]
