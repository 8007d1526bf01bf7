"""V4A patches: edit, create, delete and move several files with one text."""

from hermes_editing.v4a.apply import Outcome, plan
from hermes_editing.v4a.parser import parse
from hermes_editing.v4a.patch import Add, Delete, Hunk, Move, Patch, PatchError, PathUse, Update

__all__ = ["Add", "Delete", "Hunk", "Move", "Outcome", "Patch", "PatchError", "PathUse", "Update", "parse", "plan"]
