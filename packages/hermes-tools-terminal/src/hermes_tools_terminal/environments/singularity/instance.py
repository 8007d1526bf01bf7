"""How an Apptainer or Singularity instance is started, and what of this machine it can reach all the same."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_tools_terminal.settings import TerminalSettings

WORKSPACE = "/workspace"

# What root needs to install packages and unpack archives: files of others, and becoming others. Nothing else.
_POWERS = "CAP_CHOWN,CAP_DAC_OVERRIDE,CAP_FOWNER,CAP_SETUID,CAP_SETGID"

# Root in an instance is root of this machine as far as these are concerned: writing /proc/sys/kernel/core_pattern takes
# a user's number, no capability.
_DELICATE = ("/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger")

# The engine would mount them so that root can write them.
_READ_ONLY = ("/etc/hosts", "/etc/localtime")

LIMITS_FAILED = re.compile(r"cgroup", re.IGNORECASE)
"""What engines say that cannot limit anything here: for users without root, that takes cgroups v2 and systemd."""

# Options that open nothing, and whether they have a value.
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
    """The arguments that take privileges from root. Others have none."""
    return ["--no-privs", "--add-caps", _POWERS] if os.geteuid() == 0 else []


def start_arguments(settings: TerminalSettings, *, overlay: str, scratch: str) -> list[str]:
    """The arguments of `instance start`, but for limits, image and name.

    Args:
        settings: The section `terminal`.
        overlay: The folder for what is written; nothing is kept when it is empty.
        scratch: A folder for /tmp and its like: memory is for programs.
    """
    words = ["--containall", "--cleanenv", "--no-home", "--no-eval", *privilege_arguments(), "--workdir", scratch]
    words += ["--overlay", overlay] if overlay else ["--writable-tmpfs", "--scratch", WORKSPACE]
    if os.geteuid() == 0:
        words += ["--no-mount", "sys,bind-paths"]
        for path in (*_DELICATE, *_READ_ONLY):
            words += ["--bind", f"{path}:{path}:ro"] if os.path.exists(path) else []
    for bind in settings.singularity.binds:
        words += ["--bind", expand_bind(bind)]
    if not settings.singularity.network:
        words += ["--net", "--network", "none"]
    return [*words, *settings.singularity.extra_args]


def limit_arguments(settings: TerminalSettings) -> list[list[str]]:
    """The arguments for limits: all of them, those that engines can keep more often, none."""
    wanted = settings.container
    some = ["--memory", f"{wanted.memory}m", "--pids-limit", str(wanted.pids)]
    return [[*some, "--cpus", f"{wanted.cpu:g}"], some, []]


def expand_bind(bind: str) -> str:
    """A bind with its folder of this machine written out, and its name inside."""
    source, colon, rest = bind.partition(":")
    source = os.path.abspath(os.path.expanduser(source))
    return f"{source}:{rest}" if colon else f"{source}:{source}"


def find_leaks(settings: TerminalSettings) -> list[str]:
    """What can be reached from inside, in the words of `Environment.leaks`."""
    given = settings.singularity
    found: list[str] = []
    if given.network:  # it is this machine's own: sockets that have no file are in it
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
        if _ENGINE_SOCKETS.search(source) or source in ("/run", "/var/run"):  # read-only is no hindrance to talk to it
            yield f"socket:{inside}"
        elif source == "/":
            yield "everything"
        elif "ro" not in options:
            yield f"folder:{inside}"
            if any(source == root or source.startswith(f"{root}/") for root in _SYSTEM):
                yield "host"


def _options(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Options and their values, however they were written."""
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
