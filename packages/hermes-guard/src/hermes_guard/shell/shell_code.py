"""Finds the arguments or inputs of a command that a shell would read as code."""

from collections.abc import Sequence
from typing import NamedTuple

from hermes_guard import lazy_re as re
from hermes_guard.argv.options import Options, Spec, parse_words
from hermes_guard.shell.command import Command
from hermes_guard.shell.eval_output import emits
from hermes_guard.shell.word import HOLE, Word

SHELLS = frozenset(
    [
        "sh",
        "bash",
        "zsh",
        "dash",
        "ksh",
        "ash",
        "fish",
        "mksh",
        "ksh93",
        "rbash",
        "lksh",
        "yash",
        "oksh",
        "pdksh",
        "tcsh",
        "csh",
        "posh",
        "hush",
        "rc",
        "es",
    ]
)
_SHELL = Spec(
    "c i l r s D e u x v n f a b h k m p t B C E H P T O= o= rcfile= init-file= norc noprofile posix login restricted "
    "version help verbose debugger no-config command= init-command=",
    posix=True,
)
#: A file name of which at most the extension is known.
_NAMELESS = re.compile(rf"{HOLE}+(?:\.\w+)?\Z")
#: The placeholder for an unknown part in code of another language, which has its own rules.
_INSIDE = "$unknown"
_DESCRIPTOR = re.compile(r"(?:/dev/fd|/proc/self/fd|/proc/thread-self/fd)/(\d{1,4})$")


class Code(NamedTuple):
    """Code that a command would read."""

    word: Word | None = None
    #: Why the code is unknown, or an empty string.
    unknown: str = ""
    #: Read by the current shell, as with eval.
    same_shell: bool = False
    positions: list[str] | None = None
    #: `$0` when the command sets it.
    name: str | None = None
    consumes_stdin: bool = False


def code_of(command: Command) -> list[Code]:
    """Return the code that this command would read."""
    program = command.program or ""
    if program in SHELLS:
        return _shell(command)
    handler = _HANDLERS.get(program)
    return handler(command) if handler else []


def _shell(command: Command) -> list[Code]:
    options = parse_words(_without_plus(command.args), _SHELL)
    if options.helps or _only_reads(command.args):
        return []
    start_up = [code for word in start_up_of(command) if word.process == "<" for code in _process(word)]
    return [*start_up, *_main(command, options)]


def script_of(command: Command) -> tuple[Word, list[str] | None] | None:
    """Return the script that a shell or `source` would read, and its arguments when they are certain."""
    if command.program in SHELLS:
        options = parse_words(_without_plus(command.args), _SHELL)
        if options.helps or options.has("c", "command", "s") or _only_reads(command.args):
            return None
        words = options.operands
    else:
        words = [word for word in command.args if word.raw != "--"]
    if not words:
        return None
    given = words[1:]
    return words[0], None if any(word.splits for word in given) else [word.raw for word in given]


def is_unknown_script(word: Word) -> bool:
    """Return True for a file with an unknown name, except below a named directory of the project."""
    folder, slash, name = word.raw.rpartition("/")
    if not slash:
        return bool(word.raw) and not word.raw.strip(HOLE) and word.source.strip("\"'") != _INSIDE
    return bool(_NAMELESS.match(name)) and (folder[:1] in {"", "~", "/", HOLE}) and _INSIDE not in word.source


def start_up_of(command: Command) -> list[Word]:
    """Return the startup files that options name."""
    return parse_words(_without_plus(command.args), _SHELL).values("rcfile", "init-file")


def _only_reads(words: Sequence[Word]) -> bool:
    """Return True when a shell only checks the code without running it: the last of `-n` and `+n` counts."""
    reads = name = False
    before = ""
    for word in words:
        text = word.raw
        if name:
            reads = (before == "-") if text == "noexec" else reads
            name = False
            continue
        if text[:1] not in {"-", "+"} or text in {"-", "--"}:
            break
        if text[:2] == "--":
            continue
        before = text[0]
        if before == "-" and "i" in text:
            # Interactive shells run it anyway.
            return False
        reads = (before == "-") if "n" in text else reads
        name = text[-1:] in {"o", "O"}
    return reads


def _without_plus(words: Sequence[Word]) -> Sequence[Word]:
    """Return the words without `+x` and `+o name`, which disable an option."""
    if not any(word.raw[:1] == "+" for word in words):
        return words
    found: list[Word] = []
    index = 0
    while index < len(words):
        text = words[index].raw
        takes = text[1:] in {"o", "O"} or text in {"--rcfile", "--init-file"}
        if text[:1] not in {"-", "+"} or text in {"-", "--"}:
            break
        if text[0] == "-":
            found.extend(words[index : index + 1 + takes])
        index += 1 + takes
    return (*found, *words[index:])


