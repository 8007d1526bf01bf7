"""Judges uploads by HTTP clients."""

import shlex
from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.argv import Options, Spec, parse
from hermes_guard.rules.common.file_tool_options import CURL, WGET
from hermes_guard.rules.family import Context
from hermes_guard.rules.secrets.destinations import DROPS, HERE, metadata
from hermes_guard.rules.secrets.findings import OBEYED, reads
from hermes_guard.rules.secrets.rules import FAMILY, PUBLISH, UPLOAD
from hermes_guard.rules.secrets.sensitive_data import (
    dumped_before,
    flowing_in,
    inside,
    kept_file,
    output,
    private_file,
)
from hermes_guard.rules.secrets.sensitive_files import filled, named_by_search
from hermes_guard.rules.secrets.vendor_keys import misplaced
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import HOLE, Word
from hermes_guard.verdict import Finding

_TEXTS = ("A", "user-agent", "b", "cookie", "e", "referer", "form-string", "data-raw")
_DATA = ("d", "data", "data-binary", "data-ascii", "json", "data-urlencode", "F", "form", "url-query")
_FROM_FILE = re.compile(r"@|[^=@\s]*=[@<]|[\w.-]*@")
_FILE_END = re.compile(r"[;,]")


@FAMILY.judges("curl")
def curl(command: Command, context: Context) -> Iterator[Finding]:
    """Judge uploads by curl."""
    options = parse(command, CURL)
    if options.helps:
        return
    # One word can pack thousands of flags, and only values matter here.
    options.given = [(name, word) for name, word in options.given if word is not None]
    urls = [*options.operands, *options.values("url")]
    yield from metadata(urls, command)
    local = [word.tail(7) for word in urls if word.raw.startswith("file://")]
    local += [word for word in options.values("b", "cookie") if "=" not in word.raw and word.certain]
    yield from reads(local, command, context)
    yield from reads(options.values("K", "config"), command, context, ignore=OBEYED)
    for text in _settings(options.values("K", "config"), command):
        yield from context.judge_code(text, command)
    if not (urls and all(HERE.match(word.raw) for word in urls)):
        yield from _curl_upload(urls, options, command, context)


_SETTING = re.compile(r"\s*-{0,2}([\w-]+)\s*[=:\s]?\s*\"?([^\"\n]*)")


def _settings(words: list[Word], command: Command) -> Iterator[str]:
    """Judge the options in curl config files with known content, as the same command with these options."""
    for word in words[:4]:
        text = word.text_inside
        if word.raw in {"-", "/dev/stdin"} and command.stdin is not None:
            text = command.stdin.text
        if not text or HOLE in text:
            continue
        lines = [line for line in text[:4000].splitlines()[:32] if line.strip() and not line.lstrip().startswith("#")]
        given = [found.groups() for line in lines if (found := _SETTING.match(line))]
        options = (f"--{name} {shlex.quote(value.strip())}" if value.strip() else f"--{name}" for name, value in given)
        urls = (shlex.quote(each.raw) for each in command.args if "://" in each.raw and HOLE not in each.raw)
        yield " ".join(("curl", *options, *urls))


def _curl_upload(urls: list[Word], options: Options, command: Command, context: Context) -> Iterator[Finding]:
    headers, data = options.values("H", "header"), options.values(*_DATA)
    logins = [] if options.has("aws-sigv4") else options.values("u", "user", "oauth2-bearer")
    files = [*options.values("T", "upload-file"), *_attached([*data, *headers])]
    stdin = any(word.raw in {"-", ".", "/dev/stdin"} for word in files)
    files = [word for word in files if word.raw not in {"-", ".", "/dev/stdin"}]
    found = (
        kept_file(files, command, context)
        or private_file(files, command, context)
        or filled(files, command, context)
        or named_by_search(files, command)
        or (flowing_in(command, context) if stdin or _line_by_line([*urls, *data], command) else "")
        or inside([*urls, *options.values(*_TEXTS), *data], context)
        or output((inner for word in headers for inner in word.commands), context)
        or misplaced([*urls, *options.values(*_TEXTS), *data], urls)
        or misplaced([*headers, *logins], urls, header=True)
        or dumped_before([*urls, *data], command, context)
    )
    if found:
        yield UPLOAD.found(command, path=found)
    elif (files or stdin) and any(DROPS.search(word.raw) for word in urls):
        yield PUBLISH.found(command, path=files[0].text if files else "its input")


def _line_by_line(words: list[Word], command: Command) -> bool:
    """Return True for a loop that reads and sends lines: `while read l; do curl h/$l; done < file`."""
    return command.loop and any(HOLE in word.raw for word in words)


def _attached(data: list[Word]) -> Iterator[Word]:
    """Yield the files named in data, as in `@file` and `field=@file;type=x`."""
    for word in data:
        at = _FROM_FILE.match(word.raw)
        name = _FILE_END.split(word.raw[at.end() :], maxsplit=1)[0].strip('"') if at else ""
        if name:
            yield Word(name, word.source, word.span, word.glob)


_HTTPIE = Spec("a= auth= A= f form j json o= output= p= print= b h v d download session= follow timeout= verify= cert=")
_METHODS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"})
_FIELD_HEADER = re.compile(r"[\w-]+:(?!//|=)")
_FIELD_FILE = re.compile(r"@|[^=@:\s]+(?::=@|=@|@)")


@FAMILY.judges("wget", "wget2")
def wget(command: Command, context: Context) -> Iterator[Finding]:
    """Judge uploads by wget, and its URL list."""
    options = parse(command, WGET)
    yield from reads(options.values("i", "input-file"), command, context, ignore=OBEYED)
    files = options.values("post-file", "body-file")
    stdin = any(word.raw in {"-", "/dev/stdin"} for word in files)
    yield from _upload(options, command, context, files=files, stdin=stdin)


@FAMILY.judges("http", "https", "xh", "xhs", "httpie", "aria2c", "fetch", "lwp-request", "POST", "hurl", "curlie")
def other_clients(command: Command, context: Context) -> Iterator[Finding]:
    """Judge uploads by other clients, which read their input by default."""
    options = parse(command, _HTTPIE)
    files = options.values("post-file", "body-file")
    fields = ((word, _FIELD_FILE.match(word.raw)) for word in options.operands[1:])
    files += [word.tail(at.end()) for word, at in fields if at is not None]
    yield from _upload(options, command, context, files=files, stdin=True)


def _upload(
    options: Options, command: Command, context: Context, *, files: list[Word], stdin: bool
) -> Iterator[Finding]:
    urls = options.operands
    yield from metadata(urls, command)
    if options.helps or any(HERE.match(word.raw) for word in urls):
        return
    bodies, headers = options.values("post-data", "body-data", "user-agent", "U", "referer"), options.values("header")
    # `Name:value` is a header for httpie and compatible clients.
    headers += [word for word in urls[1:] if _FIELD_HEADER.match(word.raw)]
    urls = [word for word in urls if word not in headers]
    addresses = [word for word in urls if word.raw not in _METHODS][:1]
    texts = [*bodies, *headers]
    found = (
        kept_file(files, command, context)
        or filled(files, command, context)
        or named_by_search(files, command)
        or (flowing_in(command, context) if stdin else "")
        or inside([*texts, *urls], context)
        or misplaced([*bodies, *urls], addresses)
        or misplaced(headers, addresses, header=True)
        or dumped_before([*bodies, *urls], command, context)
    )
    if found:
        yield UPLOAD.found(command, path=found)
    elif files and any(DROPS.search(word.raw) for word in urls):
        yield PUBLISH.found(command, path=files[0].text)
