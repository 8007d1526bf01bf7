"""Text for people and JSON for programs, on the right stream."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import click

# Control characters, and those that reverse the direction of text: what a plugin writes must not steer a terminal.
_UNSAFE = dict.fromkeys((*range(0x20), *range(0x7F, 0xA0), *range(0x2028, 0x202F), *range(0x2066, 0x206A), 0xFEFF), " ")


def clean(text: object) -> str:
    """Text of any origin as one harmless line."""
    return " ".join(str(text).translate(_UNSAFE).split())


def harmless(line: str) -> str:
    """A line as it is, but for what would steer a terminal."""
    return line.translate(_UNSAFE)


def is_terminal() -> bool:
    """Whether a person is looking at stdout."""
    return sys.stdout is not None and sys.stdout.isatty()


def is_styled() -> bool:
    """Whether that person is to see colours and the like."""
    return is_terminal() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def line_width() -> int | None:
    """How wide a line may be: the terminal's width or `COLUMNS`; None where nothing limits it."""
    if is_terminal() or os.environ.get("COLUMNS", "").isdecimal():
        import shutil  # brings the archive formats along, which a listing for programs need not wait for

        return shutil.get_terminal_size().columns
    return None


def say(text: str = "", style: str = "") -> None:
    """A line for people, with a style where a terminal shows it."""
    if style and is_styled():
        from rich.console import Console
        from rich.text import Text

        Console(highlight=False).print(Text(text, style=style), soft_wrap=True)
    else:
        click.echo(text)


def note(text: str) -> None:
    """A line beside the output, for people who look at it: it never mixes with what a program reads."""
    click.echo(text, err=True)


def print_json(value: Any) -> None:
    """A value as JSON; the order of keys is the order in which they were given."""
    print_json_text(json.dumps(value, indent=2, ensure_ascii=False, default=str))


def print_json_text(text: str) -> None:
    """JSON text as it is; where the stream cannot carry a character, as the same JSON in ASCII."""
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(json.loads(text))
    click.echo(text)
