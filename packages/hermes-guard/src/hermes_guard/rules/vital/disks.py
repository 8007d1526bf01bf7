"""Raw disks and the memory of the kernel."""

import posixpath

from hermes_guard import lazy_re as re
from hermes_guard.rules.vital.places import outside_path
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import Word

#: Names of Linux, of macOS, and of the BSDs.
_DISK = re.compile(
    r"/dev/(?:mtd[\d*?\[\ue000]|mtdblock\d|(?:sd|hd|vd|xvd)[a-zX*?\[\ue000]|(?:sd|hd|vd|xvd)\Z|nvme[\d*?\[\ue000]|mmcblk[\d*?\[\ue000]|r?disk[\d*?\[\ue000]"
    r"|mapper/(?!control\b).|md[\d*?\[/\ue000]|dm-\d|disk/by-|zd\d|nbd\d|sr\d|bcache\d|drbd\d|root\Z|block/|\*"
    r"|pmem\d|rbd\d|dasd[a-z]|cciss/|zvol/|ubd[a-z\d]|r?(?:ada|da|nvd|nda|vtbd|wd|ld|sd)\d)"
)


#: The memory of the kernel is no disk: whoever writes there is asked.
_MEMORY = frozenset({"/dev/mem", "/dev/kmem", "/dev/port"})


def disk(word: Word | str, command: Command | None = None, *, memory: bool = False) -> bool:
    """True when a word names a raw disk or a partition, or the kernel's memory, from where the command runs."""
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
    """A logical volume; its group is known by its name."""
    pieces = path.split("/", 4)
    return len(pieces) > 3 and pieces[1] == "dev" and "vg" in pieces[2]
