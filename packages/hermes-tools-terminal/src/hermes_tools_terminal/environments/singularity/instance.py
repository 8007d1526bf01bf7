"""Arguments that start an Apptainer or Singularity instance, and what of this machine they expose."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_tools_terminal.settings import TerminalSettings

WORKSPACE = "/workspace"

# Root needs these to install packages and unpack archives: access to files of others, and changing users.
_CAPABILITIES = "CAP_CHOWN,CAP_DAC_OVERRIDE,CAP_FOWNER,CAP_SETUID,CAP_SETGID"

# For these paths, root in an instance is root of this machine: writing /proc/sys/kernel/core_pattern needs a user id,
# not a capability.
_SENSITIVE = ("/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger")

# The engine would mount these writable for root.
_READ_ONLY = ("/etc/hosts", "/etc/localtime")

LIMITS_FAILED = re.compile(r"cgroup", re.IGNORECASE)
"""The message of engines that cannot set limits: without root, limits need cgroups v2 and systemd."""

# Options that expose nothing, and whether they take a value.
_HARMLESS = {
    **dict.fromkeys(("nv", "nvccli", "rocm", "no-https", "disable-cache", "no-umask", "unsquash", "no-init"), False),
    **dict.fromkeys(("uts", "userns", "fakeroot", "no-privs", "writable-tmpfs", "containall", "cleanenv"), False),
    **dict.fromkeys(("env", "env-file", "hostname", "dns", "drop-caps", "scratch", "authfile", "pid-file"), True),
    **dict.fromkeys(("memory", "memory-swap", "cpus", "pids-limit", "cpu-shares", "cpuset-cpus"), True),
}
_SHORT = {"B": "bind", "S": "scratch", "e": "cleanenv", "C": "containall", "u": "userns", "f": "fakeroot", "n": "net"}
_ENGINE_SOCKETS = re.compile(
    r"(?:docker|podman|containerd|crio|libvirt|systemd|dbus)[^/]*(?:/[^/]*)?(?:\.sock|/private|bus_socket)$"
)
_SYSTEM = ("/etc", "/usr", "/bin", "/sbin", "/lib", "/lib64", "/boot", "/dev", "/proc", "/sys", "/run", "/var", "/opt")
_ABSTRACT = re.compile(r"@\S*(?:dbus|X11-unix|containerd|docker|podman)\S*")


def privilege_arguments() -> list[str]:
    """Return the arguments that drop privileges of root. Other users have none."""
    return ["--no-privs", "--add-caps", _CAPABILITIES] if os.geteuid() == 0 else []


def start_arguments(settings: TerminalSettings, *, overlay: str, scratch: str) -> list[str]:
    """Return the arguments of `instance start`, without limits, image and name; nothing persists without an overlay."""
    words = ["--containall", "--cleanenv", "--no-home", "--no-eval", *privilege_arguments(), "--workdir", scratch]
    words += ["--overlay", overlay] if overlay else ["--writable-tmpfs", "--scratch", WORKSPACE]
    if os.geteuid() == 0:
        words += ["--no-mount", "sys,bind-paths"]
        for path in (*_SENSITIVE, *_READ_ONLY):
            words += ["--bind", f"{path}:{path}:ro"] if os.path.exists(path) else []
    for bind in settings.singularity.binds:
        words += ["--bind", expand_bind(bind)]
    if not settings.singularity.network:
        words += ["--net", "--network", "none"]
    return [*words, *settings.singularity.extra_args]


def limit_arguments(settings: TerminalSettings) -> list[list[str]]:
    """Return sets of limit arguments to try: all, those that engines support more often, none."""
    wanted = settings.container
    some = ["--memory", f"{wanted.memory}m", "--pids-limit", str(wanted.pids)]
    return [[*some, "--cpus", f"{wanted.cpu:g}"], some, []]


def expand_bind(bind: str) -> str:
    """Return a bind with absolute paths outside and inside."""
    source, colon, rest = bind.partition(":")
    source = os.path.abspath(os.path.expanduser(source))
    return f"{source}:{rest}" if colon else f"{source}:{source}"


def find_leaks(settings: TerminalSettings) -> list[str]:
    """Return what can be reached from inside, in the notation of `Environment.leaks`."""
    given = settings.singularity
    found: list[str] = []
    if given.network:  # shared with this machine, including its abstract sockets
        found += ["network", *(f"socket:{name}" for name in _abstract_sockets())]
    for bind in given.binds:
        found += _of_bind(bind)
    for name, value in _options(given.extra_args):
        if name in ("bind", "mount"):
            found += _of_bind(value) if name == "bind" else ["host"]
        elif name not in _HARMLESS and not (name in ("net", "network") and value in ("", "none")):
            found.append("host")
    return list(dict.fromkeys(found))


def _of_bind(bind: str) -> Iterator[str]:
    for each in bind.split(","):
        source, inside, *options = [*expand_bind(each).split(":"), ""][:4]
        source = os.path.realpath(source)
        if _ENGINE_SOCKETS.search(source) or source in ("/run", "/var/run"):  # read-only mounts accept connections
            yield f"socket:{inside}"
        elif source == "/":
            yield "everything"
        elif "ro" not in options:
            yield f"folder:{inside}"
            if any(source == root or source.startswith(f"{root}/") for root in _SYSTEM):
                yield "host"


def _options(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield options and their values, in all notations."""
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if not word.startswith("-"):
            yield "", word
            continue
        name, equals, value = word.lstrip("-").partition("=")
        if not word.startswith("--"):
            name, value = _SHORT.get(name[:1], name), name[1:] or value
            equals = equals or value
        if not equals and rest and _HARMLESS.get(name, name in ("bind", "mount", "network")):
            value = rest.pop(0)
        yield name, value


def _abstract_sockets() -> list[str]:
    try:
        with open("/proc/net/unix", encoding="utf-8", errors="replace") as file:
            return sorted(set(_ABSTRACT.findall(file.read())))
    except OSError:
        return []
