"""Judges object stores and backups."""

from collections.abc import Iterator

from hermes_guard.argv import Options, Spec, parse
from hermes_guard.rules.cloud.programs import COMMON
from hermes_guard.rules.cloud.rules import DELETE, FAMILY, RIGHTS, STOP
from hermes_guard.rules.family import Context
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_DELETES = frozenset({"rm", "rb", "del", "delete", "purge", "deletefile", "rmdirs", "rmdir", "remove"})
#: Verbs that make the target equal to the source, deleting the rest.
_RCLONE = frozenset({"sync", "move", "cleanup", "dedupe", "bisync"})
#: Pairs of verbs that make a bucket public.
_OPENS = frozenset(
    {"iam ch", "iam set", "acl ch", "acl set", "defacl ch", "defacl set"}
    | {f"{noun} {verb}" for noun in ("anonymous", "policy") for verb in ("set", "public", "set-json")}
)


@FAMILY.judges("gsutil", "mc", "mcli", "s3cmd", "b2", "rclone", "s4cmd", "swift", "obsutil", "ossutil", "coscmd")
def stores(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about deletes, including those of a mirror, and about public buckets."""
    options = parse(command, COMMON)
    if _dry(command, options):
        return
    verb, second = options.subcommand(), options.subcommand(1)
    if _deletes(command, options):
        yield DELETE.found(command, path=f"{verb} {second}"[:100])
    elif verb == "admin" and second == "service":
        yield STOP.found(command, path=f"{verb} {second}")
    elif f"{verb} {second}" in _OPENS or (
        verb == "setacl" and any(word.raw in {"--acl-public", "-P"} for word in command.args)
    ):
        yield RIGHTS.found(command, path=verb)


def _dry(command: Command, options: Options) -> bool:
    if options.has("help", "version", "dry-run", "dryrun"):
        return True
    if command.program == "rclone":
        return any(word.raw == "-n" for word in command.args)
    return (
        command.program in {"gsutil", "s3cmd", "b2"}
        and options.has("n")
        and options.subcommand() in {"rsync", "sync", "rm", "del"}
    )


def _deletes(command: Command, options: Options) -> bool:
    verb, second = options.subcommand(), options.subcommand(1)
    texts = [word.raw for word in command.args]
    return (
        verb in _DELETES
        or verb.startswith(("delete-", "delete_"))
        or (command.program == "rclone" and verb in _RCLONE)
        or (verb == "rsync" and any(text[:1] == "-" and text[:2] != "--" and "d" in text for text in texts))
        or (verb == "mirror" and not {"--remove", "--overwrite-delete"}.isdisjoint(texts))
        or (verb == "sync" and options.has("delete", "delete-removed"))
        or (verb in {"bucket", "file"} and second in {"delete", "rm"})
        or (verb == "admin" and options.subcommand(2) in {"remove", "rm"})
    )


_OPTIONS = Spec(
    "r= repo= p= password-file= n dry-run d nuke f= list prune keep-last= keep-daily= keep-weekly= "
    "keep-monthly= keep-within= tag= host= help version force archive="
)
_BACKUPS_DELETES = frozenset({"forget", "prune", "delete", "recreate", "cleanup", "remove", "rm", "purge"})


@FAMILY.judges("restic", "borg", "borgmatic", "kopia", "duplicity", "tarsnap", "rustic", "bupstash", "duplicati-cli")
def backups(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about deleting backups."""
    options = parse(command, _OPTIONS)
    tarsnap = command.program == "tarsnap"
    if options.helps or options.has("dry-run") or (options.has("n") and not tarsnap):
        return
    verb, second = options.subcommand(), options.subcommand(1)
    if (
        verb in _BACKUPS_DELETES
        or verb.startswith("remove-")
        or second in {"delete", "remove", "expire"}
        or (tarsnap and options.has("d", "nuke"))
    ):
        yield DELETE.found(command, path=f"backups: {verb} {second}".strip())
