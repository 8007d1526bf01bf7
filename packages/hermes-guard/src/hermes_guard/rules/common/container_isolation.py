"""Decides whether a container was created for a command, and whether it can reach this machine."""

from itertools import pairwise

from hermes_guard import lazy_re as re
from hermes_guard.shell.command import Command, Wrapper
from hermes_guard.shell.word import HOLE

#: Subcommands that enter an existing container, and those that create a new one.
_ENTERS = frozenset({"exec", "rsh", "shell", "attach", "enter", "exec-out", "ssh"})
_MAKES = frozenset({"run", "start", "debug", "create", "build"})
_ENTERING = frozenset({"lxc-attach", "adb", "jexec", "bastille", "ddev", "sail", "lando"})
_NODES = ("node/", "nodes/", "no/")
_PRIVILEGED = re.compile(r"--privileged(?:=(?!false|0).*)?\Z")
_CAPABILITY = re.compile(r"(?:--cap-add=)?(?:CAP_)?(?:ALL|SYS_ADMIN|SYS_RAWIO)\Z", re.IGNORECASE)
_DEVICE = re.compile(r"(?:--device=)?/dev(?:/|:|\Z)")
#: Directories whose loss destroys a machine or a home, as mounted into a container.
_CRITICAL = re.compile(
    r"(?:/|~|\$HOME|/(?:home|Users)(?:/[^/]+)?|/(?:root|etc|usr|var|bin|sbin|boot|lib|lib64|dev|opt|srv|System|Library)"
    r"|/usr/s?bin|/usr/lib|/var/lib)/?\Z"
)


def disposable(command: Command, *, disks: bool = False) -> bool:
    """Return True when a command can only lose what was created for it.

    It runs in a container created for it, without a critical directory of this machine. For `disks` it must not reach
    this machine's disks either.
    """
    containers = [wrapper for wrapper in command.wrappers if wrapper.elsewhere == "container"]
    return bool(containers) and not any(
        _existed_before(container) or _holds_critical(container) or (disks and reaches_disks(container))
        for container in containers
    )


def apart(command: Command, path: str) -> bool:
    """Return True for a directory of a container created for the command, without a mount of this machine around it."""
    containers = [wrapper for wrapper in command.wrappers if wrapper.elsewhere == "container"]
    below = path.rstrip("/") + "/"
    return bool(containers) and not any(
        _existed_before(container)
        or any(
            HOLE in inside or f"{inside}/".startswith(below) or below.startswith(f"{inside.rstrip('/')}/")
            for _, inside in container.mounts
        )
        for container in containers
    )


def _existed_before(container: Wrapper) -> bool:
    """Return True when the container existed before, so it may hold someone's work."""
    if container.program in _ENTERING:
        return True
    verb = next((text for text in container.argv[1:12] if text in _ENTERS or text in _MAKES), "")
    # A debug pod mounts the disk of its node.
    return verb in _ENTERS or (verb == "debug" and any(text.startswith(_NODES) for text in container.argv[1:12]))


def _holds_critical(container: Wrapper) -> bool:
    return any(inside and _CRITICAL.match(outside) for outside, inside in container.mounts)


def reaches_disks(container: Wrapper) -> bool:
    """Return True when the container can access the devices of this machine."""
    argv = container.argv[:64]
    return (
        any(map(_PRIVILEGED.match, argv))
        or any(outside.startswith("/dev") and inside for outside, inside in container.mounts)
        or any(
            (option == "--device" and _DEVICE.match(value))
            or (option.startswith("--device=") and _DEVICE.match(option))
            or (option == "--cap-add" and _CAPABILITY.match(value))
            or (option.startswith("--cap-add=") and _CAPABILITY.match(option))
            for option, value in pairwise((*argv, ""))
        )
    )


def rules_machine(command: Command) -> bool:
    """Return True when a command in a container controls the kernel of this machine."""
    return any(
        any(map(_PRIVILEGED.match, container.argv[:64]))
        or any(outside in {"/proc", "/"} for outside, _ in container.mounts)
        for container in command.wrappers
        if container.elsewhere == "container"
    )
