"""Writes: every way in which a command puts something into a file that others rely on."""

from hermes_guard.rules.vital import (
    BY_NAME,
    MANY,
    READ_IGNORED,
    judged,
    piped_names,
    places,
)
from hermes_guard.rules.writes import (
    archives,
    copies,
    downloads,
    edits,
    logins,
    outputs,
    settings,
    startup,
    streams,
    transfers,
)
from hermes_guard.rules.writes.rules import FAMILY
from hermes_guard.rules.writes.transfers import REMOTE
from hermes_guard.rules.writes_options import CURL, GIT, RSYNC, SCP, SED, TAR, WGET

__all__ = [
    "BY_NAME",
    "CURL",
    "FAMILY",
    "GIT",
    "MANY",
    "READ_IGNORED",
    "REMOTE",
    "RSYNC",
    "SCP",
    "SED",
    "TAR",
    "WGET",
    "archives",
    "copies",
    "downloads",
    "edits",
    "judged",
    "logins",
    "outputs",
    "piped_names",
    "places",
    "settings",
    "startup",
    "streams",
    "transfers",
]
