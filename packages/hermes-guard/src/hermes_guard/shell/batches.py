"""Commands that run another one for many files or lines: find, fd, xargs, parallel."""

from shlex import quote

from hermes_guard.argv.options import Options, parse_words
from hermes_guard.shell.command import Command, Wrapper
from hermes_guard.shell.inner import Inner, join, posix
from hermes_guard.shell.word import HOLE, Word

_FIND_EXEC = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_XARGS = posix(
    "0 null a= arg-file= d= delimiter= E= e? I= i? replace? L= l? max-lines? n= max-args= o "
    "open-tty P= max-procs= p interactive "
    "process-slot-var= r no-run-if-empty s= max-chars= show-limits t verbose x exit J= R= S= help version"
)
#: They run what their words say, and so do nothing without.
_STARTERS = frozenset({"env", "sudo", "doas", "nice", "nohup", "time", "setsid", "command", "exec", "eval", "stdbuf"})
_PARALLEL = posix(
    "j= jobs= P= k keep-order a= arg-file= I= n= max-args= N= L= X m 0 null bar progress dry-run "
    "dryrun halt= joblog= S= sshlogin= "
    "tag t verbose eta delay= retries= timeout= C= colsep= d= delimiter= pipe will-cite ungroup u "
    "lb line-buffer q quote results= r"
)


def find(command: Command) -> list[Inner]:
    """What the actions of `find` run."""
    found: list[Inner] = []
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
                found.append(Inner(wrapper, words=tuple(words[index + 1 : end])))
            index = end
        index += 1
    return found


def fd(command: Command) -> list[Inner]:
    """What `fd` runs for its finds."""
    words = command.args
    for number, word in enumerate(words):
        if word.raw in {"-x", "-X", "--exec", "--exec-batch"} and words[number + 1 :]:
            rest = [after for after in words[number + 1 :] if after.raw != ";"]
            return [Inner(Wrapper("fd", command.texts), words=tuple(rest))]
    return []


def xargs(command: Command) -> list[Inner]:
    """What `xargs` runs, with its input when that is certain."""
    options = parse_words(command.args, _XARGS)
    wrapper = Wrapper("xargs", command.texts)
    text = _certain(command)
    if text is None:
        return [Inner(wrapper, words=_unfinished(options, command))] if options.operands else []
    # The input is certain, so the whole command is. Without one it is echo.
    operands = options.operands or [Word("echo", "echo", command.span)]
    mark = options.value("I", "replace", "i", "J")
    if mark is None and not options.has("i", "replace"):
        items = [Word(item.strip("'\""), item, command.span) for item in text.replace("\0", " ").split()[:64]]
        return [Inner(wrapper, words=(*operands, *items))]
    sign = mark.raw if mark is not None and mark.raw else "{}"
    items = [Word(line.strip(), line, command.span) for line in text.replace("\0", "\n").splitlines()[:64]]
    runs = [tuple(_filled(word, sign, item) for word in operands) for item in items]
    return [Inner(wrapper, words=words, consumes_stdin=True) for words in runs]


def _unfinished(options: Options, command: Command) -> tuple[Word, ...]:
    """The words that xargs has; what it runs is unknown where the input brings the name or the code."""
    words = options.operands
    unknown = Word(HOLE, "xargs", words[0].span, commands=command.stdin.commands if command.stdin else ())
    mark = options.value("I", "replace", "i", "J")
    if mark is not None and words[0].raw == mark.raw:
        return (unknown, *words[1:])
    names = [word for word in words if not (word.raw.startswith("-") or "=" in word.raw)]
    bare = len(names) == 1 and words[0].raw.rsplit("/", 1)[-1] in _STARTERS
    return (*words, unknown) if bare or words[-1].raw == "-c" else tuple(words)


def parallel(command: Command) -> list[Inner]:
    """What GNU `parallel` runs."""
    options = parse_words(command.args, _PARALLEL)
    if options.has("dry-run", "dryrun"):
        return []
    words: list[Word] = []
    values: list[Word] | None = None
    for number, word in enumerate(options.operands):
        if word.raw in {":::", ":::+", "::::", "::::+"}:
            values = [value for value in options.operands[number + 1 :] if value.raw != ":::"]
            break
        words.append(word)
    text = _certain(command)
    if values is None and text is not None and not options.has("pipe"):
        values = [Word(line, line, command.span) for line in text.splitlines()]
    wrapper = Wrapper("parallel", command.texts)
    if not words:
        if values is None and command.stdin is not None:
            values = [Word(HOLE, "parallel", command.span)]
        return [Inner(wrapper, code=value) for value in (values or ())[:64]]
    if not values or options.has("pipe"):
        return [Inner(wrapper, code=join(words))]
    return [Inner(wrapper, code=_with(words, value), consumes_stdin=True) for value in values[:64]]


def _certain(command: Command) -> str | None:
    text = command.stdin.text if command.stdin else None
    return None if text is None or HOLE in text or len(text) > 4096 else text


def _filled(word: Word, sign: str, item: Word) -> Word:
    if sign not in word.raw:
        return word
    return Word(word.raw.replace(sign, item.raw)[:4096], word.source, word.span)


def _with(words: list[Word], value: Word) -> Word:
    """The code of one job: the value stands where `{}` is, or at the end."""
    quoted = Word(value.raw if HOLE in value.raw else quote(value.raw), value.source, value.span)
    if any("{}" in word.raw for word in words):
        return join([_filled(word, "{}", quoted) for word in words])
    return join([*words, quoted])
