"""Masks secrets where text goes to the model, and refuses to write a mask where the secret was."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from hermes_text.secrets import find_masks, new_masks
from hermes_tools_terminal.scripts.tool_calls import called_by_script
from hermes_tools_terminal.settings import FileSettings
from hermes_tools_terminal.tools.troubles import FileTroubleError

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


def require_no_new_masks(what: str, new: str, *old: str) -> None:
    """Refuse to look for a mask or to write one, unless a file has that very text in it.

    Args:
        what: What the text is called in the message.
        new: The text.
        *old: The texts of the files as they are.

    Raises:
        FileTroubleError: it has one.
    """
    if masks := new_masks(new, *old):
        raise FileTroubleError(
            f"{_found(masks[0], what)}: it is in no file and must not be written to one. Nothing was changed.",
            hint="Leave that line out: quote and change other lines with patch. What you leave out keeps its secrets.",
            line=masks[0].line,
        )


def mask_in(what: str, text: str) -> str | None:
    """Explain that a command, a script or its input contains a mask; None when it does not."""
    masks = find_masks(text)
    if not masks:
        return None
    return (
        f"{_found(masks[0], what)}. Nothing was done. Use what holds the secret instead: a variable such as $NAME, or "
        "the file that it is in."
    )


def _found(mask: Mask, what: str) -> str:
    return f"Line {mask.line} of the {what} contains {mask.text}, which only stands for a secret that was not shown"
