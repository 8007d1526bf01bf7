"""PUBLIC: state files that are written whole or not at all, and locks that die with their holder."""

from __future__ import annotations

from hermes_core.files.atomic import write_atomic
from hermes_core.files.damaged import MOVED, newer_format, rename_aside, set_aside
from hermes_core.files.leftovers import remove_leftovers, temporary_name
from hermes_core.files.locks import file_lock

__all__ = [
    "MOVED",
    "file_lock",
    "newer_format",
    "remove_leftovers",
    "rename_aside",
    "set_aside",
    "temporary_name",
    "write_atomic",
]
