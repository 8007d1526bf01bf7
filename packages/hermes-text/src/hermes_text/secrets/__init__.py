"""Hide secrets: in logs with `redact`, and in text that a model may write back with `mask_secrets`.

Each name is imported when it is first used: most processes never meet a secret.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_text.secrets.commands import redact_words
    from hermes_text.secrets.encoded_secrets import encodings
    from hermes_text.secrets.masks import Mask, find_masks, mask_secrets, new_masks
    from hermes_text.secrets.redaction import redact
    from hermes_text.secrets.secret_names import MASK, looks_secret, masked

__all__ = [
    "MASK",
    "Mask",
    "encodings",
    "find_masks",
    "looks_secret",
    "mask_secrets",
    "masked",
    "new_masks",
    "redact",
    "redact_words",
]

_MODULES = {"redact": "redaction", "redact_words": "commands", "encodings": "encoded_secrets"}
_MODULES |= dict.fromkeys(("MASK", "looks_secret", "masked"), "secret_names")
_MODULES |= dict.fromkeys(("Mask", "find_masks", "mask_secrets", "new_masks"), "masks")


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    return found
