"""A system call filter for sandboxes: it blocks what commands do not need, and what would lead out.

The filter is a BPF program that is assembled here and run by the kernel, so no library is needed.
"""

from __future__ import annotations

import errno
import platform
import struct
from collections.abc import Iterable
from functools import cache

# linux/filter.h: load a word at an absolute offset, compare, jump, return.
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _ERROR, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data

_NAMESPACES = 0x7E020080  # every CLONE_NEW*
_SET_ID = 0o6000
_CREATES = 0o20000100  # O_CREAT, and the bit of O_TMPFILE
_TYPE_INTO_TERMINAL = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX
_UNIX, _INET, _INET6, _NETLINK = 1, 2, 10, 16

# The same on all architectures since 2019.
_NEW = {
    "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427, "open_tree": 428, "move_mount": 429,
    "fsopen": 430, "fsconfig": 431, "fsmount": 432, "fspick": 433, "clone3": 435, "openat2": 437, "mount_setattr": 442,
    "fchmodat2": 452, "setxattrat": 463, "removexattrat": 466, "open_tree_attr": 467, "file_setattr": 469,
}  # fmt: skip
_NUMBERS = {
    "x86_64": {
        "open": 2, "ioctl": 16, "shmget": 29, "shmat": 30, "socket": 41, "clone": 56, "semget": 64, "msgget": 68,
        "creat": 85, "chmod": 90, "fchmod": 91, "ptrace": 101, "syslog": 103, "mknod": 133, "vhangup": 153,
        "pivot_root": 155, "acct": 163, "settimeofday": 164, "mount": 165, "umount2": 166, "swapon": 167,
        "swapoff": 168, "reboot": 169, "iopl": 172, "ioperm": 173, "init_module": 175, "delete_module": 176,
        "quotactl": 179, "setxattr": 188, "lsetxattr": 189, "fsetxattr": 190, "removexattr": 197, "lremovexattr": 198,
        "fremovexattr": 199, "clock_settime": 227, "mq_open": 240, "kexec_load": 246, "add_key": 248,
        "request_key": 249, "keyctl": 250, "openat": 257, "mknodat": 259, "fchmodat": 268, "unshare": 272,
        "perf_event_open": 298, "fanotify_init": 300, "prlimit64": 302, "open_by_handle_at": 304, "setns": 308,
        "finit_module": 313, "kexec_file_load": 320, "bpf": 321, "userfaultfd": 323,
    },
    "aarch64": {
        "setxattr": 5, "lsetxattr": 6, "fsetxattr": 7, "removexattr": 14, "lremovexattr": 15, "fremovexattr": 16,
        "ioctl": 29, "mknodat": 33, "umount2": 39, "mount": 40, "pivot_root": 41, "fchmod": 52, "fchmodat": 53,
        "openat": 56, "vhangup": 58, "quotactl": 60, "acct": 89, "unshare": 97, "kexec_load": 104, "init_module": 105,
        "delete_module": 106, "clock_settime": 112, "syslog": 116, "ptrace": 117, "reboot": 142, "settimeofday": 170,
        "mq_open": 180, "msgget": 186, "semget": 190, "shmget": 194, "shmat": 196, "socket": 198, "add_key": 217,
        "request_key": 218, "keyctl": 219, "clone": 220, "swapon": 224, "swapoff": 225, "perf_event_open": 241,
        "prlimit64": 261, "fanotify_init": 262, "open_by_handle_at": 265, "setns": 268, "finit_module": 273,
        "bpf": 280, "userfaultfd": 282, "kexec_file_load": 294,
    },
}  # fmt: skip
_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

_NEVER = (
    "io_uring_setup", "io_uring_enter", "io_uring_register", "open_tree", "open_tree_attr", "move_mount", "fsopen",
    "fsconfig", "fsmount", "fspick", "mount_setattr", "syslog", "vhangup", "pivot_root", "acct", "settimeofday",
    "mount", "umount2", "swapon", "swapoff", "reboot", "iopl", "ioperm", "init_module", "delete_module",
    "finit_module", "quotactl", "clock_settime", "kexec_load", "kexec_file_load", "add_key", "request_key", "keyctl",
    "perf_event_open", "fanotify_init", "open_by_handle_at", "setns", "bpf", "userfaultfd",
)  # fmt: skip
# Without namespaces, memory and queues of other programs are reachable, and so are file attributes.
_SHARED = ("shmget", "shmat", "semget", "msgget", "mq_open")
_ATTRIBUTES = (
    "setxattr", "lsetxattr", "fsetxattr", "removexattr", "lremovexattr", "fremovexattr", "setxattrat", "removexattrat",
    "file_setattr",
)  # fmt: skip


