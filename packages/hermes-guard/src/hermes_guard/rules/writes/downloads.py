"""Judges the files that download programs save."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.argv import Spec, parse
from hermes_guard.rules.common.file_tool_options import CURL, WGET
from hermes_guard.rules.common.path_arguments import below, renamed
from hermes_guard.rules.family import Context
from hermes_guard.rules.writes.findings import KEYS, report_writes
from hermes_guard.rules.writes.rules import FAMILY
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import Word
from hermes_guard.verdict import Finding

#: Files that curl writes besides its output; `--output-dir` does not affect them.
_CURL_FILES = "c cookie-jar D dump-header trace trace-ascii stderr etag-save hsts libcurl"
_CURL_CONFIG = re.compile(
    r"^[ \t]*-{0,2}(?:output|o|output-dir|dump-header|cookie-jar)[ \t=:]+\"?([^\"\s]+)", re.MULTILINE
)
_FETCH = Spec("o= O= d= dir= out= output= output-document= P= q c a= k x= s= j= n= v h help version download")


def _url_name(word: Word) -> str:
    text = word.raw.split("?", 1)[0].split("#", 1)[0]
    after = text.split("://", 1)[-1]
    return after.rsplit("/", 1)[-1] if "/" in after else ""


@FAMILY.judges("curl")
def curl(command: Command, context: Context) -> Iterator[Finding]:
    """Judge what curl saves."""
    options = parse(command, CURL)
    if options.helps:
        return
    files = options.values("o", "output")
    folder = options.value("output-dir")
    if folder is not None:
        files = [folder, *(below(folder, word.raw) for word in files)]
    files += options.values(*_CURL_FILES.split())
    if options.has("O", "remote-name", "remote-name-all"):
        files += _downloaded([*options.operands, *options.values("url")], folder)
    if options.has("K", "config") and command.stdin is not None and command.stdin.text:
        files += [renamed(name, command.argv[0]) for name in _CURL_CONFIG.findall(command.stdin.text)[:8]]
    yield from report_writes([word for word in files if word.raw != "-"], command, context, ignore=KEYS)


def _downloaded(urls: list[Word], folder: Word | None) -> list[Word]:
    names = [(name, word) for word in urls if (name := _url_name(word))]
    return [below(folder, name) if folder is not None else renamed(name, word) for name, word in names]


@FAMILY.judges("wget", "wget2")
def wget(command: Command, context: Context) -> Iterator[Finding]:
    """Judge what wget saves, its log, and its startup commands."""
    options = parse(command, WGET)
    if options.helps or options.has("spider"):
        return
    files = options.values(
        "O", "output-document", "o", "output-file", "a", "append-output", "save-cookies", "rejected-log"
    )
    for order in options.values("e", "execute"):
        name, _, value = order.raw.partition("=")
        if name.strip().replace("-", "_") in {"output_document", "dir_prefix", "logfile"}:
            files.append(renamed(value.strip(), order))
    folder = options.value("P", "directory-prefix")
    if folder is not None:
        files.append(folder)
    if not options.has("O", "output-document"):
        files += _downloaded(options.operands, folder)
    yield from report_writes([word for word in files if word.raw != "-"], command, context, ignore=KEYS)


@FAMILY.judges(
    "aria2c", "axel", "http", "https", "xh", "xhs", "lwp-download", "fetch", "yt-dlp", "youtube-dl", "lftp", "gdown"
)
def downloads(command: Command, context: Context) -> Iterator[Finding]:
    """Judge other programs that save downloads."""
    options = parse(command, _FETCH)
    if options.helps:
        return
    folder = options.value("d", "dir", "P")
    files = options.values("o", "O", "out", "output", "output-document")
    if folder is not None:
        files = [folder, *(below(folder, word.raw) for word in files)]
    yield from report_writes(files, command, context, ignore=KEYS)
