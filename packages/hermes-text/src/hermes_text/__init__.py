"""Clean text for models: error messages with `sanitize_error`, untrusted text with marks around it.

`hermes_text.secrets` finds, masks and redacts secrets. A name is imported from its module when it is first used.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_text.sanitize import sanitize_error as sanitize_error
    from hermes_text.untrusted import untrusted_line as untrusted_line
    from hermes_text.untrusted import untrusted_text as untrusted_text
    from hermes_text.untrusted import unwrapped_text as unwrapped_text

    __all__: list[str]
else:
    from hermes_text.lazy_names import lazy_names

    __all__, __getattr__, __dir__ = lazy_names()

__version__ = "1.0.0"

# Matches every text that `sanitize_text` could change; for other texts it is not imported.
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

    False means that each text must be checked.
    """
    return (
        shown.isascii()
        and shown.isprintable()
        and not any(suspect in shown for suspect in _SUSPECT_IN_REPR)
        and not _SUSPECT_BRACKET.search(shown)
    )


def text_of(value: object) -> str:
    """Return a value as text; if its `__str__` fails, the name of its class."""
    if isinstance(value, str):
        return value
    try:
        return str(value)
    except Exception:
        return type(value).__name__
