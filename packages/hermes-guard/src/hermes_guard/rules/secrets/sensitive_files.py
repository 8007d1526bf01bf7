"""Tracks files that an earlier command in the text has filled with sensitive data."""

from collections.abc import Iterator
from itertools import pairwise

from hermes_guard.name_sets import names
from hermes_guard.rules.common.path_findings import MANY
from hermes_guard.rules.family import Context
from hermes_guard.rules.secrets.sensitive_data import CLIPBOARDS, flowing_in, kept_file, source
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import HOLE, Word

#: Programs that write their input to a file among their arguments.
_PACKERS = names(
    """
    cp gcp mv ln install ditto tar gtar bsdtar zip 7z 7za rar ar gzip bzip2 xz zstd gpg age openssl base64 xxd rsync dd
    split ffmpeg jar cpio sqlite3 sort tee
    """
)
#: The maximum number of earlier commands that are checked.
_LIMIT = 64


def filled(words: list[Word], command: Command, context: Context) -> str:
    """Return the sensitive data in the first of these files, or an empty string."""
    paths = {path for word in words[:8] if (path := command.path(word))}
    if not paths:
        return ""
    for other in context.commands[:_LIMIT]:
        if other is command:
            break
        if found := _filled(other, paths, context):
            return found
    return ""


def _filled(other: Command, paths: set[str], context: Context) -> str:
    if any(found.writes and other.path(found.target) in paths for found in other.redirects):
        return source(other, context) or flowing_in(other, context)
    program = other.program or ""
    if program not in _PACKERS and program not in CLIPBOARDS:
        return ""
    given = [word for word in other.args[:MANY] if HOLE not in word.raw]
    given = [word.tail(3) if word.raw[:3] in {"if=", "of="} else word for word in given]
    places = [other.path(word) for word in given]
    if paths.isdisjoint(places):
        return ""
    if program in CLIPBOARDS:
        return "the clipboard or screen"
    sources = [word for word, path in zip(given, places, strict=True) if path not in paths and word.raw[:1] != "-"]
    return kept_file(sources, other, context) or (flowing_in(other, context) if program == "tee" else "")


def named_by_search(words: list[Word], command: Command) -> str:
    """Return the results of a search that are sent file by file, or an empty string."""
    if not command.wrapped_by("find", "fd", "fdfind", "xargs", "parallel", "gxargs"):
        return ""
    marks = [mark for wrapper in command.wrappers for mark in _marks(wrapper.argv)]
    return next(("whatever a search finds" for word in words if any(mark in word.raw for mark in marks)), "")


def _marks(argv: tuple[str, ...]) -> Iterator[str]:
    """Yield placeholders for a name in a command that a search runs: `{}`, a hole, or the value of `-I`."""
    yield from ("{}", HOLE)
    for word, after in pairwise(argv[:16]):
        if word == "-I":
            yield after
        elif word.startswith("-I"):
            yield word[2:]
