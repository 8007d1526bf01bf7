"""A sandbox built with Landlock, for machines without bubblewrap: the kernel denies what no rule allows.

Landlock has no namespaces. A system call filter blocks networks, sockets and shared memory. `/tmp` is that of the
machine, so nothing there is accessible: `$TMPDIR` is elsewhere. A rule covers a directory and everything below, so a
directory that contains something hidden (mostly the home) cannot be listed; its other files can be read by name.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import stat
import struct
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import PurePosixPath
from shutil import which

from hermes_tools_terminal.environments.base import TerminalEnvironmentError
from hermes_tools_terminal.environments.local_processes import descendants, members
from hermes_tools_terminal.environments.sandbox import seccomp
from hermes_tools_terminal.environments.sandbox.bubblewrap import memory_file
from hermes_tools_terminal.environments.sandbox.launch import SandboxCommand
from hermes_tools_terminal.environments.sandbox.policy import SandboxPolicy
from hermes_tools_terminal.environments.sandbox.secret_paths import is_within

MIN_ABI = 6
"""Linux 6.12. Older versions let signals out of the sandbox; before 6.2 files can be truncated."""

_CREATE, _ADD, _VERSION, _BELOW_PATH = 444, 445, 1, 1
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR, _TRUNCATE, _IOCTL = 1, 2, 4, 8, 1 << 14, 1 << 15
_ALL = (1 << 16) - 1
_MAKE_DEVICES = 1 << 6 | 1 << 11
_READ = _EXECUTE | _READ_FILE | _READ_DIR
_WRITE = _ALL & ~_MAKE_DEVICES & ~_IOCTL
_DEVICE = _READ_FILE | _WRITE_FILE | _TRUNCATE | _IOCTL
_FOR_FILES = _EXECUTE | _READ_FILE | _WRITE_FILE | _TRUNCATE | _IOCTL
_TCP, _SCOPES = 3, 3  # bind and connect; abstract sockets and signals

_DEVICES = ("null", "zero", "full", "random", "urandom", "tty", "ptmx")
_NOT_GRANTED = ("/dev", "/run", "/tmp", "/var/tmp")  # noqa: S108 - shared with other programs

# Drops the privileges of its own process, and becomes the command. It is a separate program because a process with
# threads cannot safely run code between fork and exec. It imports only what the interpreter has loaded anyway: `os`
# and `ctypes` would double its time.
_LAUNCHER = r"""
import posix, sys
from _ctypes import Array, _SimpleCData, addressof, call_function, dlopen, dlsym
rules, calls, variables, parent, probe = map(int, sys.argv[1:6])
program, argv = sys.argv[6], sys.argv[7:]
env = dict(part.split(b'=', 1) for part in posix.pread(variables, 1 << 24, 0).split(b'\0') if part)
code = posix.pread(calls, 1 << 20, 0)
class Byte(_SimpleCData):
    _type_ = 'c'
class Code(Array):
    _type_, _length_ = Byte, len(code)
if probe:
    import _socket
libc = dlopen(None, 2)
def call(name, *args):
    return call_function(dlsym(libc, name), args)
def must(result, what):
    if result:
        posix.write(2, b'The sandbox cannot be closed: ' + what + b'\n')
        posix._exit(126)
must(call('prctl', 1, 9, 0, 0, 0), b'death signal')
if posix.getppid() != parent:
    posix._exit(126)
call('prctl', 47, 4, 0, 0, 0)
number = 0
while call('prctl', 24, number, 0, 0, 0) == 0:
    number += 1
