"""Judges the commands that a tool would run."""

from collections.abc import Iterable, Iterator, Sequence

from hermes_guard import lazy_re as re
from hermes_guard.languages.operation import quoted
from hermes_guard.rules.family import Context
from hermes_guard.rules.tool_escapes.rules import ESCAPE
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import HOLE, Word
from hermes_guard.verdict import Finding

BARE = re.compile(r"(?:/usr)?(?:/bin/)?(?:sh|bash|zsh|dash|ksh|fish|csh|tcsh)(?: -[il]+)?\Z")


def runs(code: str, command: Command, context: Context) -> Iterator[Finding]:
    """Judge a command that a tool would run; a bare shell runs any input."""
    text = code.strip().strip("'\"")
    if not text or BARE.match(text) or text.startswith(HOLE):
        yield ESCAPE.found(command, path=text.replace(HOLE, "…")[:80] or "a shell")
    else:
        yield from judge_text(text, command, context)


def runs_each(codes: Iterable[str], command: Command, context: Context) -> Iterator[Finding]:
    """Judge many commands, each once; bare shells are reported once."""
    told = False
    for code in dict.fromkeys(codes):
        for finding in runs(code, command, context):
            if finding.rule != ESCAPE.id or finding.argv != command.texts or not told:
                yield finding
            told = told or finding.rule == ESCAPE.id


def judge_text(text: str, command: Command, context: Context) -> list[Finding]:
    """Judge shell code; unknown parts become variables."""
    return context.judge_code(text.replace(HOLE, "$unknown"), command)


def judge_words(words: Sequence[Word], command: Command, context: Context) -> list[Finding]:
    """Judge a command of these words; a single word is shell code."""
    if len(words) == 1:
        return judge_text(words[0].raw, command, context)
    return context.judge_code(joined(words), command)


def joined(words: Sequence[Word]) -> str:
    """Join words to shell code, each as one word."""
    return " ".join(quoted(word.raw) for word in words)
