"""What of this machine a container can reach because of what the user mounted, shared or allowed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hermes_tools_terminal.environments.containers.plan import WORKSPACE, mounted_folder, whole_volume

if TYPE_CHECKING:
    from hermes_tools_terminal.settings import TerminalSettings

_SYSTEM = (
    *("/etc", "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/boot", "/opt"),
    *("/dev", "/proc", "/sys", "/run", "/var/run", "/var/lib", "/var/spool"),
)
_OF_A_USER = (".ssh", ".config", ".local/bin", ".bashrc", ".profile", ".gnupg", ".docker")
_SOCKETS = (
    "/var/run/docker.sock",
    "/run/docker.sock",
    "/run/podman/podman.sock",
    "/run/containerd/containerd.sock",
    "/run/crio/crio.sock",
)
_HARMLESS_DEVICES = ("/dev/dri", "/dev/kvm", "/dev/fuse", "/dev/snd", "/dev/nvidia", "/dev/net/tun")
_HARMLESS_POWERS = frozenset(
    ("DAC_OVERRIDE", "CHOWN", "FOWNER", "FSETID", "SETUID", "SETGID", "KILL", "NET_BIND_SERVICE", "AUDIT_WRITE")
)
_SHARED = ("pid", "ipc", "uts", "userns", "cgroupns", "network", "net")
_VALUED = frozenset(
    {"volume", "mount", "device", "cap-add", "security-opt", "volumes-from", "device-cgroup-rule", *_SHARED}
)


@dataclass(frozen=True, slots=True)
class Leak:
    """One way out of a container.

    Attributes:
        what: What can be reached, in the words of `Environment.leaks`.
        breaks: Whether one can do to this machine what one likes by it.
    """

    what: str
    breaks: bool = False


def leaks_of(settings: TerminalSettings, home: str) -> list[Leak]:
    """Every way out that the settings leave open.

    The folders that are kept for a task are none: they were made for the container, and hold nothing else.
    """
    found = [Leak("network")] if settings.docker.network else []
    if (here := mounted_folder(settings)) is not None:
        found += _of_folder(here, WORKSPACE, home, writable=True)
    for volume in settings.docker.volumes:
        found += _of_volume(volume, home)
    for name, value in _options(settings.docker.extra_args):
        found += _of_option(name, value, home)
    return list(dict.fromkeys(found))


def _options(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Options and their values, however they were written."""
    position = 0
    while position < len(words):
        word, position = words[position], position + 1
        if word.startswith("--"):
            name, equals, value = word[2:].partition("=")
        elif word.startswith("-v"):
            name, equals, value = "volume", word[2:3], word[2:].removeprefix("=")
        else:
            continue
        if not equals and name in _VALUED and position < len(words):
            value, position = words[position], position + 1
        yield name, value


def _of_option(name: str, value: str, home: str) -> Iterator[Leak]:
    if name == "privileged" and value.lower() not in ("false", "0"):
        yield Leak("everything", breaks=True)
    elif name in _SHARED and value == "host":
        space = "network" if name == "net" else name
        yield Leak("host", breaks=space in ("pid", "ipc", "network", "userns"))
    elif name in ("network", "net") and value != "none":
        yield Leak("network")
    elif name == "volume":
        yield from _of_volume(value, home)
    elif name == "mount":
        yield from _of_mount(value, home)
    elif name == "volumes-from":
        yield Leak("host", breaks=True)
    elif name == "device":
        yield Leak("host", breaks=not value.startswith(_HARMLESS_DEVICES))
    elif name == "use-api-socket":
        yield Leak("socket:", breaks=True)
    elif name == "device-cgroup-rule":
        yield Leak("host", breaks=True)
    elif name == "cap-add":
        power = value.upper().removeprefix("CAP_")
        if power not in _HARMLESS_POWERS:
            yield Leak("host", breaks=True)
    elif name == "security-opt" and value.replace(":", "=") in (
        "seccomp=unconfined",
        "apparmor=unconfined",
        "label=disable",
        "systempaths=unconfined",
        "no-new-privileges=false",
    ):
        yield Leak("host", breaks="systempaths" in value)


def _of_volume(volume: str, home: str) -> Iterator[Leak]:
    source, colon, rest = whole_volume(volume).partition(":")
    if colon and source.startswith("/"):  # others are volumes of the engine's own
        inside, _, options = rest.partition(":")
        yield from _of_folder(source, inside, home, writable="ro" not in options.split(","))


def _of_mount(value: str, home: str) -> Iterator[Leak]:
    parts = dict(part.partition("=")[::2] for part in value.split(","))
    source = parts.get("source", parts.get("src", ""))
    if parts.get("type") == "bind" and source:
        read_only = any(parts.get(word, "false") in ("", "true", "1") for word in ("readonly", "ro"))
        inside = next((parts[word] for word in ("target", "destination", "dst") if word in parts), "")
        yield from _of_folder(os.path.abspath(source), inside, home, writable=not read_only)


def _of_folder(path: str, inside: str, home: str, *, writable: bool) -> Iterator[Leak]:
    path = os.path.realpath(path)
    # A socket can be talked to through a mount that is read-only, too.
    if any(_holds(path, socket) for socket in _sockets()):
        yield Leak(f"socket:{inside}", breaks=True)
    elif path == "/":
        yield Leak("everything", breaks=True)
    elif writable:
        yield Leak(f"folder:{inside}", breaks=_is_delicate(path, home))


def _is_delicate(path: str, home: str) -> bool:
    """Whether somebody who writes there can have this machine run something."""
    user = os.path.realpath(os.path.expanduser("~"))
    if any(_holds(path, held) for held in (user, os.path.realpath(home))):
        return True
    roots = (*map(os.path.realpath, _SYSTEM), *(os.path.join(user, name) for name in _OF_A_USER))
    return any(_holds(path, root) or _holds(root, path) for root in roots)


def _sockets() -> list[str]:
    named = (os.environ.get(name, "") for name in ("DOCKER_HOST", "CONTAINER_HOST"))
    found = [*_SOCKETS, *(address.removeprefix("unix://") for address in named if address.startswith("unix://"))]
    if runtime := os.environ.get("XDG_RUNTIME_DIR"):
        found += [os.path.join(runtime, "podman", "podman.sock"), os.path.join(runtime, "docker.sock")]
    return [os.path.realpath(path) for path in found]


def _holds(folder: str, path: str) -> bool:
    """Whether a path is a folder, or lies in it."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")
