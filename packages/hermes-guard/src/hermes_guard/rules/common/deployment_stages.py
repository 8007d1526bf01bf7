"""Recognizes deployment stages: whether a name stands for production or for development."""

from collections.abc import Iterable

from hermes_guard import lazy_re as re

#: The maximum length of a stage name.
_MAX_LENGTH = 80
_OWN = re.compile(
    r"(?:.*[-_./=:@])?(?:dev|devel|develop|development|test|tests|testing|sandbox|local|localhost|preview|staging|stg|qa"
    r"|emulator|minikube|kind)(?:[-_./:]\S*)?\Z",
    re.IGNORECASE,
)
_LIVE = re.compile(r"(?:.*[-_./=:@])?(?:prod|production|prd|live)(?:[-_./:]\S*)?\Z", re.IGNORECASE)


def own_stage(texts: Iterable[str]) -> bool:
    """Return True when one of these words names a development stage."""
    return any(len(text) < _MAX_LENGTH and _OWN.match(text) for text in texts)


def live_stage(texts: Iterable[str]) -> bool:
    """Return True when one of these words names production."""
    return any(len(text) < _MAX_LENGTH and _LIVE.match(text) for text in texts)
