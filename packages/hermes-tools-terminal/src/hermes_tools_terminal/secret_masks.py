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
    "Secrets are shown as [secret:...]. Do not include their lines in what you quote or write; change other lines with "
    "patch."
)


def masking(ctx: ToolContext) -> Callable[[str], str]:
    """Return the function that masks secrets for the caller of a tool.

    Users can disable it with `files.mask_secrets`. A script gets unmasked text, since it may write it back in ways that
    no tool sees; its output is masked instead.
    """
    if called_by_script.get():
        return _unmasked
    found = ctx.session.state.get(_KEY)
    if found is None:
        is_enabled = ctx.settings("files", FileSettings).masks_secrets
        found = ctx.session.state[_KEY] = ctx.session.mask_secrets if is_enabled else _unmasked
    mask: Callable[[str], str] = found
    return mask


def masking_of(session: Session) -> Callable[[str], str]:
    """Return the function that masks secrets in reports of background processes."""
    found: Callable[[str], str] = session.state.get(_KEY, session.mask_secrets)
    return found


def _unmasked(text: str) -> str:
    return text


def mask_in(what: str, text: str) -> str | None:
    """Explain that a command, a script or its input contains a mask; None if it does not."""
    masks = find_masks(text)
    if not masks:
        return None
    return (
        f"{describe_mask(masks[0], what)}. Nothing was done. Use a reference to the secret instead: a "
        "variable such as $NAME, or the file that contains it."
    )


def describe_mask(mask: Mask, what: str) -> str:
    """Describe where a mask is, as the beginning of an error message."""
    return f"Line {mask.line} of the {what} contains {mask.text}, which is a placeholder for a hidden secret"
