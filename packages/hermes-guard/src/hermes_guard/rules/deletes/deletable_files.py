"""Recognizes what a text may delete without approval: files it created itself, and temporary ones."""

from hermes_guard.name_sets import names
from hermes_guard.rules.family import Context
from hermes_guard.shell.command import Command, Wrapper
from hermes_guard.shell.word import Word

TEMPORARY = ("/tmp/", "/var/tmp/", "/dev/shm/", "/private/tmp/", "/private/var/tmp/")  # noqa: S108 - compared only
#: Caches that are deleted to make images smaller.
_CACHES = ("/var/cache/", "/var/lib/apt/lists", "/root/.cache", "/usr/share/doc", "/usr/share/man", *TEMPORARY)
_MAKERS = frozenset({"mktemp", "gmktemp"})
#: Programs that move existing files into a temporary directory.
_BRING = names("mv gmv ln gln link mount bindfs sshfs mount_nullfs mount_bindfs rclone")
_KEEP = ("--volumes-from", "--privileged", "--device", "--mount", "-v", "--volume", "--pid", "--cap-add")


def temporary(path: str | None) -> bool:
    """Return True for a temporary location."""
    return path is not None and path.startswith(TEMPORARY)


def made_here(words: list[Word], command: Command, context: Context) -> bool:
    """Return True when all words name the result of a `mktemp` in the same text, and nothing was moved there."""
    if not words or not all("XXX" in word.raw and not word.glob for word in words):
        return False
    made: set[str] = set()
    for other in context.commands:
        if other.program in _BRING:
            return False
        if other.program in _MAKERS and other.output:
            made.add(other.output.strip())
    return bool(made) and all(
        (path := command.path(line)) in made or any((path or "").startswith(f"{place}/") for place in made)
        for word in words
        # `mktemp -d || mktemp -d -t x` may be either.
        for line in word.raw.split("\n")
    )


def thrown_away(words: list[Word], command: Command) -> bool:
    """Return True for caches in a container that is removed afterwards and shares nothing with the machine."""
    away = [wrapper for wrapper in command.wrappers if wrapper.elsewhere]
    return (
        len(away) == 1
        and _passing(away[0])
        and bool(words)
        and all((command.path(word) or "").startswith(_CACHES) for word in words)
    )


def _passing(wrapper: Wrapper) -> bool:
    argv = wrapper.argv
    return (
        wrapper.elsewhere == "container"
        and not wrapper.program.endswith("compose")
        and not wrapper.mounts
        and "run" in argv
        and "compose" not in argv
        and "--rm" in argv
        and not any(text.startswith(_KEEP) for text in argv)
    )
