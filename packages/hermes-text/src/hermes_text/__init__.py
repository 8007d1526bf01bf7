"""Clean text for models: error messages with `sanitize_error`, untrusted text with marks around it.

`hermes_text.secrets` finds, masks and redacts secrets. Each name is imported when it is first used.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_text.sanitize import sanitize_error
    from hermes_text.untrusted import untrusted_line, untrusted_text, unwrapped_text

__version__ = "1.0.0"

__all__ = ["sanitize_error", "untrusted_line", "untrusted_text", "unwrapped_text"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    module = "sanitize" if name == "sanitize_error" else "untrusted"
    found = globals()[name] = getattr(import_module(f"{__name__}.{module}"), name)
    return found


# Everything that `sanitize_text` could change; other text need not import it.
_ROLES = ("Human", "Assistant", "HUMAN", "ASSISTANT", "USER", "SYSTEM")
_SUSPECT = re.compile(rf"[^\t\n -~]|[<\[]|(?:{'|'.join(_ROLES)})[ \t]*:")
# In the `repr` of JSON a backslash escapes something. A bracket before a letter may begin a chat template token, and
# other brackets begin a list.
_SUSPECT_IN_REPR = ("\\", "<", *_ROLES)
_SUSPECT_BRACKET = re.compile(r"\[(?![]'\"\d{[-])")


def clean_text(text: str) -> str:
    """Remove chat template tokens, role tags, escape sequences and invisible characters; other text is unchanged."""
    if not _SUSPECT.search(text):
        return text
    from hermes_text.sanitize import sanitize_text

    return sanitize_text(text)


def is_clean_repr(shown: str) -> bool:
    """Return True if `clean_text` changes no text in this `repr` of JSON, and no text in it has more than one line.

    False means only that each text must be looked at.
    """
    return (
        shown.isascii()
        and shown.isprintable()
        and not any(suspect in shown for suspect in _SUSPECT_IN_REPR)
        and not _SUSPECT_BRACKET.search(shown)
    )


def text_of(value: object) -> str:
    """Return a value as text, even when it cannot say what it is."""
    if isinstance(value, str):
        return value
    try:
        return str(value)
    except Exception:
        return type(value).__name__
