"""Judges shells and interpreters that take fetched text as their code."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.argv import Spec, parse
from hermes_guard.rules.family import Context
from hermes_guard.rules.remote_code.fetch_commands import SOCKETS, fed, fetcher, source
from hermes_guard.rules.remote_code.programs import INPUTS, INTERPRETERS, PYTHONS
from hermes_guard.rules.remote_code.rules import FAMILY, PIPED, SUBSTITUTED
from hermes_guard.shell.command import Command, Stdin
from hermes_guard.shell.shell_code import SHELLS
from hermes_guard.shell.word import HOLE, Word
from hermes_guard.verdict import Finding

_SHELL = Spec("c s o= O= rcfile= init-file=", posix=True)
#: Languages whose options are parsed exactly, and the options that contain the code or only print something.
_LANGUAGES: dict[str, tuple[Spec, str]] = {
    **dict.fromkeys(
        PYTHONS,
        (Spec("c= m= W= X= Q= b B d E h i I O P q R s S t u v V x 3 help version", posix=True), "cmhV"),
    ),
    "perl": (
        Spec("e= E= a c n p s w W X S t T u U v h l 0 i? C? D? F? I= M? m? V? d? x? help version", posix=True),
        "eEhvV",
    ),
    "ruby": (Spec("e= C= E= I= r= a c d h l n p s S U v w y 0 i? F? K? T? W? x? help version", posix=True), "ehv"),
}
_LONG_CODE = re.compile(r"--(?:eval|print|command|run|expression)\b")
_WITH_VALUE = frozenset({"-W", "-X", "-I", "-r", "-d", "-C", "-L"})


def _takes_code(command: Command) -> bool:
    """Return True when an interpreter reads its code from its input."""
    program = command.program or ""
    if program in SHELLS:
        options = parse(command, _SHELL)
        if options.has("c", "version", "help"):
            return False
        return options.has("s") or not options.operands or options.operands[0].raw in INPUTS
    if program in _LANGUAGES:
        spec, others = _LANGUAGES[program]
        options = parse(command, spec)
        if options.helps or options.has(*others):
            return False
        return not options.operands or options.operands[0].raw in INPUTS
    return program in INTERPRETERS and _takes_code_as_script(command.args)


def _takes_code_as_script(words: tuple[Word, ...]) -> bool:
    before = ""
    for word in words:
        text = word.raw
        if text in INPUTS:
            return True
        if not text.startswith("-"):
            if before not in _WITH_VALUE:
                return False
        elif _holds_code(text) or text in {"--version", "--help", "-V", "-v"}:
            return False
        before = text
    return True


def _holds_code(text: str) -> bool:
    """Return True for an option that contains code, such as `-e` or `--eval`."""
    if text.startswith("--"):
        return _LONG_CODE.match(text) is not None
    return text[1:].isalpha() and text[-1] in "ceEpr"


@FAMILY.judges(*SHELLS, *INTERPRETERS, "deno", "source", ".", "eval", "at", "batch", "java")
def interpreters(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about a shell or interpreter that takes fetched text as its code."""
    found = _substituted(command)
    if found is not None:
        yield SUBSTITUTED.found(command, path=source(found))
    elif command.args and command.args[0].raw.startswith(SOCKETS):
        yield PIPED.found(command, path=command.args[0].text)
    elif command.stdin is not None and reads_code(command):
        yield from _from_input(command, command.stdin)


def _substituted(command: Command) -> Command | None:
    """Return the fetching command in a substitution that is code."""
    for word in command.args:
        if word.process == "<" or (word.commands and _is_code(word, command)):
            found = fetcher(word.commands, command)
            if found is not None:
                return found
    if not command.args or not command.args[0].raw.startswith(("/dev/fd/", "/proc/self/fd/")):
        return None
    targets = [redirect.target for redirect in command.redirects if redirect.target.process == "<"]
    return next(filter(None, (fetcher(target.commands, command) for target in targets)), None)


#: A newline also starts a command, but is not crossed: text made only of newlines would take quadratic time.
_STARTS_CODE = re.compile(rf"(?:[;&|(\n]|exec\(|eval\(?)[^\S\n]*['\"]*{HOLE}")


def _is_code(word: Word, command: Command) -> bool:
    """Return True for a word of code that starts with, or consists of, the output of a substitution."""
    if command.program in {"source", "."}:
        return word.process == "<"
    text = word.raw.lstrip()
    return text.startswith(HOLE) or _STARTS_CODE.search(text) is not None


def reads_code(command: Command) -> bool:
    """Return True when a command reads code from its input."""
    program = command.program or ""
    if program in {"at", "batch"}:
        return True
    if program in {"source", "."}:
        return bool(command.args) and command.args[0].raw in INPUTS
    if program == "deno":
        return _takes_code_as_script(command.args[1:])
    if program not in SHELLS and program not in INTERPRETERS:
        return False
    return _takes_code(command) or (
        program in SHELLS and command.wrapped_by("xargs", "parallel") and _takes_code_as_argument(command)
    )


#: The placeholder for the argument that xargs adds.
_ARGUMENTS = frozenset({"%", "$0", "$1", "$@", '"$@"', '"$0"', '"$1"', "_"})


def _takes_code_as_argument(command: Command) -> bool:
    options = parse(command, Spec("c s o= O=", posix=True))
    if not options.has("c"):
        return not options.operands
    if not options.operands:
        return True
    text = options.operands[0].raw.strip()
    return text in _ARGUMENTS or text.startswith(("{}", "eval"))


def _from_input(command: Command, stdin: Stdin) -> Iterator[Finding]:
    found = fed(command)
    if found is not None:
        here = stdin.span is not None and not command.piped
        yield (SUBSTITUTED if here else PIPED).found(command, path=source(found))
    elif stdin.file is not None and stdin.file.raw.startswith(SOCKETS):
        yield PIPED.found(command, path=stdin.file.raw)


@FAMILY.judges("$")
def unnamed(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about a command whose name is the output of a fetching command."""
    if command.argv[0].commands:
        found = fetcher(command.argv[0].commands)
        if found is not None:
            yield SUBSTITUTED.found(command, path=source(found))
