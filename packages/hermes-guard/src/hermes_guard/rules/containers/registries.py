"""Registries of images."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.rules.containers.rules import FAMILY, PUSH
from hermes_guard.rules.family import Context
from hermes_guard.rules.orders import Arguments
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_HERE = re.compile(
    r"(?:docker://|oci://)?(?:localhost|127\.0\.0\.1|\[::1\]|host\.docker\.internal|kind-registry)(?::\d+)?/"
)


def here(name: str) -> bool:
    """True for an image in a registry of this machine, which nobody else reads."""
    return _HERE.match(name) is not None


@FAMILY.judges("skopeo", "crane", "oras", "regctl", "gcrane", "reg")
def registries(command: Command, _: Context) -> Iterator[Finding]:
    """Images that are published, or deleted where everybody gets them."""
    given = Arguments(command.args)
    verbs = set(given.words[:2])
    if not {"--help", "--dry-run"}.isdisjoint(given.flags):
        return
    if not given.words or here(given.words[-1]):
        return
    if verbs & {"delete", "push", "rm"} or (verbs & {"copy", "cp", "sync"} and given.words[-1].startswith("docker://")):
        yield PUSH.found(command, path=given.words[-1][:100])
