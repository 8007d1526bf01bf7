"""What the command lines of clusters have in common."""

from hermes_guard.argv import Options


def dry(options: Options) -> bool:
    """True when nothing is changed. `--dry-run=none` changes."""
    for name, word in options.given:
        if name == "dry-run":
            return word is None or word.raw not in {"none", "false"}
    return False


def targets(options: Options, start: int = 1) -> str:
    """The operands that name what is meant."""
    return " ".join(word.text for word in options.operands[start : start + 5])[:100] or "what its input names"
