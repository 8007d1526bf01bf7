"""Scripts of sed that run commands."""

from collections.abc import Iterator

from hermes_guard.argv import Spec, parse
from hermes_guard.rules.family import Context
from hermes_guard.rules.interpreters.given import STDIN, known_lines
from hermes_guard.rules.interpreters.rules import FAMILY, SPAWN
from hermes_guard.rules.interpreters.sed_script import runs
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import HOLE
from hermes_guard.verdict import Finding

_SED = Spec(
    "n e= f= E r i? s u z l= b expression= file= quiet silent regexp-extended in-place? line-length= posix sandbox "
    "debug help version"
)


@FAMILY.judges("sed", "gsed", "ssed")
def sed(command: Command, context: Context) -> Iterator[Finding]:
    """GNU sed runs commands with `e` and with the flag `e`."""
    options = parse(command, _SED)
    if options.helps or options.has("sandbox", "posix"):
        return
    files = options.values("f", "file")
    scripts = options.values("e", "expression") or ([] if files else options.operands[:1])
    texts = [word.raw for word in scripts]
    texts += [word.text_inside for word in files if word.process == "<" and word.text_inside]
    if any(word.raw in STDIN for word in files) and command.stdin is not None and command.stdin.text:
        texts.append(command.stdin.text)
    # Options together are one script, a line each.
    lines = None if files or options.operands[0 if options.has("e", "expression") else 1 :] else known_lines(command)
    for code in dict.fromkeys(runs("\n".join(texts), lines)):
        if code.strip(HOLE + " "):
            yield from context.judge_code(code.replace(HOLE, "$unknown"), command)
        else:
            yield SPAWN.found(command, path="sed runs lines of its input")
