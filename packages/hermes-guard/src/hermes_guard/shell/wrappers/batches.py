"""Wrappers that run a command for many files or lines: find, fd, xargs, parallel."""

from collections.abc import Sequence
from itertools import islice, product
from shlex import quote

from hermes_guard import lazy_re as re
from hermes_guard.argv.options import Options, parse_words
from hermes_guard.shell.backslash_escapes import unescape
from hermes_guard.shell.command import Command, Wrapper
from hermes_guard.shell.word import HOLE, Word
from hermes_guard.shell.wrappers.inner_command import InnerCommand, alternatives, join, name_of, posix

_FIND_EXEC = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
#: Flags may precede the letter, and the program may follow it.
_FD_EXEC = re.compile(r"-[HIsigalLp0u1qh]*[xX]=?|--exec(?:-batch)?(?:=|\Z)")
_XARGS = posix(
    "0 null a= arg-file= d= delimiter= E= e? I= i? replace? L= l? max-lines? n= max-args= o "
    "open-tty P= max-procs= p interactive "
    "process-slot-var= r no-run-if-empty s= max-chars= show-limits t verbose x exit J= R= S= help version"
)
#: Programs that only run their arguments, and so do nothing without any.
_STARTERS = frozenset({"env", "sudo", "doas", "nice", "nohup", "time", "setsid", "command", "exec", "eval", "stdbuf"})
_PARALLEL = posix(
    "j= jobs= P= max-procs= procs= k keep-order a= arg-file= I= i? replace? n= max-args= N= max-replace-args= L= l? "
    "max-lines? X xargs m 0 null bar progress dry-run dryrun halt= halt-on-error= joblog= S= sshlogin= slf= "
    "sshloginfile= tag tagstring= t verbose v eta delay= retries= timeout= C= colsep= d= delimiter= pipe spreadstdin "
    "pipe-part pipepart will-cite ungroup u lb line-buffer linebuffer group q quote results= res= r no-run-if-empty "
    "arg-sep= arg-file-sep= argsep= block= blocksize= recstart= recend= basenamereplace= bnr= dirnamereplace= dnr= "
    "extensionreplace= er= cat fifo compress compress-program= decompress-program= env= bg fg id= load= memfree= "
    "memsuspend= nice= nonall onall resume resume-failed retry-failed return= cleanup trc= transfer transferfile= tf= "
    "basefile= bf= rpl= s= max-chars= seqreplace= semaphore semaphorename= semaphoretimeout= st= shebang shuf ssh= "
    "sshdelay= shell-quote tempdir= tmpdir= tmux tmuxpane termseq= template= tmpl= tty trim= use-cpus-instead-of-cores "
    "wd= workdir= wc header= hostgroups hgrp hashbang joinlog= limit= link xapply min-version-check= plus plain "
    "profile= J= color ctag controlmaster M csv electric filter= filter-hosts fast files gnu latest-line ll max-line "
    "number-of-cores number-of-cpus number-of-threads parens= pipe-argsep= round-robin roundrobin rrs remove-rec-sep "
    "record-env sql= sqlmaster= sqlworker= sqlandworker= seqreplace= skip-first-line silent noswap E= e? eof? x exit p "
    "interactive W= z="
)
#: Placeholders for one of several values, and the separators before values.
_NUMBERED = re.compile(r"\{(\d?)[./]*\}")
_SOURCES = frozenset({":::", ":::+", "::::", "::::+"})
#: The maximum number of jobs of one command, and the maximum length of an input.
_MAX_JOBS = 64
_LONGEST_INPUT = 4096


def find(command: Command) -> list[InnerCommand]:
    """Return the commands in the actions of `find`."""
    found: list[InnerCommand] = []
    words = command.args
    wrapper = Wrapper("find", command.texts)
    index = 0
    while index < len(words):
        if words[index].raw in _FIND_EXEC:
            end = index + 1
            while (
                end < len(words)
                and words[end].raw != ";"
                and not (words[end].raw == "+" and words[end - 1].raw == "{}")
            ):
                end += 1
            if end > index + 1:
                found.append(InnerCommand(wrapper, words=tuple(words[index + 1 : end])))
            index = end
        index += 1
    return found


