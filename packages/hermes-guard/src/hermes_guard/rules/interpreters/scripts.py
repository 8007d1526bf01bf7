"""Judges code of Perl, Ruby, JavaScript and similar languages, on the command line, in a heredoc or in a pipe."""

import itertools
from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.argv import Spec, parse
from hermes_guard.rules.family import Context
from hermes_guard.rules.interpreters.code_sources import Code, arguments, in_operand, in_words, on_input
from hermes_guard.rules.interpreters.findings import report_code, report_known_code
from hermes_guard.rules.interpreters.options import INTERPRETERS, PHP, Kind, Taken, take
from hermes_guard.rules.interpreters.rules import FAMILY
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import HOLE
from hermes_guard.verdict import Finding

_DENO = Spec("p print ext= T ts q quiet A allow-all c= config= import-map= lock= r reload? L= log-level= v8-flags?")


@FAMILY.judges(*INTERPRETERS)
def script(command: Command, context: Context) -> Iterator[Finding]:
    """Judge code of other languages, on the command line, in a heredoc or in a pipe."""
    kind = INTERPRETERS[command.program or ""]
    taken = take(command.args, kind)
    if taken.flags & {"version", "help", "v"} and not taken.codes:
        return
    if command.program == "bun" and len(taken.operands) > 1 and taken.operands[0].raw == "exec":
        yield from context.judge_code(taken.operands[1].raw.replace(HOLE, "$unknown"), command)
        return
    looped = bool(taken.flags & set(kind.loops))
    given = _find_code(taken, command)
    if taken.flags & kind.checks and not runs_while_checked(given.code, kind.language):
        return
    language = kind.language
    if command.program == "osascript" and _JXA.search(" ".join(word.raw for word in command.args[:8])):
        language = "jxa"
    options = argv_of(taken, kind, command)
    yield from report_known_code(given, language, command, context, looped=looped, **options)


#: Languages whose code can access its arguments, and the first of these when the code is an option.
_TOLD: dict[str, tuple[str, ...]] = {"perl": (), "ruby": (), "node": ("node",), "php": ("-",)}


def argv_of(taken: Taken, kind: Kind, command: Command) -> dict[str, list[str]]:
    """Return the arguments that code of these languages receives on its command line."""
    before = _TOLD.get(kind.language)
    if before is None or taken.flags & set(kind.loops):
        return {}
    words = taken.operands if taken.codes else taken.operands[1:]
    if not taken.codes and kind.language in {"node", "php"}:
        before = (*before, "script") if kind.language == "node" else ("script",)
    argv = arguments(words, command, *before)
    return {} if argv is None else {"argv": argv}


_JXA = re.compile(r"(?:^| )-l ?(?:JavaScript|JXA)\b", re.IGNORECASE)
_BLOCK = re.compile(r"\b(?:BEGIN|CHECK|UNITCHECK)\s*\{")


def runs_while_checked(code: str, language: str) -> bool:
    """Return True when a syntax check runs part of the code, like Perl's BEGIN blocks."""
    return language in {"perl", "raku"} and _BLOCK.search(code) is not None


def _find_code(taken: Taken, command: Command) -> Code:
    program = command.program or ""
    codes, operands, flags = taken
    if INTERPRETERS[program] is PHP and operands and operands[0].raw.rsplit("/", 1)[-1] == "artisan":
        return in_words([word.tail(10) for word in operands if word.raw.startswith("--execute=")])
    if program == "emacsclient" and flags & {"e", "eval"}:
        codes = codes or operands
    if codes:
        return in_words(codes)
    if program == "bun" and operands and operands[0].raw == "eval":
        return in_words(operands[1:2])
    if program == "bun" and len(operands) > 1 and operands[0].raw == "run":
        return in_operand(operands[1:], command)
    if program in {"emacs", "emacsclient"} or (program == "bun" and operands):
        return Code()
    if program in {"php", "node"} and "a" in flags:
        return Code()
    return in_operand(operands, command)


_FRAMEWORKS: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    # The language, the verbs before the code, and the options that contain it.
    "rails": ("ruby", ("runner", "r"), ()),
    "artisan": ("php", (), ("--execute",)),
    "wp": ("php", ("eval",), ()),
    "drush": ("php", ("php:eval", "php-eval", "ev", "eval"), ()),
    "tinker": ("php", (), ("--execute",)),
    "mix": ("ruby", (), ("-e", "--eval")),
    "iex": ("ruby", (), ("-e", "--eval")),
    "magerun": ("php", (), ()),
}


@FAMILY.judges(*_FRAMEWORKS)
def frameworks(command: Command, context: Context) -> Iterator[Finding]:
    """Judge code that is passed to a framework's command."""

    language, verbs, options = _FRAMEWORKS[command.program or ""]
    words = command.args
    codes = [after for word, after in itertools.pairwise(words) if word.raw in options or word.raw in verbs]
    codes += [word.tail(len(option) + 1) for word in words for option in options if word.raw.startswith(f"{option}=")]
    texts = [word.raw for word in words]
    if command.stdin is not None and command.stdin.text and {"c", "console", "tinker", "shell"} & set(texts[:2]):
        yield from report_code(command.stdin.text, language, command, context)
    for word in codes:
        if re.search(r"[\s(.]", word.raw) and not re.fullmatch(r"[\w./-]+\.(?:rb|php|exs?)", word.raw):
            yield from report_code(word.raw, language, command, context)


@FAMILY.judges("deno")
def deno(command: Command, context: Context) -> Iterator[Finding]:
    """Judge `deno eval` and `deno run -`."""
    options = parse(command, _DENO)
    verb = options.subcommand()
    if verb == "eval":
        given = in_words(options.operands[1:2])
    elif verb == "run" and len(options.operands) > 1:
        given = in_operand(options.operands[1:], command)
    else:
        given = Code() if verb else on_input(command.stdin)
    yield from report_known_code(given, "node", command, context)
