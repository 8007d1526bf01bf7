"""Recognizes critical paths: directories whose loss destroys the machine or the home, and raw disks."""

import fnmatch
import posixpath

from hermes_guard import lazy_re as re
from hermes_guard.rules.common.path_arguments import outside_path
from hermes_guard.rules.family import Context
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import HOLE, Word

#: Disk names of Linux, macOS and the BSDs.
_DISK = re.compile(
    r"/dev/(?:mtd[\d*?\[\ue000]|mtdblock\d|(?:sd|hd|vd|xvd)[a-zX*?\[\ue000]|(?:sd|hd|vd|xvd)\Z|nvme[\d*?\[\ue000]|mmcblk[\d*?\[\ue000]|r?disk[\d*?\[\ue000]"
    r"|mapper/(?!control\b).|md[\d*?\[/\ue000]|dm-\d|disk/by-|zd\d|nbd\d|sr\d|bcache\d|drbd\d|root\Z|block/|\*"
    r"|pmem\d|rbd\d|dasd[a-z]|cciss/|zvol/|ubd[a-z\d]|r?(?:ada|da|nvd|nda|vtbd|wd|ld|sd)\d)"
)


#: Kernel memory is not a disk, so writing there needs approval.
_MEMORY = frozenset({"/dev/mem", "/dev/kmem", "/dev/port"})


def disk(word: Word | str, command: Command | None = None, *, memory: bool = False) -> bool:
    """Return True when a word names a raw disk, a partition or kernel memory on the machine where the command runs."""
    text = word if isinstance(word, str) else word.raw
    if command is not None and command.cwd is not None and command.cwd.startswith("/dev"):
        text = posixpath.join(command.cwd, text)
    if command is not None and command.links:
        text = command.path(text) or text
    if not text.startswith("/"):
        return False
    text = posixpath.normpath(text)
    if command is not None and command.contained:
        text = outside_path(text, command) or text
    text = text[1:] if text.startswith("//") else text
    return _DISK.match(text) is not None or _volume(text) or (memory and text in _MEMORY)


def _volume(path: str) -> bool:
    """Return True for a logical volume, recognized by the name of its group."""
    pieces = path.split("/", 4)
    return len(pieces) > 3 and pieces[1] == "dev" and "vg" in pieces[2]


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
#: Directories without which no machine starts; moving them is as bad as deleting them.
SYSTEM = frozenset(
    path
    for path in FOLDERS
    if path not in {"/home", "/root", "/opt", "/srv", "/run", "/Users", "/Applications", "/Volumes", "/usr/share"}
)
#: A last component that stands for everything in a directory.
_EVERYTHING = re.compile(r"(?:\.?\*+|\*\.\*|\?\*|\.\?\*|\.\[[!^]\.\]\*|\.\.\?\*|\[.{1,20}\]\*|\{.*\}|!\([^()/]*\)|\.)$")
_SORTED = tuple(sorted(FOLDERS - {"/"}))
#: The user's name, as shells expand it.
_ME = r"(?:\$\{?(?:USER|LOGNAME)\}?|\$\((?:whoami|id -un|logname)\)|`(?:whoami|id -un|logname)`)"
_MY_HOME = re.compile(rf"[\"']?(?:/home|/Users)/[\"']?{_ME}[\"']?/?(?:\.?\*)?[\"']?\Z")
_MY_NAME = re.compile(rf"[\"']?(?:\./)?{_ME}[\"']?/?(?:\*)?[\"']?\Z")
#: The root as the kernel shows it to a process.
_ROOT = re.compile(r"(?:/proc/(?:self|thread-self|\d+)(?:/task/\d+)?/root)+(?=/|\Z)")


def folder(word: Word, command: Command, context: Context) -> str:
    """Return the critical directory that a word names, or whose whole content it names; otherwise an empty string."""
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
    if is_critical(path, context):
        return path
    if command.contained:
        # A directory of this machine that is mounted in a container.
        outside = outside_path(path, command)
        return outside if outside is not None and is_critical(outside, context) else ""
    if word.glob and path.startswith("/") and len(path) < 64:
        deep = path.count("/")
        known = [place for place in (*_SORTED, context.home) if place.count("/") == deep]
        return next((place for place in known if fnmatch.fnmatchcase(place, path)), "")
    return ""


def is_critical(path: str, context: Context) -> bool:
    """Return True for a normalized path whose loss is critical."""
    return path in FOLDERS or path == context.home
