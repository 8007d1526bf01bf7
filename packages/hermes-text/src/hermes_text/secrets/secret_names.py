"""Recognizes secrets by their names, and masks values for display."""

from __future__ import annotations

import re
from typing import Any

MASK = "***"

_SECRET_NAME = re.compile(
    r"(?:^|[_.\-\s])"
    r"(?:api[_-]?keys?|keys?|secrets?|tokens?|passwords?|passwd|pwd|pass|passphrase|passcode|credentials?"
    r"|auth|authorization|bearer|cookies?|pin|dsn)$",
    re.IGNORECASE,
)
_RUN_TOGETHER = re.compile(r"(?:apikey|secret|token|password|credential)s?$", re.IGNORECASE)


_SWITCHES = ("mask_", "redact_", "hide_")
"""The prefixes of settings that turn masking on or off."""


def looks_secret(name: object) -> bool:
    """Return True when the name of a key indicates that its value is a secret."""
    text = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", str(name))
    if text.lower().startswith(_SWITCHES):
        return False
    return _SECRET_NAME.search(text) is not None or _RUN_TOGETHER.search(text) is not None


def masked(value: Any, name: object = "") -> Any:
    """Return a copy of a value without secrets, by the names of its keys and the format of its texts.

    Numbers and booleans are kept: `max_tokens: 500` is no secret.
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
            # The arguments of a command: --token, then the token.
            option = before if isinstance(before, str) and before.startswith("-") else ""
            found.append(masked(item, name if hidden else option))
            before = item
        return found
    return value


def all_masked(value: Any) -> Any:
    """Mask a value that is a secret as a whole; an empty one may be shown."""
    return value if value in (None, "") or isinstance(value, bool) else MASK