def fd(command: Command) -> list[InnerCommand]:
    """Return the commands that `fd` runs for its results."""
    words = command.args
    for number, word in enumerate(words):
        found = _FD_EXEC.match(word.raw)
        if found:
            rest = [after for after in words[number + 1 :] if after.raw != ";"]
            if found.end() < len(word.raw):
                rest.insert(0, word.tail(found.end()))
            return [InnerCommand(Wrapper("fd", command.texts), words=tuple(rest))] if rest else []
        if word.raw == "--":
            break
    return []


def xargs(command: Command) -> list[InnerCommand]:
    """Return the commands that `xargs` runs, with its input when that is certain."""
    options = parse_words(command.args, _XARGS)
    wrapper = Wrapper("xargs", command.texts)
    text = None if options.has("a", "arg-file") else _certain(command)
    if text is None:
        runs = [*_unfinished(options, command), *alternatives(options, spec=_XARGS)] if options.operands else []
        return [InnerCommand(wrapper, words=tuple(words)) for words in runs]
    # The input is certain, so the whole command is. Without a command, xargs runs echo.
    operands = options.operands or [Word("echo", "echo", command.span)]
    mark = options.value("I", "replace", "i", "J")
    if mark is None and not options.has("i", "replace"):
        return [InnerCommand(wrapper, words=(*operands, *items)) for items in _chunks(options, text, command)]
    sign = mark.raw if mark is not None and mark.raw else "{}"
    lines = _items(options, text, lines=True)
    items = [Word(line, line, command.span) for line in lines]
    filled = [tuple(_filled(word, sign, item) for word in operands) for item in items]
    return [InnerCommand(wrapper, words=words, consumes_stdin=True) for words in filled]


def _items(options: Options, text: str, *, lines: bool = False) -> list[str]:
    """Return the items of the input, split at the delimiter."""
    sign = options.value("d", "delimiter")
    if options.has("0", "null"):
        pieces = text.split("\0")
    elif sign is not None and (mark := unescape(sign.raw)[:1]):
        pieces = text.split(mark)
    else:
        pieces = text.splitlines() if lines else [piece.strip("'\"") for piece in text.replace("\0", " ").split()]
    return [piece.strip() for piece in pieces[:_MAX_JOBS] if piece.strip()]


def _chunks(options: Options, text: str, command: Command) -> list[list[Word]]:
    """Return the arguments for each run."""
    if options.has("L", "l", "max-lines"):
        parts = [line.split() for line in _items(options, text, lines=True)]
    else:
        items = _items(options, text)
        most = options.value("n", "max-args")
        size = int(most.raw) if most is not None and most.raw.isdigit() and len(most.raw) < 4 else 0
        step = size or _MAX_JOBS
        parts = [items[start : start + step] for start in range(0, len(items), step)]
    return [[Word(item, item, command.span) for item in part] for part in parts or [[]]]


def _unfinished(options: Options, command: Command) -> list[tuple[Word, ...]]:
    """Return the words of xargs, with a hole where the input provides the name or the code."""
    words = options.operands
    unknown = Word(HOLE, "xargs", words[0].span, commands=command.stdin.commands if command.stdin else ())
    mark = options.value("I", "replace", "i", "J")
    sign = mark.raw if mark is not None else "{}" if options.has("i", "replace") else ""
    if sign:
        return _marked(words, sign, unknown)
    names = [word for word in words if not (word.raw.startswith("-") or "=" in word.raw)]
    bare = len(names) == 1 and name_of(words[0]) in _STARTERS
    return [(*words, unknown) if bare or words[-1].raw == "-c" else tuple(words)]


