"""What the words of a command name on this machine: folders and disks it cannot lose, and paths the policy knows."""

from hermes_guard.rules.vital.disks import disk
from hermes_guard.rules.vital.folders import FOLDERS, SYSTEM, folder, is_vital
from hermes_guard.rules.vital.looks import (
    BY_NAME,
    MACHINE,
    MANY,
    READ_IGNORED,
    SETTLED,
    judged,
    look,
    notice,
    path_rules,
)
from hermes_guard.rules.vital.places import (
    below,
    found_names,
    handed,
    outside_path,
    piped_names,
    places,
    renamed,
    shown,
)

__all__ = [
    "BY_NAME",
    "FOLDERS",
    "MACHINE",
    "MANY",
    "READ_IGNORED",
    "SETTLED",
    "SYSTEM",
    "below",
    "disk",
    "folder",
    "found_names",
    "handed",
    "is_vital",
    "judged",
    "look",
    "notice",
    "outside_path",
    "path_rules",
    "piped_names",
    "places",
    "renamed",
    "shown",
]
