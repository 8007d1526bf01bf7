"""Python code after `-c`, in a heredoc or in a pipe, and in the tools that read it."""

import itertools
from collections.abc import Iterator, Sequence

from hermes_guard.argv import Spec, parse, parse_words
from hermes_guard.rules.family import Context
from hermes_guard.rules.interpreters.given import Given, in_operand, in_words, on_input
from hermes_guard.rules.interpreters.report import report_given
from hermes_guard.rules.interpreters.rules import FAMILY
from hermes_guard.rules.words import names
from hermes_guard.shell.command import Command, Stdin
from hermes_guard.shell.word import Word
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
def python(command: Command, context: Context) -> Iterator[Finding]:
    """Python code after `-c`, in a heredoc or in a pipe."""
    yield from report_given(_code(command), "python", command, context)


def _code(command: Command) -> Given:
    options = parse(command, PYTHON)
    if options.helps or options.has("V", "h"):
        return Given()
    for name, value in options.given:
        if name == "c" and value is not None:
            return in_words([value])
        if name == "m":
            return _module(value.raw if value is not None else "", command.args)
    operands = options.operands
    if operands and operands[0].raw.rsplit("/", 1)[-1] in {"manage.py", "django-admin"}:
        return _django(operands[1:], command.stdin)
    return in_operand(operands, command.stdin)


def _module(module: str, words: Sequence[Word]) -> Given:
    """The code that a module is given which runs some."""
    place = next((number for number, word in enumerate(words) if word.raw in {module, f"-m{module}"}), 0)
    rest = words[place + 1 :]
    if module == "timeit":
        timed = parse_words(rest, _TIMEIT)
        return in_words([*timed.values("s", "setup"), *timed.operands])
    if module in {"IPython", "ptpython"}:
        return in_words(parse_words(rest, PYTHON).values("c"))
    return Given()


def _django(words: Sequence[Word], stdin: Stdin | None) -> Given:
    if not words or words[0].raw not in {"shell", "shell_plus"}:
        return Given()
    values = [after for word, after in itertools.pairwise(words) if word.raw in {"-c", "--command"}]
    values += [word.tail(10) for word in words if word.raw.startswith("--command=")]
    return in_words(values) if values else on_input(stdin)


@FAMILY.judges("django-admin", "manage.py", "flask", "uv", "rye")
def python_tools(command: Command, context: Context) -> Iterator[Finding]:
    """Tools that read Python code."""

    if command.program in {"uv", "rye"}:
        texts = [word.raw for word in command.args]
        given = on_input(command.stdin) if texts[:1] == ["run"] and texts[-1:] == ["-"] else Given()
    elif command.program == "flask":
        given = on_input(command.stdin) if any(word.raw == "shell" for word in command.args) else Given()
    else:
        given = _django(command.args, command.stdin)
    yield from report_given(given, "python", command, context)
