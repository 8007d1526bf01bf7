"""What a container is to be like: the arguments that it is started with, its name, its labels and its folders."""

from __future__ import annotations

import csv
import hashlib
import io
import os
import re
import secrets
from dataclasses import dataclass
from socket import gethostname
from typing import TYPE_CHECKING

from hermes_tools_terminal.environments.ledger import Owner

if TYPE_CHECKING:
    from hermes_tools_terminal.settings import TerminalSettings

WORKSPACE, HOME = "/workspace", "/root"

LABEL = "hermes-tools"
"""Containers of ours have it, and with a word behind it the facts that others need: `hermes-tools.owner` and so on."""

# What root needs to install packages and unpack archives: files of others, and becoming others. Nothing else.
_FILES_OF_OTHERS = ("DAC_OVERRIDE", "CHOWN", "FOWNER")
_BECOMING_OTHERS = ("SETUID", "SETGID")

_TMPFS = (
    "/tmp:rw,exec,nosuid,size=512m,mode=1777",  # noqa: S108 - the container's; builds run what they put there
    "/var/tmp:rw,noexec,nosuid,size=256m,mode=1777",  # noqa: S108
    "/run:rw,noexec,nosuid,size=64m,mode=755",
)

# No more than any image has. It waits for all its children, so it buries orphans where there is no `--init`; and a
# command that ends everybody who sleeps does not end the container.
_FOREVER = "while command -v sleep >/dev/null; do sleep 86400; done"

OPTIONAL = {
    "storage": re.compile(r"storage.opt|overlay\.size|pquota|quota", re.IGNORECASE),
    "init": re.compile(r"container-init|docker-init|catatonit|init binary", re.IGNORECASE),
}
"""Arguments that not every engine can keep, by what it says then; the container is as safe without them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How a container is started.

    Attributes:
        name: Its name: the same for the same task, settings and home when it is reused.
        task: Its task's name, safe for files and labels.
        folders: Folders of this machine that have to be there first.
        arguments: What `run` gets, but for what is optional.
        optional: What it gets if the engine can: by the names in `OPTIONAL`.
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
        """The arguments of the engine that start it.

        Args:
            without: What of the optional ones the engine cannot do.
        """
        some = [word for name, words in self.optional.items() if name not in without for word in words]
        labels = [word for name, value in self.labels.items() for word in ("--label", f"{name}={value}")]
        # The user's own arguments come first: what is needed to find and enter the container cannot be changed by them.
        ours = ["--detach", "--name", self.name, *labels, "--entrypoint", "sh"]
        return ["run", *some, *self.arguments, *ours, self.image, "-c", _FOREVER]

    def refused(self, words: str, without: frozenset[str]) -> str | None:
        """Which of the optional arguments the engine did not like, by what it said; None when it was something else."""
        left = [name for name in self.optional if name not in without]
        return next((name for name in left if OPTIONAL[name].search(words)), None)


def planned(settings: TerminalSettings, *, task: str, home: str, podman: bool = False) -> Plan:
    """What a task's container is like.

    Args:
        settings: The section `terminal`.
        task: The task's name, whatever it is.
        home: `$HERMES_HOME`.
        podman: Whether the engine is podman.
    """
    docker, safe = settings.docker, safe_name(task)
    folders, mounts = _folders(settings, os.path.join(_kept_in(settings, home), safe))
    arguments = (
        *_limits(settings),
        *_powers(docker.run_as_host_user, podman=podman),
        *(word for mount in _TMPFS for word in ("--tmpfs", mount)),
        *mounts,
        *(word for volume in docker.volumes for word in ("--volume", whole_volume(volume))),
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
    profile = profile_of(home)
    digest = _digest(docker.image, *arguments, *(word for words in optional.values() for word in words))
    key = _digest(profile, task, digest)[:12] if docker.reuse else secrets.token_hex(6)
    return Plan(
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
            f"{LABEL}.settings": digest[:16],
            f"{LABEL}.reuse": "1" if docker.reuse else "0",
        },
    )


def profile_of(home: str) -> str:
    """Whose containers these are. An engine may serve many machines, and process numbers mean nothing on others."""
    return _digest(gethostname(), os.path.realpath(home))[:16]


def safe_name(task: str) -> str:
    """A task's name as a file's and a label's: as it is when it can be, with a hash behind it when not."""
    safe = re.sub(r"[^A-Za-z0-9_.-]+", "-", task)[:60].strip("-.")
    return task if safe == task and task else f"{safe or 'task'}-{_digest(task)[:8]}"


def whole_volume(volume: str) -> str:
    """A volume with its folder of this machine written out; volumes that have a name stay as they are."""
    source, colon, rest = volume.partition(":")
    if source.startswith(("~", ".", "/")) and colon:
        source = os.path.abspath(os.path.expanduser(source))
    return f"{source}{colon}{rest}"


def mounted_folder(settings: TerminalSettings) -> str | None:
    """The folder of this machine that is the workspace; None when it is not asked for."""
    if not settings.docker.mount_cwd:
        return None
    asked = os.path.abspath(os.path.expanduser(settings.cwd)) if settings.cwd else ""
    return asked if os.path.isdir(asked) else os.getcwd()


def _kept_in(settings: TerminalSettings, home: str) -> str:
    base = os.path.expanduser(settings.sandbox_dir) if settings.sandbox_dir else os.path.join(home, "sandboxes")
    return os.path.join(os.path.abspath(base), "docker")


def _limits(settings: TerminalSettings) -> tuple[str, ...]:
    limits = settings.container
    return ("--cpus", f"{limits.cpu:g}", "--memory", f"{limits.memory}m", "--pids-limit", str(limits.pids))


def _powers(as_host_user: bool, *, podman: bool) -> tuple[str, ...]:
    """What the container's user may do."""
    words = ("--cap-drop", "ALL", "--security-opt", "no-new-privileges")
    if not as_host_user:
        return words + tuple(word for cap in (*_FILES_OF_OTHERS, *_BECOMING_OTHERS) for word in ("--cap-add", cap))
    # A user that the image does not know has no home, and rootless podman would take the number for another's.
    own_numbers = ("--userns", "keep-id") if podman and os.geteuid() else ()
    return (*words, "--user", f"{os.getuid()}:{os.getgid()}", *own_numbers, "--env", f"HOME={HOME}")


def _folders(settings: TerminalSettings, kept: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The folders that must be there, and the arguments that mount home and workspace."""
    docker, folders, words = settings.docker, list[str](), list[str]()
    here = mounted_folder(settings)
    if here is not None:
        words += ["--mount", _bind(here, WORKSPACE)]
    for name, inside in (("home", HOME), ("workspace", WORKSPACE)):
        if inside == WORKSPACE and here is not None:
            continue
        if docker.persist:
            folders.append(os.path.join(kept, name))
            words += ["--mount", _bind(folders[-1], inside)]
        elif docker.run_as_host_user:  # what the engine makes belongs to root
            words += ["--tmpfs", f"{inside}:rw,exec,nosuid,mode=1777"]
        elif inside == WORKSPACE:  # removed together with the container, and on disk: big things fit
            words += ["--volume", inside]
    return tuple(folders), tuple(words)


def _bind(source: str, target: str) -> str:
    """A mount in the engine's own notation, which is a line of CSV: any folder's name can be written in it."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(["type=bind", f"source={source}", f"target={target}"])
    return line.getvalue()


def _digest(*words: str) -> str:
    return hashlib.sha256("\0".join(words).encode("utf-8", "surrogateescape")).hexdigest()
