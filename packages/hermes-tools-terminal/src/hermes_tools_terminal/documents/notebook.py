"""Extract the text of a Jupyter notebook: cells and outputs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from hermes_tools_terminal.documents.extractors import DocumentError

KIND: Final = "notebook"

MAX_OUTPUT: Final = 10_000
"""How many characters of one output are included."""

_COLOUR: Final = re.compile(r"\x1b\[[0-9;]*m")


def extract_text(data: bytes) -> str:
    """Return the text of a notebook: each cell with its number and type, and its outputs.

    Raises:
        DocumentError: It is not a notebook.
    """
    try:
        notebook = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise DocumentError(KIND, f"it is not valid JSON ({error}).") from None
    cells = _cells(notebook)
    if cells is None:
        raise DocumentError(KIND, "it has no list of cells.")
    return "\n\n".join("\n".join(_cell_lines(number, cell)) for number, cell in enumerate(cells, 1))


def _cells(notebook: Any) -> list[Any] | None:
    """Return the cells; old notebooks keep them in worksheets."""
    if not isinstance(notebook, dict):
        return None
    sheets = notebook.get("worksheets")
    if isinstance(sheets, list) and "cells" not in notebook:
        return [cell for sheet in sheets if isinstance(sheet, dict) for cell in _list(sheet.get("cells"))]
    cells = notebook.get("cells")
    return cells if isinstance(cells, list) else None


def _cell_lines(number: int, cell: Any) -> Iterator[str]:
    if not isinstance(cell, dict):
        cell = {}
    yield f"--- Cell {number} [{cell.get('cell_type', '?')}] ---"
    yield _text(cell.get("source", cell.get("input", "")))
    for output in _list(cell.get("outputs")):
        if isinstance(output, dict) and (text := _output(output)):
            yield "--- Output ---"
            yield (
                text if len(text) <= MAX_OUTPUT else f"{text[:MAX_OUTPUT]}\n[{len(text) - MAX_OUTPUT} more characters]"
            )


def _output(output: dict[str, Any]) -> str:
    if isinstance(output.get("traceback"), list):
        return _COLOUR.sub("", "\n".join(map(str, output["traceback"])))
    if "text" in output:
        return _COLOUR.sub("", _text(output["text"])).rstrip("\n")
    shown = output.get("data")
    if not isinstance(shown, dict):
        return ""
    others = [f"[{kind}]" for kind in shown if not kind.startswith("text/")]
    for kind in ("text/plain", "text/markdown", "text/latex", "text/html"):
        if kind in shown:
            return "\n".join([_text(shown[kind]).rstrip("\n"), *others])
    return "\n".join(others)


def _text(source: Any) -> str:
    if isinstance(source, list):
        return "".join(map(str, source))
    return source if isinstance(source, str) else str(source or "")


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
