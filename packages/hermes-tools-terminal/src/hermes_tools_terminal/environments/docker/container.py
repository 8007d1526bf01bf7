"""Define a task's container: its arguments, name, labels and directories, and what of this machine it exposes."""

from __future__ import annotations

import csv
import io
import os
import re
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hermes_tools_terminal.environments.client import LABEL, digest, profile_id, safe_name, storage_directory
from hermes_tools_terminal.environments.process_records import Owner

if TYPE_CHECKING:
    from hermes_tools_terminal.settings import TerminalSettings

WORKSPACE, HOME = "/workspace", "/root"

# Root needs these to install packages and unpack archives: access to files of others, and changing users.
_FILES_OF_OTHERS = ("DAC_OVERRIDE", "CHOWN", "FOWNER")
_BECOMING_OTHERS = ("SETUID", "SETGID")

_TMPFS = (
    "/tmp:rw,exec,nosuid,size=512m,mode=1777",  # noqa: S108 - the container's; builds run what they put there
    "/var/tmp:rw,noexec,nosuid,size=256m,mode=1777",  # noqa: S108 - the container's own; builds run what they put there
    "/run:rw,noexec,nosuid,size=64m,mode=755",
)

# Uses nothing that an image may lack. The shell waits for its children, so it reaps orphans without `--init`; and a
# command that kills every `sleep` does not end the container.
_FOREVER = "while command -v sleep >/dev/null; do sleep 86400; done"

OPTIONAL = {
    "storage": re.compile(r"storage.opt|overlay\.size|pquota|quota", re.IGNORECASE),
    "init": re.compile(r"container-init|docker-init|catatonit|init binary", re.IGNORECASE),
}
"""Arguments that some engines do not support, by the message that tells; the container is as safe without them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerSpec:
    """How a container is started.

    Attributes:
        name: Its name: the same for the same task, settings and home when it is reused.
        task: The task's name, safe for files and labels.
        folders: Directories of this machine that must exist first.
        arguments: The required arguments of `run`.
        optional: Arguments used if the engine supports them, by the names in `OPTIONAL`.
        image: The image.
        labels: Its labels.
    """

    name: str
    task: str
    folders: tuple[str, ...]
    arguments: tuple[str, ...]
    optional: dict[str, tuple[str, ...]]
    image: str
    labels: dict[str, str]

    def run(self, without: frozenset[str] = frozenset()) -> list[str]:
        """Return the engine arguments that start it, without the optional ones that the engine does not support."""
        some = [word for name, words in self.optional.items() if name not in without for word in words]
        labels = [word for name, value in self.labels.items() for word in ("--label", f"{name}={value}")]
        # The user's arguments come first: they must not override what is needed to find and enter the container.
        ours = ["--detach", "--name", self.name, *labels, "--entrypoint", "sh"]
        return ["run", *some, *self.arguments, *ours, self.image, "-c", _FOREVER]

    def refused(self, words: str, without: frozenset[str]) -> str | None:
        """Return the optional argument that the engine's message rejects; None when it is about something else."""
        left = [name for name in self.optional if name not in without]
        return next((name for name in left if OPTIONAL[name].search(words)), None)


def build_spec(settings: TerminalSettings, *, task: str, home: str, podman: bool = False) -> ContainerSpec:
    """Return the specification of a task's container."""
    docker, safe = settings.docker, safe_name(task)
    folders, mounts = _folders(settings, os.path.join(storage_directory(settings, home, "docker"), safe))
    arguments = (
        *_limits(settings),
        *_privilege_arguments(docker.run_as_host_user, podman=podman),
        *(word for mount in _TMPFS for word in ("--tmpfs", mount)),
        *mounts,
        *(word for volume in docker.volumes for word in ("--volume", expand_volume(volume))),
        *(() if docker.network else ("--network", "none")),
        "--workdir",
        WORKSPACE,
        "--stop-signal",
        "KILL",  # nothing in it waits for anything gentler, but podman would for ten seconds
        *docker.extra_args,
    )
    optional: dict[str, tuple[str, ...]] = {"init": ("--init",)}
    if settings.container.disk:
        optional["storage"] = ("--storage-opt", f"size={settings.container.disk}m")
    profile = profile_id(home)
    settings_digest = digest(docker.image, *arguments, *(word for words in optional.values() for word in words))
    key = digest(profile, task, settings_digest)[:12] if docker.reuse else secrets.token_hex(6)
    return ContainerSpec(
        name=f"hermes-{safe[:40].strip('-._') or 'task'}-{key}",
        task=safe,
        folders=folders,
        arguments=arguments,
        optional=optional,
        image=docker.image,
        labels={
            LABEL: "1",
            f"{LABEL}.task": safe,
            f"{LABEL}.profile": profile,
            f"{LABEL}.owner": str(Owner.this()),
            f"{LABEL}.settings": settings_digest[:16],
            f"{LABEL}.reuse": "1" if docker.reuse else "0",
        },
    )


