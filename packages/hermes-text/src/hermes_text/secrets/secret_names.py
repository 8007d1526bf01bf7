"""Keeps secrets out of what is shown: those that a schema marks, and those that only their name gives away."""

from __future__ import annotations

import re
from typing import Any

MASK = "***"

_TELLING = re.compile(
    r"(?:^|[_.\-\s])"
    r"(?:api[_-]?keys?|keys?|secrets?|tokens?|passwords?|passwd|pwd|pass|passphrase|passcode|credentials?"
    r"|auth|authorization|bearer|cookies?|pin|dsn)$",
    re.IGNORECASE,
)
_RUN_TOGETHER = re.compile(r"(?:apikey|secret|token|password|credential)s?$", re.IGNORECASE)


_SWITCHES = ("mask_", "redact_", "hide_")
"""What settings are called that say whether something is hidden."""


def looks_secret(name: object) -> bool:
    """Whether a key's name says that its value is a secret."""
    text = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", str(name))
    if text.lower().startswith(_SWITCHES):
        return False
    return _TELLING.search(text) is not None or _RUN_TOGETHER.search(text) is not None


def masked(value: Any, name: object = "") -> Any:
    """A copy of a value in which nothing secret is left, judged by the names of its keys and the shape of its texts.

    Numbers and booleans stay: `max_tokens: 500` is no secret.
    """
    hidden = looks_secret(name)
    if isinstance(value, str):
        from hermes_text.secrets.redaction import redact

        return MASK if hidden and value else redact(value)
    if isinstance(value, dict):
        return {key: masked(item, name if hidden and not looks_secret(key) else key) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        found = []
        before: Any = ""
        for item in value:
            # As in a command's arguments: --token and then the token.
            option = before if isinstance(before, str) and before.startswith("-") else ""
            found.append(masked(item, name if hidden else option))
            before = item
        return found
    return value


def all_masked(value: Any) -> Any:
    """What is shown of a value that is a secret as a whole; that there is none may be seen."""
    return value if value in (None, "") or isinstance(value, bool) else MASK