must(call('capset', b'\x22\x05\x08\x20\0\0\0\0', bytes(24)), b'capabilities')
must(call('prctl', 38, 1, 0, 0, 0), b'privileges')
must(call('syscall', 446, rules, 0), b'Landlock')
held = Code.from_buffer_copy(code)
filter = b''.join(number.to_bytes(8, sys.byteorder) for number in (len(code) // 8, addressof(held)))
must(call('prctl', 22, 2, filter, 0, 0), b'system calls')
if probe:
    for family in (1, 2, 10, 16, 17, 40):
        for kind in (1, 2):
            try:
                _socket.socket(family, kind)
                posix.write(1, b'socket %d\n' % family)
            except OSError:
                pass
for handle in (rules, calls, variables):
    posix.close(handle)
try:
    posix.execve(program, argv, env)
except OSError as error:
    posix.write(2, (program + ': ' + error.strerror + '\n').encode('utf-8', 'surrogateescape'))
    posix._exit(127)
"""


def abi() -> int:
    """Return the kernel's Landlock version; 0 for none."""
    return max(0, int(_libc().syscall(_CREATE, None, ctypes.c_size_t(0), _VERSION)))


def unavailable_reason() -> str | None:
    """Return why Landlock does not work; None when it does."""
    if sys.platform != "linux":
        return "Landlock needs Linux"
    if not seccomp.supported():
        return "the system call numbers of this machine are unknown"
    found = abi()
    if not found:
        return "the kernel has no Landlock, or it is disabled (the kernel option `lsm=`)"
    if found < MIN_ABI:
        return f"the kernel's Landlock version {found} is too old, {MIN_ABI} (Linux 6.12) is required"
    return None


class Landlock:
    """Runs commands in a sandbox. The rules are created for each command, because they refer to existing files."""

    name = "landlock"

    def __init__(self, policy: SandboxPolicy) -> None:
        for path in policy.hidden:
            if is_within(path, policy.opened):
                raise TerminalEnvironmentError(
                    f"Landlock cannot hide {path}, which is in a writable directory.",
                    hint="Install bubblewrap.",
                )
        self._policy = policy
        self.temporary = policy.scratch

    @contextlib.contextmanager
    def sandboxed(
        self, argv: Sequence[str], *, folder: str, env: Mapping[str, str], probe: bool = False
    ) -> Iterator[SandboxCommand]:
        """Return what runs a command in the sandbox."""
        del folder  # rules do not change where a process starts
        text = "\0".join(f"{name}={value}" for name, value in env.items())
        code = seccomp.filter_program(namespaces=False, network=self._policy.network)
        with contextlib.ExitStack() as stack:
            rules = stack.enter_context(_ruleset(self._policy))
            calls = stack.enter_context(memory_file(code))
            variables = stack.enter_context(memory_file(text.encode("utf-8", "surrogateescape")))
            numbers = (rules, calls, variables)
            orders = [*map(str, numbers), str(os.getpid()), "1" if probe else "0"]
            program = which(argv[0], path=env.get("PATH")) or argv[0]
            yield SandboxCommand([sys.executable, "-I", "-S", "-c", _LAUNCHER, *orders, program, *argv], numbers)

    def host_path(self, path: str) -> str:
        """Return the same path: the sandbox has no mounts."""
        return path

    def targets(self, group: int, *, spare_leader: bool, kill: bool) -> list[int]:
        """Return the processes to signal: the command first, then its group and its descendants."""
        del kill
        others = {*members(group), *descendants(group)} - {group}
        return list(others) if spare_leader else [group, *others]


@contextlib.contextmanager
def _ruleset(policy: SandboxPolicy) -> Iterator[int]:
    attributes = struct.pack("QQQ", _ALL, 0 if policy.network else _TCP, _SCOPES)
    rules = _libc().syscall(_CREATE, ctypes.c_char_p(attributes), ctypes.c_size_t(len(attributes)), 0)
    if rules < 0:
        raise TerminalEnvironmentError(f"Landlock: {os.strerror(ctypes.get_errno())}.", hint="Install bubblewrap.")
    try:
        for path, access in _grants(policy):
            _grant(rules, path, access)
        yield rules
    finally:
        os.close(rules)


def _grants(policy: SandboxPolicy) -> Iterator[tuple[str, int]]:
    hidden = policy.hidden | {path for path in _NOT_GRANTED if os.path.isdir(path)}
    above = {"/"} | {str(folder) for path in hidden for folder in PurePosixPath(path).parents}
    for root in ("/", *policy.shown):
        for path in _visible(root, hidden, above):
            yield path, _READ
    for path in (*policy.opened, policy.scratch):
        yield path, _WRITE
    for name in _DEVICES:
        yield f"/dev/{name}", _DEVICE


def _visible(folder: str, hidden: frozenset[str], above: set[str]) -> Iterator[str]:
    """Yield what can be granted as a whole. A rule covers everything below, so a directory with a secret gets none."""
    if folder in hidden:
        return
    if folder not in above:
        yield folder
        return
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        if not entry.is_symlink():
            yield from _visible(entry.path, hidden, above)


def _grant(rules: int, path: str, access: int) -> None:
    try:
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # gone, or not accessible: nothing is granted
    try:
        allowed = access if stat.S_ISDIR(os.fstat(handle).st_mode) else access & _FOR_FILES
        rule = struct.pack("=Qi", allowed, handle)
        if _libc().syscall(_ADD, rules, _BELOW_PATH, ctypes.c_char_p(rule), 0):
            raise TerminalEnvironmentError(f"Landlock rejected the rule for {path}: {os.strerror(ctypes.get_errno())}.")
    finally:
        os.close(handle)


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
