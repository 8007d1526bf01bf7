"""Commands in the arguments, variables and input of make."""

import itertools
import re
from collections.abc import Iterator

from hermes_guard.rules.family import Context
from hermes_guard.rules.tool_escapes.rules import ESCAPE, FAMILY
from hermes_guard.rules.tool_escapes.running import BARE, runs, runs_each
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import HOLE
from hermes_guard.verdict import Finding

#: More than one command in a text.
SEVERAL = re.compile(r"[;&|`]|\$\(shell ")
_SHELL = re.compile(r"(?:SHELL|MAKESHELL)=(.*)")
_VARIABLE = re.compile(r"[A-Za-z_]\w*[?:+]?=(.*)", re.DOTALL)
#: What stands around the recipe in a rule of one line.
_RULE = re.compile(r"\A[^:\n]*:[^\n]*\n?\s*|\$\(shell\s*")
_RECIPE = re.compile(r"^\t[@-]*(.*)$|:[^\S\n]*;(.*)$", re.MULTILINE)


@FAMILY.judges("make", "gmake")
def make(command: Command, context: Context) -> Iterator[Finding]:
    """Commands that make is given instead of reading them in its file."""
    texts = [word.raw for word in command.args]
    for text in texts:
        shell = _SHELL.match(text)
        if shell and not BARE.match(shell.group(1)):
            yield ESCAPE.found(command, path=text[:80])
        given = _VARIABLE.match(text)
        if given:
            yield from judge_variable(given.group(1), command, context)
    for text, following in itertools.zip_longest(texts, texts[1:], fillvalue=""):
        value = following if text in {"--eval", "-E"} else text[7:] if text.startswith("--eval=") else ""
        if value:
            yield from runs(_RULE.sub("", value).strip(" @-\t)") or value, command, context)
    yield from _input(texts, command, context)


def judge_variable(value: str, command: Command, context: Context) -> Iterator[Finding]:
    """Judge the value of a variable of make when it holds several commands."""
    if HOLE not in value and SEVERAL.search(value):
        yield from context.judge_code(value.replace("$(shell ", "$("), command)


def _input(texts: list[str], command: Command, context: Context) -> Iterator[Finding]:
    """The recipes of a makefile on the input."""
    if command.stdin is None or not command.stdin.text:
        return
    pairs = map("".join, itertools.pairwise(texts))
    if any(text in {"-f-", "--file=-", "--makefile=-"} for text in (*texts, *pairs)):
        codes = (left or right for left, right in _RECIPE.findall(command.stdin.text))
        yield from runs_each((code for code in codes if code.strip()), command, context)
