"""V4A patches: edit, create, delete and move several files with one text."""

from hermes_tools_terminal.editing.v4a.apply import Outcome, plan
from hermes_tools_terminal.editing.v4a.parser import parse
from hermes_tools_terminal.editing.v4a.patch import Add, Delete, Hunk, Move, Patch, PatchError, PathUse, Update

__all__ = ["Add", "Delete", "Hunk", "Move", "Outcome", "Patch", "PatchError", "PathUse", "Update", "parse", "plan"]
