"""Folders whose loss is the loss of the machine or of the home."""

import fnmatch

from hermes_guard import lazy_re as re
from hermes_guard.rules.family import Context
from hermes_guard.rules.vital.places import outside_path
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import HOLE, Word

FOLDERS = frozenset(
    [
        "/",
        "/home",
        "/root",
        "/etc",
        "/usr",
        "/usr/bin",
        "/usr/sbin",
        "/usr/lib",
        "/usr/lib64",
        "/usr/libexec",
        "/usr/share",
        "/var",
        "/var/lib",
        "/bin",
        "/sbin",
        "/boot",
        "/lib",
        "/lib32",
        "/lib64",
        "/libx32",
        "/dev",
        "/proc",
        "/sys",
        "/opt",
        "/srv",
        "/run",
        "/Users",
        "/System",
        "/Library",
        "/Applications",
        "/private",
        "/private/etc",
        "/private/var",
        "/Volumes",
    ]
)
#: The part without which no machine starts; it is lost by being moved, too.
SYSTEM = frozenset(
    path
    for path in FOLDERS
    if path not in {"/home", "/root", "/opt", "/srv", "/run", "/Users", "/Applications", "/Volumes", "/usr/share"}
)
#: A last part that stands for everything in a folder.
_EVERYTHING = re.compile(r"(?:\.?\*+|\*\.\*|\?\*|\.\?\*|\.\[[!^]\.\]\*|\.\.\?\*|\[.{1,20}\]\*|\{.*\}|!\([^()/]*\)|\.)$")
_SORTED = tuple(sorted(FOLDERS - {"/"}))
#: One's own name, as shells know it.
_ME = r"(?:\$\{?(?:USER|LOGNAME)\}?|\$\((?:whoami|id -un|logname)\)|`(?:whoami|id -un|logname)`)"
_MY_HOME = re.compile(rf"[\"']?(?:/home|/Users)/[\"']?{_ME}[\"']?/?(?:\.?\*)?[\"']?\Z")
_MY_NAME = re.compile(rf"[\"']?(?:\./)?{_ME}[\"']?/?(?:\*)?[\"']?\Z")
#: The root as the kernel shows it to a process.
_ROOT = re.compile(r"(?:/proc/(?:self|thread-self|\d+)(?:/task/\d+)?/root)+(?=/|\Z)")


def folder(word: Word, command: Command, context: Context) -> str:
    """The vital folder that a word names, or whose whole content it names; else an empty text."""
    text = word.raw
    if HOLE in text or not text:
        mine = _MY_HOME.match(word.source) or (command.cwd in {"/home", "/Users"} and _MY_NAME.match(word.source))
        return context.home if mine and text else ""
    pieces = text.rstrip("/").split("/")
    extended = "!(" in text and not word.quoted
    if word.glob or extended:
        while len(pieces) > (1 if text[0] == "/" else 0) and _EVERYTHING.match(pieces[-1]):
            pieces.pop()
    stripped = "/".join(pieces) or ("/" if text[0] == "/" else ".")
    path = command.path(stripped)
    if path is None:
        return ""
    if path.startswith("/proc/"):
        path = _ROOT.sub("", path, count=1) or "/"
    if is_vital(path, context):
        return path
    if command.contained:
        # A folder of this machine that was brought into a container.
        outside = outside_path(path, command)
        return outside if outside is not None and is_vital(outside, context) else ""
    if word.glob and path.startswith("/") and len(path) < 64:
        deep = path.count("/")
        known = [place for place in (*_SORTED, context.home) if place.count("/") == deep]
        return next((place for place in known if fnmatch.fnmatchcase(place, path)), "")
    return ""


def is_vital(path: str, context: Context) -> bool:
    """True for a normalised path whose loss nobody wants."""
    return path in FOLDERS or path == context.home
