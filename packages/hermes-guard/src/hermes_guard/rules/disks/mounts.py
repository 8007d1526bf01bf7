"""Judges mounting over, and unmounting, locations that the system needs."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.argv import Spec, parse
from hermes_guard.rules.common.path_findings import look
from hermes_guard.rules.disks.rules import DISK, FAMILY
from hermes_guard.rules.family import Context, abbreviate
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_BROAD = re.compile(
    r"/(?:home|root|etc|usr|var|bin|sbin|boot|lib\w*|dev|proc|sys|opt|srv|run|tmp|var/lib(?:/docker)?|var/log|"
    r"boot/efi|usr/local|System.*|Users)?/?\Z"
)
#: Mounting over these hides files that the system needs.
_SYSTEM = re.compile(r"/(?:etc|usr|bin|sbin|boot|lib\w*|root|var/(?:lib|log|spool|run)|proc|sys|dev)(?:/|\Z)")
_MOUNT = Spec(
    "a t= o= types= options= O= l L= U= r w n s v V h f F i R B M bind rbind move make-private source= target= all "
    "fake no-mtab read-only rw verbose label= uuid= show-labels "
    "make-shared make-slave make-unbindable make-rprivate make-rslave N= T= fstab= help version"
)
_UMOUNT = Spec(
    "a A c d f h i l n N= O= q r R t= v V all all-targets fake force internal-only lazy recursive read-only "
    "types= test-opts= help version"
)


@FAMILY.judges("mount", "mount_nfs")
def mount(command: Command, context: Context) -> Iterator[Finding]:
    """Ask about mounts that hide existing files."""
    options = parse(command, _MOUNT)
    if options.helps or options.has("V", "h", "fake") or (command.program == "mount" and options.has("f", "l")):
        return
    given = [*options.values("source"), *options.operands, *options.values("target")]
    if options.has("a", "all") or (given and options.has("M", "move")):
        yield DISK.found(command, path=abbreviate(command))
    elif given:
        place = command.path(given[-1]) or "-"
        over = bool(_BROAD.match(place) or _SYSTEM.match(place)) and (
            len(given) > 1 or options.has("bind", "B", "t", "types")
        )
        over = over or (len(given) > 1 and any(_shows_agent(command.path(word), context) for word in given))
        if over or any("remount" in word.raw for word in options.values("o", "options")):
            yield DISK.found(command, path=abbreviate(command))


def _shows_agent(path: str | None, context: Context) -> bool:
    """Return True for the agent's home: a mount gives it another name or replaces it."""
    if path is None or not path.startswith("/") or path.startswith("/dev/"):
        return False
    return (
        context.paths.holds_agent(path, home=context.home) or "path.hermes-config" in look("write", path, context).rules
    )


@FAMILY.judges("umount")
def umount(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about unmounting everything, by force, or a system location."""
    options = parse(command, _UMOUNT)
    if options.helps or options.has("V", "h", "fake"):
        return
    if options.has("a", "A", "all", "R", "recursive", "f", "force", "l", "lazy") or any(
        word.splits or word.glob or _BROAD.match(command.path(word) or "-") for word in options.operands
    ):
        yield DISK.found(command, path=abbreviate(command))


@FAMILY.judges("pivot_root")
def pivot_root(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about changing the root of all processes."""
    if command.args:
        yield DISK.found(command, path=abbreviate(command))