def expand_volume(volume: str) -> str:
    """Return a volume with the absolute path of its directory; named volumes stay unchanged."""
    source, colon, rest = volume.partition(":")
    if source.startswith(("~", ".", "/")) and colon:
        source = os.path.abspath(os.path.expanduser(source))
    return f"{source}{colon}{rest}"


def mounted_directory(settings: TerminalSettings) -> str | None:
    """Return the directory of this machine that is mounted as the workspace; None when there is none."""
    if not settings.docker.mount_cwd:
        return None
    asked = os.path.abspath(os.path.expanduser(settings.cwd)) if settings.cwd else ""
    return asked if os.path.isdir(asked) else os.getcwd()


def _limits(settings: TerminalSettings) -> tuple[str, ...]:
    limits = settings.container
    return ("--cpus", f"{limits.cpu:g}", "--memory", f"{limits.memory}m", "--pids-limit", str(limits.pids))


def _privilege_arguments(as_host_user: bool, *, podman: bool) -> tuple[str, ...]:
    """Return the arguments for the capabilities and the user."""
    words = ("--cap-drop", "ALL", "--security-opt", "no-new-privileges")
    if not as_host_user:
        return words + tuple(word for cap in (*_FILES_OF_OTHERS, *_BECOMING_OTHERS) for word in ("--cap-add", cap))
    # A user that the image does not know has no home, and rootless podman would map the id to another user.
    own_numbers = ("--userns", "keep-id") if podman and os.geteuid() else ()
    return (*words, "--user", f"{os.getuid()}:{os.getgid()}", *own_numbers, "--env", f"HOME={HOME}")


def _folders(settings: TerminalSettings, storage: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the directories that must exist, and the arguments that mount home and workspace."""
    docker, folders, words = settings.docker, list[str](), list[str]()
    here = mounted_directory(settings)
    if here is not None:
        words += ["--mount", _bind(here, WORKSPACE)]
    for name, inside in (("home", HOME), ("workspace", WORKSPACE)):
        if inside == WORKSPACE and here is not None:
            continue
        if docker.persist:
            folders.append(os.path.join(storage, name))
            words += ["--mount", _bind(folders[-1], inside)]
        elif docker.run_as_host_user:  # volumes created by the engine belong to root
            words += ["--tmpfs", f"{inside}:rw,exec,nosuid,mode=1777"]
        elif inside == WORKSPACE:  # removed with the container, and on disk: large files fit
            words += ["--volume", inside]
    return tuple(folders), tuple(words)


def _bind(source: str, target: str) -> str:
    """Return a mount in the engine's notation, a line of CSV, so that any directory name works."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(["type=bind", f"source={source}", f"target={target}"])
    return line.getvalue()


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
    """Something that a container can reach, in the notation of `Environment.leaks`, and whether it controls this
    machine.
    """

    what: str
    breaks: bool = False


def find_leaks(settings: TerminalSettings, home: str) -> list[Leak]:
    """Return everything that the settings expose.

    Directories persisted for a task do not count: they were created for the container and hold nothing else.
    """
    found = [Leak("network")] if settings.docker.network else []
    if (here := mounted_directory(settings)) is not None:
        found += _of_folder(here, WORKSPACE, home, writable=True)
    for volume in settings.docker.volumes:
        found += _of_volume(volume, home)
    for name, value in _options(settings.docker.extra_args):
        found += _of_option(name, value, home)
    return list(dict.fromkeys(found))


def _options(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield options and their values, in all notations."""
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
    source, colon, rest = expand_volume(volume).partition(":")
    if colon and source.startswith("/"):  # others are named volumes of the engine
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
    # A socket accepts connections through a read-only mount, too.
    if any(_holds(path, socket) for socket in _sockets()):
        yield Leak(f"socket:{inside}", breaks=True)
    elif path == "/":
        yield Leak("everything", breaks=True)
    elif writable:
        yield Leak(f"folder:{inside}", breaks=_is_delicate(path, home))


def _is_delicate(path: str, home: str) -> bool:
    """Return whether writing there can make this machine run code."""
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
    """Return whether a path is a directory, or is in it."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")
