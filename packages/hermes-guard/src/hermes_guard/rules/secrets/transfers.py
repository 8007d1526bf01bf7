"""Judges files that are copied to another machine or into a bucket."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.argv import Spec, parse
from hermes_guard.rules.common.file_tool_options import RSYNC, SCP
from hermes_guard.rules.family import Context
from hermes_guard.rules.secrets.findings import MOVED, reads
from hermes_guard.rules.secrets.rules import FAMILY, UPLOAD
from hermes_guard.rules.secrets.sensitive_data import flowing_in, kept_file
from hermes_guard.rules.secrets.sensitive_files import filled
from hermes_guard.rules.writes.transfers import REMOTE
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import Word
from hermes_guard.verdict import Finding

#: A command in a script. Its prefix ends at the line, so that many empty lines are read only once.
_PUT = re.compile(r"(?:^|[;'\"\n])[^\S\n]*m?put\s+(?:-\w+\s+)*([^\s;'\"]+)")


@FAMILY.judges("scp", "rsync", "pscp")
def copies(command: Command, context: Context) -> Iterator[Finding]:
    """Ask about keys and environment files that are copied to another machine."""
    options = parse(command, RSYNC if command.program == "rsync" else SCP)
    if options.helps or (command.program == "rsync" and options.has("n", "dry-run")):
        return
    local = [word for word in options.operands[:-1] if REMOTE.match(word.raw) is None]
    if len(options.operands) < 2 or REMOTE.match(options.operands[-1].raw) is None:
        yield from reads(local, command, context, ignore=MOVED)
    elif found := kept_file(local, command, context) or filled(local, command, context):
        yield UPLOAD.found(command, path=found)


@FAMILY.judges("sftp", "lftp", "ftp", "tftp", "smbclient", "ncftpput", "kermit")
def orders(command: Command, context: Context) -> Iterator[Finding]:
    """Ask about files that a transfer script uploads."""
    words = [word.raw for word in command.args]
    script = [*words, command.stdin.text or ""] if command.stdin is not None else words
    names = [found.group(1) for found in _PUT.finditer("\n".join(script))]
    if command.program in {"ncftpput", "tftp"} or (command.program == "ftp" and "-u" in words):
        names += words[1:]
    found = kept_file([Word(name, name, command.span) for name in names], command, context)
    if found:
        yield UPLOAD.found(command, path=found)


_BUCKETS = (
    "aws gsutil gcloud az azcopy oci doctl swift ossutil b2 rclone mc mcli s3cmd s4cmd "
    "dropbox_uploader.sh gdrive megaput"
)
_VERBS = frozenset(
    [
        *("cp", "mv", "sync", "rsync", "copy", "copyto", "move", "put", "put-object", "object", "pipe", "rcat"),
        *("upload", "upload-file", "upload-batch", "import-file", "put-secret-value"),
    ]
)
_FILE_OPTIONS = ("body", "file", "f", "source", "s")
_FILES = Spec("body= file= f= source= s=")
_BUCKET = re.compile(r"\w+://|[\w-]+:")
#: Programs whose bucket names look like paths.
_PLAIN_TARGETS = frozenset({"mc", "mcli", "b2", "doctl", "gdrive"})


@FAMILY.judges(*_BUCKETS.split())
def buckets(command: Command, context: Context) -> Iterator[Finding]:
    """Ask about files that are copied into a bucket."""
    texts = [word.raw for word in command.args]
    if _VERBS.isdisjoint(texts[:6]) or "--dry-run" in texts or "--dryrun" in texts:
        return
    files = parse(command, _FILES).values(*_FILE_OPTIONS)
    operands = [word for word in command.args if not word.raw.startswith("-") and word.raw not in _VERBS]
    if operands and (command.program in _PLAIN_TARGETS or _BUCKET.match(operands[-1].raw)):
        files += [word for word in operands[:-1] if _looks_like_file(word.raw)]
    found = kept_file(files, command, context) or filled(files, command, context)
    if not found and not {"-", "rcat", "pipe"}.isdisjoint(texts):
        found = flowing_in(command, context)
    if found:
        yield UPLOAD.found(command, path=found)


def _looks_like_file(text: str) -> bool:
    return "://" not in text and ("/" in text or "." in text or "_" in text or text == "~")
