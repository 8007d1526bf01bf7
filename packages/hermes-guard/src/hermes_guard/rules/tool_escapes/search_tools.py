"""Judges commands that find, fzf and similar tools run for their results, and zsh's file commands."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.argv import Spec, parse
from hermes_guard.rules.family import Context
from hermes_guard.rules.tool_escapes.nested_commands import joined, judge_text
from hermes_guard.rules.tool_escapes.rules import ESCAPE, FAMILY
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding


@FAMILY.judges("sh", "bash", "dash", "zsh", "ksh", "ash")
def found_shells(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about a bare shell that find, awk or another tool starts."""
    if command.wrapped_by("find", "gfind", "fd", "env -S") and not command.args:
        yield ESCAPE.found(command, path="a shell")


@FAMILY.judges("{}")
def whatever_is_found(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about find and similar tools that run every file they find."""
    if command.wrapped_by("find", "gfind", "fd", "fdfind", "xargs", "parallel"):
        yield ESCAPE.found(command, path="every file that is found")


_SEARCH = Spec("pre= pre-glob= preview= bind= preview-window= e= regexp= g= glob= t= T= A= B= C= m=")
# The arguments are in brackets, or after a colon up to the end.
_FZF_ACTION = re.compile(
    r"\b(?:execute|execute-silent|execute-multi|become|reload|reload-sync|transform[\w-]*|preview)"
    r"(?:\(([^()]*)\)|\[([^\[\]]*)\]|\{([^{}]*)\}|<([^<>]*)>|([~!@#$%^&*;/|])(.*?)\5|:(.*))"
)


@FAMILY.judges("fzf", "sk", "rg")
def searches(command: Command, context: Context) -> Iterator[Finding]:
    """Judge commands that run for the results of a search."""
    options = parse(command, _SEARCH)
    for word in options.values("pre", "preview"):
        text = word.raw.replace("{}", "x")
        yield from judge_text(f"{text} x" if command.program == "rg" else text, command, context)
    for word in options.values("bind"):
        text = re.sub(r"\{[+\d.qnf]*\}", "x", word.raw)
        codes = (
            next((part for part in found.groups() if part and len(part) > 1), "")
            for found in _FZF_ACTION.finditer(text)
        )
        for code in dict.fromkeys(codes):
            yield from judge_text(code, command, context)


@FAMILY.judges("zf_rm", "zf_mv", "zf_ln", "zf_chmod", "zf_chown", "zf_rmdir")
def zsh_files(command: Command, context: Context) -> Iterator[Finding]:
    """Judge the file commands of zsh like those of the system."""
    yield from context.judge_code(f"{(command.program or '')[3:]} {joined(command.args)}", command)
