"""Reads values of JSON that others wrote, in which anything may have another type."""

from __future__ import annotations

from typing import Any


def mapping(value: object, key: str | None = None) -> dict[str, Any]:
    """Return an object, or that below a key; empty if it is something else."""
    found = value.get(key) if key is not None and isinstance(value, dict) else value
    return found if isinstance(found, dict) else {}


def text(value: object, key: str | None = None) -> str:
    """Return a string, or that below a key; empty if it is something else."""
    found = value.get(key) if key is not None and isinstance(value, dict) else value
    return found if isinstance(found, str) else ""


def items(value: object, key: str | None = None) -> list[Any]:
    """Return a list, or that below a key; empty if it is something else."""
    found = value.get(key) if key is not None and isinstance(value, dict) else value
    return found if isinstance(found, list) else []
