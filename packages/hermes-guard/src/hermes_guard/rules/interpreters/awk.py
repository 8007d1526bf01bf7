"""Judges awk programs."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.argv import Options, Spec, parse
from hermes_guard.rules.family import Context
from hermes_guard.rules.interpreters.code_sources import STDIN, known_lines, on_input
from hermes_guard.rules.interpreters.findings import report_code, report_known_code
from hermes_guard.rules.interpreters.rules import EVAL, FAMILY
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import HOLE, Word
from hermes_guard.verdict import Finding

AWKS = ("awk", "gawk", "mawk", "nawk", "original-awk", "goawk", "frawk", "igawk")
AWK = Spec(
    "F= v= f= i= l= e= E= o? d? D? L? p? W= b c C g h M n N O P r s S t V field-separator= assign= file= include= "
    "load= source= exec= help version",
    posix=True,
)


@FAMILY.judges(*AWKS)
def awk(command: Command, context: Context) -> Iterator[Finding]:
    """Judge awk programs that start other programs or write files."""
    options = parse(command, AWK)
    if options.helps or options.has("V", "h"):
        return
    files = options.values("f", "file")
    programs = options.values("e", "source")
    if not programs and not options.has("f", "file", "E", "exec"):
        programs = options.operands[:1]
    elif any(word.raw in STDIN for word in files):
        yield from report_known_code(on_input(command.stdin), "awk", command, context)
    for word in (*files, *options.values("E", "exec")):
        if word.process == "<" and word.text_inside:
            yield from report_code(word.text_inside, "awk", command, context)
    rest = options.operands if options.has("e", "source", "f", "file", "E", "exec") else options.operands[1:]
    given, lines = _assigned_variables(options, rest), None
    if all(_ASSIGNED.match(word.raw) for word in rest):
        lines = known_lines(command)
    for word in programs:
        if word.raw.strip(HOLE):
            yield from report_code(word.raw, "awk", command, context, given=given, lines=lines)
        elif word.commands or word.raw == HOLE:
            yield EVAL.found(command, path="its program is made while the command runs")


_ASSIGNED = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)


def _assigned_variables(options: Options, rest: list[Word]) -> dict[str, str]:
    """Return the variables set on the command line."""
    words = [*rest, *options.values("v", "assign")]
    given = {found.group(1): found.group(2) for word in words if (found := _ASSIGNED.match(word.raw))}
    mark = options.value("F", "field-separator")
    return given if mark is None else {"FS": mark.raw, **given}
