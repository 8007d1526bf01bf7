"""PUBLIC: JSON text as models write it, read as generously as the arguments of every call."""

from __future__ import annotations

from hermes_core.schemas.repair_texts import read_object

__all__ = ["read_object"]
