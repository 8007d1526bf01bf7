"""Finds the code for an interpreter: in an option, in an operand, or on its input."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from hermes_guard import lazy_re as re
from hermes_guard.name_sets import names
from hermes_guard.shell.command import Command, Stdin
from hermes_guard.shell.word import HOLE, Word

_DESCRIPTOR = re.compile(r"(?:/dev/fd|/proc/self/fd)/(\d{1,4})\Z")
#: Programs that add arguments of their own.
_FEEDING = ("xargs", "find", "parallel", "fd", "entr", "watchexec")
#: The maximum number of characters and lines of input that is read together with code.
_SHORT, _MAX_LINES = 4_096, 8
STDIN = frozenset({"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"})
#: Programs that only pass on or transform the content of files.
_FROM_DISK = names(
    """
    cat bat sed head tail grep egrep awk gawk zcat gzcat xzcat bzcat envsubst tee sort uniq m4 cpp expand tac nl
    git tr cut gunzip gzip iconv dos2unix perl
    """
)


class Code(NamedTuple):
    """The code for an interpreter."""

    code: str = ""
    #: True when some of the code is unknown.
    unknown: bool = False


def on_input(stdin: Stdin | None) -> Code:
    """Return the code on standard input."""
    if stdin is None or stdin.file is not None:
        return Code()
    if stdin.text is not None and stdin.text.strip(HOLE + " \n\t"):
        return Code(stdin.text, stdin.text.lstrip().startswith(HOLE))
    return Code(unknown=not from_disk(stdin))


def from_disk(stdin: Stdin) -> bool:
    """Return True when an input is certainly the content of existing files."""
    if not stdin.commands:
        return False
    for command in stdin.commands:
        if command.program not in _FROM_DISK or command.elsewhere:
            return False
        if command.program == "git" and not any(word.raw in {"show", "cat-file"} for word in command.args):
            return False
        before = command.stdin
        if before is not None and before.file is None and before.text is None and not from_disk(before):
            return False
    return True


def known_lines(command: Command) -> list[str] | None:
    """Return the lines on a command's input, if they are certain and few."""
    text = command.stdin.text if command.stdin is not None else None
    if text is None or HOLE in text or len(text) > _SHORT:
        return None
    return text.splitlines()[:_MAX_LINES] if text.count("\n") <= _MAX_LINES else None


def arguments(words: Sequence[Word], command: Command, *before: str) -> list[str] | None:
    """Return the arguments that the code receives; None when their number is unknown."""
    if not words or command.wrapped_by(*_FEEDING) or any(word.splits or word.glob for word in words):
        return None
    return [*before, *(word.raw for word in words)]


def in_operand(words: Sequence[Word], command: Command) -> Code:
    """Return the code that the first operand names, which may be standard input."""
    if not words or words[0].raw in STDIN:
        return on_input(command.stdin)
    descriptor = _DESCRIPTOR.match(words[0].raw)
    if descriptor:
        return on_input(command.inputs.get(int(descriptor.group(1))))
    if words[0].process == "<":
        inside = words[0].text_inside
        if inside is not None:
            return Code(inside)
        return Code(unknown=not from_disk(Stdin(None, words[0].commands)))
    return Code()


def in_words(words: Iterable[Word]) -> Code:
    """Return the code in the values of options."""
    texts = [word.raw for word in words]
    if not texts:
        return Code()
    code = "\n".join(texts)
    return Code(code, code.lstrip().startswith(HOLE))
