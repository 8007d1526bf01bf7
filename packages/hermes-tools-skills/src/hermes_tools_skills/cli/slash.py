"""The commands `hermes skills ...` for a chat, where users write `/skills ...`."""

from __future__ import annotations

import contextlib
import io
import shlex
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import click

from hermes_core.errors import HermesError
from hermes_tools_skills.cli.commands import skills
from hermes_tools_skills.cli.hub_session import Session

if TYPE_CHECKING:
    from hermes_core import Hermes

_PRINTING = ("list", "view", "validate", "trust")
"""Commands that print what they find."""


def run_slash(
    text: str,
    *,
    hermes: Hermes | None = None,
    confirm: Callable[[str], bool] | None = None,
    show: Callable[[Sequence[str]], None] = lambda _lines: None,
    progress: Callable[[str, int, int], None] = lambda _message, _done, _total: None,
) -> str:
    """Run a command that a user wrote in a chat, such as `/skills search pdf`, and return its output.

    It is for text of users only: never pass text of a model to it.

    Args:
        text: The command, with or without `/skills`.
        hermes: The host of the chat; by default one is loaded.
        confirm: Asks the user a question; without it, only `--yes` confirms.
        show: Shows the user the lines that a question is about.
        progress: Receives a message, how much is done, and the total.
    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        return f"Error: {error}."
    if words[:1] in (["/skills"], ["skills"]):
        words = words[1:]
    words = [word for word in words if word != "--debug"]
    output: list[str] = []
    session = Session(confirm=confirm, show=show, progress=progress, hermes=hermes, output=output)
    printed = io.StringIO()
    # Other commands are not redirected: that would also catch what the chat prints at the same time.
    redirected = (words[:1] and words[0] in _PRINTING) or not words or "--help" in words
    with contextlib.redirect_stdout(printed) if redirected else contextlib.nullcontext():
        try:
            skills.main(words or ["--help"], prog_name="/skills", standalone_mode=False, obj=session)
        except click.exceptions.Exit:
            pass
        except click.ClickException as error:
            output.append(f"Error: {error.format_message()}")
        except (HermesError, OSError) as error:
            output.append(f"Error: {error}")
    return "\n".join([*printed.getvalue().splitlines(), *output])
