"""Decides where writing is ordinary: the workspace, the home directory, temporary directories."""

from dataclasses import dataclass

from hermes_guard.paths.canonical_paths import Surroundings, starts
from hermes_guard.paths.pattern_index import View

_ORDINARY = (
    ["tmp"],
    ["var", "tmp"],
    ["var", "folders"],
    ["dev"],  # devices and kernel files have their own rules
    ["proc"],
    ["sys"],
    ["run", "user"],
    ["run", "lock"],
    ["run", "shm"],
    ["var", "lock"],
)


@dataclass(frozen=True, slots=True)
class Outside:
    """Why a location is not an ordinary one to write to."""

    rule: str
    reason: str


_ROOT = Outside("path.root-folder", "It is directly in the root directory.")
_WORKSPACE = Outside(
    "path.outside-workspace", "It is outside the workspace, the home directory and temporary directories."
)
_OTHER_HOME = Outside("path.other-home", "It is in the home directory of another user.")


def outside(view: View, around: Surroundings, *, explicit_home: bool) -> Outside | None:
    """Return the objection to writing to a path outside of the workspace; None when there is none."""
    if not view.full.startswith("/"):
        return _WORKSPACE if around.workspace_names else None
    names = view.full[1:].split("/")
    if starts(names, around.home_names) or starts(names, around.temp_names):
        return None
    if any(starts(names, folder) for folder in _ORDINARY) or "/appdata/local/temp/" in view.full:
        return None
    if starts(view.path.casefold()[1:].split("/"), around.hermes_names):
        return None
    if view.below_home and explicit_home:
        return _OTHER_HOME
    if around.workspace_names:
        return _WORKSPACE
    return _ROOT if len(names) == 1 else None
