"""Prints text and tables for people and JSON for programs, on the right stream."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Sequence
from typing import Any

import click

from hermes_text.tables import GAP, NARROWEST, Column, table_lines
from hermes_text.terminal import clean, wrap

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def is_terminal() -> bool:
    """Return True if stdout is a terminal."""
    return sys.stdout is not None and sys.stdout.isatty()


def line_width() -> int | None:
    """Return the width of the terminal, or `COLUMNS`; None if lines are not limited."""
    if is_terminal() or os.environ.get("COLUMNS", "").isdecimal():
        import shutil  # slow to import, because it loads archive formats

        return shutil.get_terminal_size().columns
    return None


def say(text: str = "", style: str = "") -> None:
    """Print a line, styled on a terminal: `bold red`, `dim`."""
    click.echo(_styled(text, style))


def note(text: str) -> None:
    """Print a line on stderr, where it does not mix with output for programs."""
    click.echo(text, err=True)


def counted(number: int, noun: str) -> str:
    """Format a number of things: `1 call`, `2 calls`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _styled(text: str, style: str) -> str:
    plain = not style or not text or not is_terminal() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    if plain:
        return text
    words = style.split()
    color = next((word for word in words if word not in ("bold", "dim")), None)
    return click.style(text, fg=color, bold="bold" in words or None, dim="dim" in words or None)


def print_json(value: Any) -> None:
    """Print a value as JSON, without sorting its keys."""
    print_json_text(json.dumps(value, indent=2, ensure_ascii=False, default=str))


def print_either(as_json: bool, facts: Any, text: str) -> None:
    """Print facts as JSON, or a sentence for people."""
    if as_json:
        print_json(facts)
    else:
        say(text)


def print_json_text(text: str) -> None:
    """Print JSON text; escape characters that are invisible, control the terminal or cannot be encoded."""
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(json.loads(text))
    if not text.isascii():
        text = "\n".join(line if line.isprintable() else _escaped(line) for line in text.split("\n"))
    click.echo(text)


def _escaped(line: str) -> str:
    return "".join(each if each.isprintable() else json.dumps(each)[1:-1] for each in line)


def print_table(columns: Sequence[Column], rows: Iterable[Sequence[object]]) -> None:
    """Print rows under their headings, without empty columns."""
    cells = [[clean(cell) for cell in row] for row in rows]
    used = [index for index in range(len(columns)) if any(row[index] for row in cells)]
    shown = [[row[index] for index in used] for row in cells]
    for line in table_lines([columns[index] for index in used], shown, line_width(), _styled):
        click.echo(line)


def print_facts(facts: Iterable[tuple[str, str]]) -> None:
    """Print labels with their values, one below the other, without empty values."""
    shown = [(label, clean(value)) for label, value in facts if value]
    longest = max((len(label) for label, _ in shown), default=0)
    limit = line_width()
    for label, value in shown:
        lines = [value] if limit is None else wrap(value, max(limit - longest - GAP, NARROWEST))
        for number, line in enumerate(lines):
            click.echo(f"{'' if number else label:<{longest}}{' ' * GAP}{line}")
