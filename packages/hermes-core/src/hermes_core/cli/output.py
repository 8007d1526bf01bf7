"""Text for people and JSON for programs, on the right stream."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import click

# Control characters, and those that reverse the direction of text: what a plugin writes must not steer a terminal.
_UNSAFE = dict.fromkeys((*range(0x20), *range(0x7F, 0xA0), *range(0x2028, 0x202F), *range(0x2066, 0x206A), 0xFEFF), " ")
# Characters that show nothing. Joiners stay: Persian, Hindi and emoji are spelled with them.
_INVISIBLE = (0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x200B, 0x200E, 0x200F, 0x3164, 0xFFA0)
_INVISIBLE += (*range(0x180B, 0x1810), *range(0x2060, 0x2066), *range(0x206A, 0x2070), *range(0xFE00, 0xFE0F))
_INVISIBLE += (*range(0xFFF9, 0xFFFC), *range(0xE0000, 0xE0080), *range(0xE0100, 0xE01F0))
_UNSAFE |= dict.fromkeys(_INVISIBLE, "")


def clean(text: object) -> str:
    """Format text of any origin as one line without control characters and invisible characters.

    All visible characters are kept, those of escape sequences too: people approve calls by what they read here.
    """
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


def counted(number: int, noun: str) -> str:
    """Format a number of things: `1 call`, `2 calls`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def note(text: str) -> None:
    """A line beside the output, for people who look at it: it never mixes with what a program reads."""
    click.echo(text, err=True)


def print_json(value: Any) -> None:
    """A value as JSON; the order of keys is the order in which they were given."""
    print_json_text(json.dumps(value, indent=2, ensure_ascii=False, default=str))


def print_json_text(text: str) -> None:
    """Print JSON text; escape what the stream cannot carry, and what would steer a terminal or be invisible in it."""
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(json.loads(text))
    if not text.isascii():
        text = "\n".join(line if line.isprintable() else _escaped(line) for line in text.split("\n"))
    click.echo(text)


def _escaped(line: str) -> str:
    """A line of JSON with what no terminal should show as escapes, which programs read back as the characters."""
    return "".join(each if each.isprintable() else json.dumps(each)[1:-1] for each in line)
