"""Mask secrets in text for the model, and detect masks in its input."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from hermes_text.secrets import find_masks
from hermes_tools_terminal.scripts.tool_calls import called_by_script
from hermes_tools_terminal.settings import FileSettings

if TYPE_CHECKING:
    from hermes_core import Session, ToolContext
    from hermes_text.secrets import Mask

_KEY = "terminal.masking"

MASKED = (
    "Secrets are shown as [secret:...]: leave their lines out of what you quote and write, and change other lines with "
    "patch."
)


def masking(ctx: ToolContext) -> Callable[[str], str]:
    """Return what masks secrets in text for the caller of a tool.

    The user can turn it off with `files.mask_secrets`. A script gets every text as it is, since it may write it back
    in ways that no tool sees; what it prints is masked instead.
    """
    if called_by_script.get():
        return _unmasked
    found = ctx.session.state.get(_KEY)
    if found is None:
        wanted = ctx.settings("files", FileSettings).masks_secrets
        found = ctx.session.state[_KEY] = ctx.session.mask_secrets if wanted else _unmasked
    mask: Callable[[str], str] = found
    return mask


def masking_of(session: Session) -> Callable[[str], str]:
    """Return what masks secrets in text that a session's processes report on their own."""
    found: Callable[[str], str] = session.state.get(_KEY, session.mask_secrets)
    return found


def _unmasked(text: str) -> str:
    return text


def mask_in(what: str, text: str) -> str | None:
    """Explain that a command, a script or its input contains a mask; None when it does not."""
    masks = find_masks(text)
    if not masks:
        return None
    return (
        f"{describe_mask(masks[0], what)}. Nothing was done. Use what holds the secret instead: a "
        "variable such as $NAME, or the file that it is in."
    )


def describe_mask(mask: Mask, what: str) -> str:
    """Describe where a mask is, as the beginning of an error message."""
    return f"Line {mask.line} of the {what} contains {mask.text}, which only stands for a secret that was not shown"
