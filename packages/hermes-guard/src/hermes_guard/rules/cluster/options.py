"""What the command lines of clusters have in common."""

from hermes_guard.argv import Options
from hermes_guard.rules.stages import live_stage, own_stage


def dry(options: Options) -> bool:
    """True when nothing is changed. `--dry-run=none` changes."""
    for name, word in options.given:
        if name == "dry-run":
            return word is None or word.raw not in {"none", "false"}
    return False


def targets(options: Options, start: int = 1) -> str:
    """The operands that name what is meant."""
    return " ".join(word.text for word in options.operands[start : start + 5])[:100] or "what its input names"


_STAGES = ("n", "namespace", "context", "kube-context", "cluster", "e", "environment", "f", "values", "k", "kustomize")


def _stages(options: Options) -> list[str]:
    return [word.raw for word in options.values(*_STAGES)]


def for_developers(options: Options) -> bool:
    """True when the namespace or the context is one that only developers look at."""
    return own_stage(_stages(options))


def goes_live(options: Options) -> bool:
    """True when the namespace, the context or the files are those of what everybody uses."""
    return live_stage(_stages(options))
