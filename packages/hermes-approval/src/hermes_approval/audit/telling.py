"""What gives a secret away: the name beside it, or the option before it."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from hermes_text.secrets import looks_secret, redact_words

_LONGEST_NAME = 160
# Codes that are typed once are not settings, so the names that settings have for secrets do not cover them.
_ONE_TIME = re.compile(
    r"(?:^|[_.\-\s])(?:t?otp|(?:mfa|2fa|tan)(?:[_-]?code)?|one[_-]?time[_-]?(?:code|pass)|pw|cvv|cvc)$", re.IGNORECASE
)
PLAIN_WORD = re.compile(r"[A-Za-z_][A-Za-z_.-]{0,39}")
"""A name that may be shown below one that tells of secrets: what is no plain word may be one itself."""


def is_telling(name: object) -> bool:
    """Whether a name says that what it names is a secret."""
    # Only the end of a name tells; the rest of a very long one is not looked at.
    return isinstance(name, str) and _looks_secret(name[-_LONGEST_NAME:])


@lru_cache(maxsize=1_024)
def _looks_secret(name: str) -> bool:
    return looks_secret(name) or _ONE_TIME.search(name) is not None


def counts(name: object) -> bool:
    """Whether a number of that name says how many, as `max_tokens` does."""
    return isinstance(name, str) and name.lower().endswith(("tokens", "keys"))


def without_passwords(items: list[Any]) -> list[Any]:
    """The items of what may be a command, without the passwords that its options take."""
    if not any(isinstance(item, str) and item.startswith("-") for item in items):
        return items
    words = redact_words([str.__str__(item) if isinstance(item, str) else "" for item in items])
    return [word if isinstance(item, str) else item for item, word in zip(items, words, strict=True)]