def _marked(words: list[Word], sign: str, unknown: Word) -> list[tuple[Word, ...]]:
    """Return the words with a hole where the input provides a name. Where it begins code, also with a hole there."""
    found = list(words)
    coded: list[Word] = []
    started = True
    for place, word in enumerate(words):
        if started and word.raw == sign:
            found[place] = unknown
        elif place and words[place - 1].raw == "-c" and word.raw.startswith(sign):
            code = Word(HOLE + word.raw[len(sign) :], word.source, word.span, commands=unknown.commands)
            coded = [*words[:place], code, *words[place + 1 :]]
        named = not (word.raw.startswith("-") or "=" in word.raw)
        started = started and (not named or name_of(word) in _STARTERS)
    return [tuple(found), tuple(coded)] if coded else [tuple(found)]


def parallel(command: Command) -> list[InnerCommand]:
    """Return the commands that GNU `parallel` runs."""
    options = parse_words(command.args, _PARALLEL)
    if options.has("dry-run", "dryrun", "shell-quote"):
        return []
    words, sources = _sourced(options.operands)
    text = _certain(command)
    if not sources and text is not None and not options.has("pipe", "spreadstdin", "a", "arg-file"):
        sources = [[Word(line, line, command.span) for line in text.splitlines()]]
    wrapper = Wrapper("parallel", command.texts)
    if not words:
        if not sources and (command.stdin is not None or options.has("a", "arg-file")):
            sources = [[Word(HOLE, "parallel", command.span)]]
        return [InnerCommand(wrapper, code=value) for value in (sources[0] if sources else ())[:_MAX_JOBS]]
    commands = [words, *map(list, alternatives(options, words, _PARALLEL))]
    if not any(sources) or options.has("pipe", "spreadstdin"):
        return [InnerCommand(wrapper, code=join(found)) for found in commands]
    sign = options.value("I", "replace")
    jobs = list(islice(product(*sources), _MAX_JOBS))
    return [
        InnerCommand(wrapper, code=_with(found, values, sign), consumes_stdin=True)
        for found in commands
        for values in jobs
    ]


def _sourced(operands: list[Word]) -> tuple[list[Word], list[list[Word]]]:
    """Return the words of the command, and the values of each source after it."""
    words: list[Word] = []
    sources: list[list[Word]] = []
    files = False
    for word in operands:
        if word.raw in _SOURCES:
            files = word.raw.startswith("::::")
            sources.append([])
        elif not sources:
            words.append(word)
        elif files and not words:
            # The values are in a file.
            sources[-1].append(Word(HOLE, word.source, word.span))
        else:
            sources[-1].append(word)
    return words, sources


def _certain(command: Command) -> str | None:
    text = command.stdin.text if command.stdin else None
    return None if text is None or HOLE in text or len(text) > _LONGEST_INPUT else text


def _filled(word: Word, sign: str, item: Word) -> Word:
    if sign not in word.raw:
        return word
    return Word(word.raw.replace(sign, item.raw)[:_LONGEST_INPUT], word.source, word.span)


def _with(words: list[Word], values: Sequence[Word], sign: Word | None) -> Word:
    """Return the code of one job: the values replace `{}` and `{1}`, or are appended."""
    quoted = [value.raw if HOLE in value.raw else quote(value.raw) for value in values]
    whole = " ".join(quoted)
    if sign is not None and sign.raw:
        words = [_filled(word, sign.raw, Word(whole, whole, word.span)) for word in words]
    elif any(_NUMBERED.search(word.raw) for word in words):

        def fill(found: "re.Match[str]") -> str:
            number = int(found.group(1) or 0)
            return quoted[number - 1] if 0 < number <= len(quoted) else whole

        words = [Word(_NUMBERED.sub(fill, word.raw)[:_LONGEST_INPUT], word.source, word.span) for word in words]
    else:
        words = [*words, Word(whole, whole, values[0].span if values else words[0].span)]
    return join(words)
