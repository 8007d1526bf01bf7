"""Judges commands that editors, pagers and manual viewers run."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.argv import Spec, parse
from hermes_guard.languages.operation import quoted
from hermes_guard.rules.family import Context
from hermes_guard.rules.interpreters.findings import report_code
from hermes_guard.rules.tool_escapes.inline_files import read_files
from hermes_guard.rules.tool_escapes.nested_commands import runs, runs_each
from hermes_guard.rules.tool_escapes.rules import ESCAPE, FAMILY
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

# Spaces of one line only, and never two adjacent optional runs of them, so that a mismatch fails in linear time.
_VIM_SHELL = re.compile(
    r"(?:^|[|:])[^\S\n]*(?:silent!?[^\S\n]+|exe(?:cute)?[^\S\n]+['\"])?(?:\d*,?[%$.]?)?(?:r(?:ead)?[^\S\n]*)?!(.*)$",
    re.MULTILINE,
)
_VIM_CALL = re.compile(r"\b(?:system|systemlist|termopen|job_start|jobstart)\(\s*(['\"])(.*?)\1")
_VIM_LANGUAGE = re.compile(
    r"^[^\S\n]*(?::[^\S\n]*)?(py3?|python3?|pythonx|pyx|lua|perl|ruby)[^\S\n]+(.+)$", re.MULTILINE
)
_VIM_DELETE = re.compile(r"\bdelete\(\s*(['\"])([^'\"]*)\1\s*(,\s*['\"]rf['\"])?")
_VIM = Spec(
    "c= cmd= e s E S= u= U= i= t= q= o? O? p? r= R b N n M m x y Z d h H v w= W= T= X l L A V? noplugin clean "
    "startuptime= headless embed servername= remote help version"
)


@FAMILY.judges("vim", "vi", "nvim", "ex", "gvim", "view", "rvim", "vimdiff", "ed", "red", "nano", "pico", "joe")
def editors(command: Command, context: Context) -> Iterator[Finding]:
    """Judge shell commands of vi and ed."""
    options = parse(command, _VIM)
    if options.helps:
        return
    scripts = [word.raw for word in options.values("c", "cmd")]
    scripts += [word.raw[1:] for word in options.operands if word.raw.startswith("+")]
    if command.program in {"ex", "ed", "red"} or options.has("e", "s", "E"):
        text = command.stdin.text if command.stdin else None
        scripts += [text] if text else []
    for text in scripts:
        yield from _vim(text, command, context)
    for given in read_files(options.values("S", "u", "s") if command.program not in _LINE_EDITORS else [], command):
        if isinstance(given, Finding):
            yield given
        else:
            yield from _vim(given, command, context)


_LINE_EDITORS = frozenset({"ed", "red", "nano", "pico", "joe"})


def _vim(text: str, command: Command, context: Context) -> Iterator[Finding]:
    # `q!` and `wq!` are not shell commands.
    yield from runs_each((found.group(1) for found in _VIM_SHELL.finditer(text)), command, context)
    yield from runs_each((found.group(2) for found in _VIM_CALL.finditer(text)), command, context)
    for path, folder in dict.fromkeys(found.group(2, 3) for found in _VIM_DELETE.finditer(text)):
        yield from context.judge_code(f"rm {'-rf ' if folder else ''}-- {quoted(path)}", command)
    if re.search(r"(?:^|[|:])\s*(?:sh(?:ell)?|ter(?:minal)?)\s*$", text):
        yield ESCAPE.found(command, path="a shell")
    for language, code in dict.fromkeys(found.groups() for found in _VIM_LANGUAGE.finditer(text)):
        yield from report_code(code, "python" if language.startswith("py") else language, command, context)


_MAN = Spec(
    "P= H? C= R= L= m= M= S= s= e= r= E= p= T? X? d D f k K l w W c i I a u 7 t Z pager= html? config-file= warnings? "
    "recode= locale= systems= manpath= sections= extension= prompt= encoding= preprocessor= troff-device? gxditview? "
    "help version usage"
)


@FAMILY.judges("less", "more", "most")
def pagers(command: Command, context: Context) -> Iterator[Finding]:
    """Judge pagers that are given a command."""
    for word in command.args:
        if word.raw.startswith("+!"):
            yield from runs(word.raw[2:], command, context)


@FAMILY.judges("man", "gman")
def manuals(command: Command, context: Context) -> Iterator[Finding]:
    """Judge manual viewers that are given a pager or a browser."""
    for word in parse(command, _MAN).values("P", "pager", "H", "html"):
        if word.raw:
            yield from runs(word.raw, command, context)
