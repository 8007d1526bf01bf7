"""Keeps secrets from being overwritten by the stars that they are shown as."""

from __future__ import annotations

from hermes_core import redact
from hermes_tools_terminal.tools.troubles import FileTroubleError

MASK = "***"
HINT = "Secrets are shown as ***: leave their lines out of what you quote, and change the others."


def require_no_masked_lines(old: str, new: str) -> None:
    """Refuse a text that has a line as it is shown, where the file has it with its secret.

    Args:
        old: The file's text.
        new: What shall be in the file.

    Raises:
        FileTroubleError: it has one.
    """
    if MASK not in new:
        return
    own = set(old.splitlines())
    masked = {line for line in redact(old).splitlines() if MASK in line and line not in own}
    if any(line in masked for line in new.splitlines()):
        raise _lost()


def require_no_new_masks(old: str, new: str) -> None:
    """Refuse a text with more stars than before, made of a quote that may have had some for a secret.

    Args:
        old: The file's text.
        new: What shall be in the file.

    Raises:
        FileTroubleError: it is one, and the file has secrets.
    """
    before = old.count(MASK)
    if new.count(MASK) > before and redact(old).count(MASK) > before:
        raise _lost()


def _lost() -> FileTroubleError:
    return FileTroubleError(
        "The content holds *** where the file holds a secret, which would be lost.",
        hint="Change the other lines with patch, and leave that one alone.",
    )