def _main(command: Command, options: Options) -> list[Code]:
    if options.has("c", "command"):
        attached = options.value("command")
        if attached is not None:
            return _word(attached)
        if options.operands and options.operands[0].raw == "-":
            # It ends the options.
            options.operands.pop(0)
        if not options.operands:
            return []
        # `-c` reads the first operand: `bash -c -x 'code'` and `bash -xc 'code'` are the same.
        code = options.operands[0]
        positions = [word.raw for word in options.operands[2:]]
        if any(word.splits for word in options.operands[1:]):
            return _word(code)
        name = options.operands[1].literal if len(options.operands) > 1 else None
        return [found._replace(positions=positions, name=name) for found in _word(code)]
    if options.operands and not options.has("s"):
        script = options.operands[0]
        if script.process == "<":
            return _process(script)
        number = _descriptor(script)
        return _from_network(script) if number is None else _stdin(command, number)
    if options.has("s") and not any(word.splits for word in options.operands):
        return [found._replace(positions=[word.raw for word in options.operands]) for found in _stdin(command)]
    return _stdin(command)


def _descriptor(script: Word) -> int | None:
    """Return the descriptor that a script is read from, when its name denotes one."""
    if script.raw in {"-", "/dev/stdin"}:
        return 0
    found = _DESCRIPTOR.match(script.raw)
    return int(found.group(1)) if found else None


def _from_network(script: Word) -> list[Code]:
    if script.raw.startswith(("/dev/tcp/", "/dev/udp/")):
        return [Code(unknown=f"the code comes from the network: {script.source[:80]}")]
    return []


def _word(word: Word, *, same_shell: bool = False) -> list[Code]:
    if _starts_unknown(word.raw):
        if word.commands and all(emits(found) for found in word.commands):
            return []
        return [Code(unknown=f"this code is unknown until it runs: {word.source[:80]}")]
    return [Code(word, same_shell=same_shell)]


def _starts_unknown(text: str) -> bool:
    return text.lstrip().startswith(HOLE) and not text.lstrip().lstrip(HOLE).startswith("/")


def _process(word: Word) -> list[Code]:
    if word.text_inside is not None:
        return [Code(Word(word.text_inside, word.source, word.span))]
    if word.commands and all(emits(found) for found in word.commands):
        return []
    return [Code(unknown=f"this code is unknown until it runs: {word.source[:80]}")]


def _stdin(command: Command, number: int = 0) -> list[Code]:
    stdin = command.inputs.get(number) if number else command.stdin
    if stdin is None or (stdin.file is not None and stdin.text is None):
        return []
    span = stdin.span or command.span
    if stdin.text is None or _starts_unknown(stdin.text):
        return [Code(unknown="a shell reads code that is unknown until it runs")]
    return [Code(Word(stdin.text, stdin.text, span), consumes_stdin=not number)]


def _eval(command: Command) -> list[Code]:
    words = [word for word in command.args if word.raw != "--"]
    if not words:
        return []
    commands = tuple(found for word in words for found in word.commands)
    joined = Word(" ".join(word.raw for word in words), words[0].source, words[0].span, commands=commands)
    return _word(joined, same_shell=True)


def _source(command: Command) -> list[Code]:
    if not command.args:
        return []
    script = command.args[0]
    if script.process == "<":
        return [code._replace(same_shell=True) for code in _process(script)]
    number = None if script.raw == "-" else _descriptor(script)
    if number is None:
        return _from_network(script)
    return [code._replace(same_shell=True) for code in _stdin(command, number)]


def _exec(command: Command) -> list[Code]:
    """Read `exec < code`, after which the shell continues with another input."""
    if command.args or not any(found.fd in {None, 0} for found in command.redirects):
        return []
    return _stdin(command)


def _trap(command: Command) -> list[Code]:
    words = [word for word in command.args if word.raw != "--"]
    if len(words) < 2 or words[0].raw in {"-", "", "-p", "-l"}:
        return []
    return _word(words[0], same_shell=False)


def _at(command: Command) -> list[Code]:
    options = parse_words(command.args, Spec("f= t= q= c d l m M r V b v", posix=False))
    if options.has("f", "c", "d", "l", "r", "V"):
        return []
    return _stdin(command)


def _complete(command: Command) -> list[Code]:
    words = command.args
    for number, word in enumerate(words[:-1]):
        if word.raw in {"-C", "-c"}:
            return _word(words[number + 1])
    return []


_HANDLERS = {
    "eval": _eval,
    "source": _source,
    ".": _source,
    "exec": _exec,
    "trap": _trap,
    "at": _at,
    "batch": _at,
    "mapfile": _complete,
    "readarray": _complete,
}