def supported() -> bool:
    """Return whether the system call numbers of this machine are known."""
    return platform.machine() in _NUMBERS


@cache
def filter_program(*, namespaces: bool, network: bool) -> bytes:
    """Return the filter in the kernel's format.

    Args:
        namespaces: Whether the sandbox has its own namespaces; without them more is blocked.
        network: Whether commands reach the network. Otherwise, with namespaces, they have an empty network.
    """
    program = _Program(platform.machine())
    program.refuse(_NEVER, errno.EPERM)
    # A filter cannot inspect arguments in memory: programs fall back to calls that it can.
    program.refuse(("clone3", "openat2"), errno.ENOSYS)
    program.refuse_bits("clone", 0, _NAMESPACES & ~0x80)  # its lowest bits are a signal number
    program.refuse_bits("unshare", 0, _NAMESPACES)
    program.refuse_values("ioctl", 1, _TYPE_INTO_TERMINAL)
    for name, argument in (
        ("chmod", 1),
        ("fchmod", 1),
        ("fchmodat", 2),
        ("fchmodat2", 2),
        ("creat", 1),
        ("mknod", 1),
        ("mknodat", 2),
    ):
        program.refuse_bits(name, argument, _SET_ID)
    for name, argument in (("open", 2), ("openat", 3)):
        program.refuse_bits(name, argument, _SET_ID, when=(argument - 1, _CREATES))
    if namespaces:
        program.refuse_others("socket", 0, (_UNIX, _INET, _INET6, _NETLINK))
    else:
        program.refuse_others("socket", 0, (_INET, _INET6, _NETLINK) if network else ())
        program.refuse(_SHARED, errno.EPERM)
        program.refuse(_ATTRIBUTES, errno.ENOTSUP)
        program.refuse_others("prlimit64", 0, (0,))
    return program.done()


class _Program:
    """Assembles a filter: one block for each system call, which returns or falls through."""

    def __init__(self, machine: str) -> None:
        self._numbers = {**_NUMBERS[machine], **_NEW}
        # The calls of another architecture have other numbers: block all of them.
        self._code = [_step(_LOAD, _ARCHITECTURE), _step(_EQUAL, _ARCHITECTURES[machine], 1, 0), _step(_RETURN, _KILL)]
        self._code.append(_step(_LOAD, _NUMBER))
        if machine == "x86_64":  # the x32 numbers begin here
            self._code += [_step(_AT_LEAST, 0x40000000, 0, 1), _step(_RETURN, _ERROR | errno.ENOSYS)]

    def refuse(self, names: Iterable[str], error: int) -> None:
        """Block calls."""
        for name in names:
            self._block(name, [_step(_RETURN, _ERROR | error)])

    def refuse_bits(self, name: str, argument: int, bits: int, *, when: tuple[int, int] | None = None) -> None:
        """Block a call with one of these bits in an argument, optionally only with one of other bits in another one."""
        body = [_step(_LOAD, _offset(argument)), _step(_ANY_BIT, bits, 0, 1), _step(_RETURN, _ERROR | errno.EPERM)]
        if when is not None:
            body = [_step(_LOAD, _offset(when[0])), _step(_ANY_BIT, when[1], 0, 3), *body]
        self._block(name, [*body, _step(_RETURN, _ALLOW)])

    def refuse_values(self, name: str, argument: int, values: Iterable[int]) -> None:
        """Block a call with one of these values."""
        body = [_step(_LOAD, _offset(argument))]
        for value in values:
            body += [_step(_EQUAL, value, 0, 1), _step(_RETURN, _ERROR | errno.EPERM)]
        self._block(name, [*body, _step(_RETURN, _ALLOW)])

    def refuse_others(self, name: str, argument: int, values: Iterable[int]) -> None:
        """Block a call except with one of these values."""
        body = [_step(_LOAD, _offset(argument))]
        for value in values:
            body += [_step(_EQUAL, value, 0, 1), _step(_RETURN, _ALLOW)]
        self._block(name, [*body, _step(_RETURN, _ERROR | errno.EPERM)])

    def done(self) -> bytes:
        """Return the program, which allows everything else."""
        return b"".join([*self._code, _step(_RETURN, _ALLOW)])

    def _block(self, name: str, body: list[bytes]) -> None:
        number = self._numbers.get(name)
        if number is not None:  # newer architectures lack the older calls
            self._code += [_step(_EQUAL, number, 0, len(body)), *body]


def _step(code: int, value: int, when_true: int = 0, when_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, when_true, when_false, value)


def _offset(argument: int) -> int:
    """Return the offset of the lower half of an argument; both architectures are little-endian."""
    return _ARGUMENTS + 8 * argument
