"""Judges commands in the arguments, variables and files of make."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.argv import Options, Spec, parse
from hermes_guard.languages.makefiles import commands
from hermes_guard.name_sets import names
from hermes_guard.rules.family import Context
from hermes_guard.rules.tool_escapes.inline_files import file_text, named
from hermes_guard.rules.tool_escapes.nested_commands import BARE, judge_text, runs, runs_each
from hermes_guard.rules.tool_escapes.rules import ESCAPE, FAMILY
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import HOLE
from hermes_guard.verdict import Finding

#: A text with more than one command.
SEVERAL = re.compile(r"[;&|`]|\$\(shell ")
_SHELL = re.compile(r"(?:SHELL|MAKESHELL)=(.*)")
_VARIABLE = re.compile(r"([A-Za-z_]\w*)[?:+]{0,3}=(.*)", re.DOTALL)
#: The target of a one-line rule, before its recipe.
_RULE = re.compile(r"\A[^:\n]*:[^\n]*\n?\s*|\$\(shell\s*")
MAKE = Spec(
    "f= file= makefile= C= directory= I= include-dir= j? jobs? l? load-average? o= old-file= W= what-if= E= eval= n "
    "just-print dry-run recon k s i B t q p r R S w d e b m v version help silent quiet keep-going always-make trace "
    "output-sync? O? no-print-directory print-directory debug? question touch"
)
_LOOKING = ("n", "just-print", "dry-run", "recon", "q", "question", "t", "touch")
#: Variables whose value is a program.
PROGRAMS = names(
    """
    CC CXX CPP LD AS AR RANLIB NM STRIP FC F77 LEX YACC MAKE INSTALL PYTHON PYTHON3 NODE NPM GO CARGO RUSTC GCC DOCKER
    CMAKE TAR SED AWK PERL RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER CARGO_BUILD_RUSTC_WRAPPER CARGO_BUILD_RUSTC HOSTCC
    HOSTCXX CMAKE_C_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER CMAKE_COMMAND SHELLCMD BASH PKG_CONFIG CXXCPP NVCC
    OBJC OBJCOPY READELF LIBTOOL TEST_RUNNER RUN_CMD
    """
)


_JUST = Spec(
    "f= justfile= d= working-directory= c= command= set= shell= shell-arg= n dry-run l list e summary help version"
)


@FAMILY.judges("just")
def just(command: Command, context: Context) -> Iterator[Finding]:
    """Judge the recipes of a justfile, which look like those of make."""
    options = parse(command, _JUST)
    for word in named(options.values("f", "justfile"), command):
        given = file_text(word, command)
        if given.unknown:
            yield ESCAPE.found(command, path="recipes that are unknown until they run")
        targets = [one.raw for one in options.operands[:1] if not one.process]
        codes = commands(given.code, targets, dry=options.has("n", "dry-run", "l", "list")) if given.code else ()
        yield from runs_each((code for code in codes if code.strip()), command, context)


@FAMILY.judges("make", "gmake", "bmake", "remake", "colormake")
def make(command: Command, context: Context) -> Iterator[Finding]:
    """Judge commands that make receives in its arguments or on its input."""
    options = parse(command, MAKE)
    if options.helps or options.has("v"):
        return
    for word in command.args:
        shell = _SHELL.match(word.raw)
        if shell and not BARE.match(shell.group(1)):
            yield ESCAPE.found(command, path=word.raw[:80])
            yield from judge_text(shell.group(1).replace(HOLE, "unknown"), command, context)
        given = _VARIABLE.match(word.raw)
        if given:
            yield from judge_variable(given.group(1), given.group(2), command, context)
    for word in options.values("eval", "E"):
        yield from runs(_RULE.sub("", word.raw).strip(" @-\t)") or word.raw, command, context)
    yield from _files(options, command, context)


def judge_variable(name: str, value: str, command: Command, context: Context) -> Iterator[Finding]:
    """Judge the value of a make variable when it is a program, or contains several commands."""
    if SEVERAL.search(value) and HOLE not in value:
        yield from context.judge_code(value.replace("$(shell ", "$("), command)
    elif name in PROGRAMS and " " in value.strip() and not value.startswith(HOLE):
        yield from judge_text(value, command, context)


def _files(options: Options, command: Command, context: Context) -> Iterator[Finding]:
    """Yield the recipes of a makefile on the input, or in a process substitution."""
    for word in named(options.values("f", "file", "makefile"), command):
        given = file_text(word, command)
        if given.unknown:
            yield ESCAPE.found(command, path="a makefile that is unknown until it runs")
        targets = [one.raw for one in options.operands if "=" not in one.raw and not one.process]
        codes = commands(given.code, targets, dry=options.has(*_LOOKING)) if given.code else ()
        yield from runs_each((code for code in codes if code.strip()), command, context)
