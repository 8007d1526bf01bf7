"""What a new shell on this machine reads before the first command."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hermes_tools_terminal.words import quoted_path

if TYPE_CHECKING:
    from hermes_tools_terminal.settings import TerminalSettings


def start_up_code(settings: TerminalSettings) -> str:
    """Shell code that reads the files which the user named, and those only that are there."""
    files = [*settings.shell_init_files, *(["~/.bashrc"] if settings.auto_source_bashrc else [])]
    lines = []
    for file in files:
        word = quoted_path(file)
        lines.append(f"[ -r {word} ] && . {word}")
    return "\n".join([*lines, ":"]) if lines else ""
