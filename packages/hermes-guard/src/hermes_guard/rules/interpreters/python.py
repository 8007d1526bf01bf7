"""Judges Python code after `-c`, in a heredoc or in a pipe, and in the tools that read it."""

import itertools
from collections.abc import Iterator, Sequence

from hermes_guard import lazy_re as re
from hermes_guard.argv import Spec, parse, parse_words
from hermes_guard.name_sets import names
from hermes_guard.rules.family import Context
from hermes_guard.rules.interpreters.code_sources import Code, arguments, in_operand, in_words, on_input
from hermes_guard.rules.interpreters.findings import report_code, report_known_code
from hermes_guard.rules.interpreters.ipython import ipython, xonsh
from hermes_guard.rules.interpreters.rules import FAMILY, UNREADABLE
from hermes_guard.shell.command import Command, Stdin
from hermes_guard.shell.word import HOLE, Word
from hermes_guard.verdict import Finding

PYTHONS = names(
    """
    python python2 python2.7 python3 pypy pypy3 ipython ipython3 bpython ptpython python.exe python3.exe pythonw py
    micropython graalpy jython sage xonsh hython mayapy
    """
) | {f"python3.{minor}" for minor in range(4, 17)}
PYTHON = Spec("c= m= W= X= Q= b B d E h i I O q s S u v V x P help version check-hash-based-pycs=", posix=True)
_TIMEIT = Spec("n= number= r= repeat= s= setup= p process u= unit= v verbose h help")


@FAMILY.judges(*PYTHONS)
def python_code(command: Command, context: Context) -> Iterator[Finding]:
    """Judge Python code after `-c`, in a heredoc or in a pipe."""
    given = _code(command)
    if command.program == "xonsh" and given.code:
        yield from _xonsh(given.code, command, context)
        return
    if given.code and (command.program in _IPYTHONS or _is_module(command, "IPython")):
        python, codes = ipython(given.code)
        given = given._replace(code=python)
        for code in dict.fromkeys(codes):
            yield from context.judge_code(code.replace(HOLE, "$unknown"), command)
    argv = _argv(command)
    yield from report_known_code(given, "python", command, context, **({} if argv is None else {"argv": argv}))


def _argv(command: Command) -> list[str] | None:
    """Return the value of `sys.argv` for the code."""
    options = parse(command, PYTHON)
    if options.has("m"):
        return None
    words = options.operands if options.has("c") else options.operands[1:]
    return arguments(words, command, "-c" if options.has("c") else "-")


_IPYTHONS = frozenset({"ipython", "ipython3", "jupyter", "sage"})


def _xonsh(code: str, command: Command, context: Context) -> Iterator[Finding]:
    """Judge xonsh code as Python where it parses, and as shell code otherwise."""
    found = list(report_code(code, "python", command, context))
    for text in dict.fromkeys(xonsh(code)):
        found += context.judge_code(text.replace(HOLE, "$unknown"), command)
    yield from (finding for finding in found if finding.rule not in _NOT_READ)


#: What is not valid Python is shell code, and vice versa.
_NOT_READ = frozenset({UNREADABLE.id, "shell.unreadable", "shell.unknown-command"})


def _is_module(command: Command, module: str) -> bool:
    return any(word.raw == module and before.raw == "-m" for before, word in itertools.pairwise(command.args))


def _code(command: Command) -> Code:
    options = parse(command, PYTHON)
    if options.helps or options.has("V", "h"):
        return Code()
    for name, value in options.given:
        if name == "c" and value is not None:
            return in_words([value])
        if name == "m":
            return _module(value.raw if value is not None else "", command.args, command.stdin)
    operands = options.operands
    if operands and operands[0].raw.rsplit("/", 1)[-1] in {"manage.py", "django-admin"}:
        return _django(operands[1:], command.stdin)
    return in_operand(operands, command)


def _module(module: str, words: Sequence[Word], stdin: Stdin | None) -> Code:
    """Return the code that is passed to a module which runs it."""
    place = next((number for number, word in enumerate(words) if word.raw in {module, f"-m{module}"}), 0)
    rest = words[place + 1 :]
    if module == "timeit":
        timed = parse_words(rest, _TIMEIT)
        return in_words([*timed.values("s", "setup"), *timed.operands])
    if module in {"IPython", "ptpython"}:
        return in_words(parse_words(rest, PYTHON).values("c"))
    if module in {"pdb", "ipdb", "pudb"}:
        commands = parse_words(rest, Spec("c= command= m= p=", posix=True)).values("c", "command")
        return in_words([word.tail(_end_of_order(word.raw)) for word in commands if _PDB_CODE.match(word.raw)])
    return on_input(stdin) if module in _READING_INPUT else Code()


#: Debugger commands that are code or are followed by code.
_PDB_CODE = re.compile(r"\s*(?:!|(?:p|pp|display|interact|exec|eval|print)\b)|.*[(=]|\s*import\s")
_PDB_ORDER = re.compile(r"\s*(?:!|(?:p|pp|display|whatis)\s+)?")
_READING_INPUT = names("code asyncio idlelib ptpython bpython")


def _end_of_order(text: str) -> int:
    found = _PDB_ORDER.match(text)
    return found.end() if found else 0


def _django(words: Sequence[Word], stdin: Stdin | None) -> Code:
    if not words or words[0].raw not in {"shell", "shell_plus"}:
        return Code()
    values = [after for word, after in itertools.pairwise(words) if word.raw in {"-c", "--command"}]
    values += [word.tail(10) for word in words if word.raw.startswith("--command=")]
    return in_words(values) if values else on_input(stdin)


@FAMILY.judges("django-admin", "manage.py", "flask", "uv", "rye")
def python_tools(command: Command, context: Context) -> Iterator[Finding]:
    """Judge tools that read Python code."""

    if command.program in {"uv", "rye"}:
        texts = [word.raw for word in command.args]
        given = on_input(command.stdin) if texts[:1] == ["run"] and texts[-1:] == ["-"] else Code()
    elif command.program == "flask":
        given = on_input(command.stdin) if any(word.raw == "shell" for word in command.args) else Code()
    else:
        given = _django(command.args, command.stdin)
    yield from report_known_code(given, "python", command, context)
