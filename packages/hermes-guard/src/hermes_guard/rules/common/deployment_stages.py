"""Stages: whether a name stands for what everybody uses, or for what only developers look at."""

from collections.abc import Iterable

from hermes_guard import lazy_re as re

#: No name of a stage is longer.
_LONGEST = 80
_OWN = re.compile(
    r"(?:.*[-_./=:@])?(?:dev|devel|develop|development|test|tests|testing|sandbox|local|localhost|preview|staging|stg|qa"
    r"|emulator|minikube|kind)(?:[-_./:]\S*)?\Z",
    re.IGNORECASE,
)
_LIVE = re.compile(r"(?:.*[-_./=:@])?(?:prod|production|prd|live)(?:[-_./:]\S*)?\Z", re.IGNORECASE)


def own_stage(texts: Iterable[str]) -> bool:
    """True when one of these words names a stage where nobody but developers looks."""
    return any(len(text) < _LONGEST and _OWN.match(text) for text in texts)


def live_stage(texts: Iterable[str]) -> bool:
    """True when one of these words names what everybody uses."""
    return any(len(text) < _LONGEST and _LIVE.match(text) for text in texts)
