"""Backups."""

from collections.abc import Iterator

from hermes_guard.argv import Spec, parse
from hermes_guard.rules.cloud.rules import DELETE, FAMILY
from hermes_guard.rules.family import Context
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_OPTIONS = Spec(
    "r= repo= p= password-file= n dry-run d nuke f= list prune keep-last= keep-daily= keep-weekly= "
    "keep-monthly= keep-within= tag= host= help version force archive="
)
_DELETES = frozenset({"forget", "prune", "delete", "recreate", "cleanup", "remove", "rm", "purge"})


@FAMILY.judges("restic", "borg", "borgmatic", "kopia", "duplicity", "tarsnap", "rustic", "bupstash", "duplicati-cli")
def backups(command: Command, _: Context) -> Iterator[Finding]:
    """A backup that is deleted is no backup."""
    options = parse(command, _OPTIONS)
    tarsnap = command.program == "tarsnap"
    if options.helps or options.has("dry-run") or (options.has("n") and not tarsnap):
        return
    verb, second = options.subcommand(), options.subcommand(1)
    if (
        verb in _DELETES
        or verb.startswith("remove-")
        or second in {"delete", "remove", "expire"}
        or (tarsnap and options.has("d", "nuke"))
    ):
        yield DELETE.found(command, path=f"backups: {verb} {second}".strip())
