"""Judges sed scripts that run commands."""

from collections.abc import Iterator, Sequence
from functools import partial

from hermes_guard import lazy_re as re
from hermes_guard.argv import Spec, parse
from hermes_guard.rules.family import Context
from hermes_guard.rules.interpreters.code_sources import STDIN, known_lines
from hermes_guard.rules.interpreters.rules import FAMILY, SPAWN
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import HOLE
from hermes_guard.verdict import Finding

_BLANK = re.compile(r"[\s;{}!]*")
_SPACE = re.compile(r"[^\S\n]*")
_LINE = re.compile(r"[^\n]*")
_WORD = re.compile(r"[^\n;}]*")
#: Text that ends with a backslash continues on the next line.
_LINES = re.compile(r"(?:[^\\\n]|\\.)*", re.DOTALL)
_NUMBER = re.compile(r"[+~]?(?:\d+(?:~\d+)?|\$)")
_ADDRESS = frozenset("/\\+~$0123456789")
_ADDRESS_FLAGS = re.compile(r"[IM]*")
_FLAGS = re.compile(r"[gpiImMe0-9]*")


def runs(script: str, lines: Sequence[str] | None = None) -> Iterator[str]:
    """Yield the commands that a script runs for these lines; an empty one stands for unknown input."""
    index = 0
    while True:
        index = _address(script, index)
        if index >= len(script):
            return
        name = script[index]
        index += 1
        if name == "e":
            end = _end(_LINE, script, index)
            command = script[index:end].strip("} \t")
            yield from [command] if command or not lines else lines
            index = end
        elif name == "s" and index < len(script):
            mark, start = script[index], index + 1
            middle = _until(script, start, mark)
            index = _until(script, middle, mark)
            flags = _FLAGS.match(script, index)
            assert flags
            if "e" in flags.group():
                yield from _made(script[start : middle - 1], script[middle : index - 1], mark, lines)
            # The content of the lines is not tracked from here on.
            lines = None
            index = flags.end()
        elif name == "y" and index < len(script):
            index = _until(script, _until(script, index + 1, script[index]), script[index])
        elif name in _ENDS:
            index = _end(_ENDS[name], script, index)


def _made(pattern: str, replacement: str, mark: str, lines: Sequence[str] | None) -> Iterator[str]:
    """Yield the commands that a substitution produces from its lines."""
    text = replacement.replace(f"\\{mark}", mark)
    for line in lines or (HOLE,):
        new = _REFERENCE.sub(partial(_put, line), text)
        if _WHOLE.match(pattern):
            yield new
        elif pattern in {"^", "$"}:
            yield new + line if pattern == "^" else line + new
        elif lines and not _SPECIAL.search(pattern):
            yield line.replace(pattern, new, 1)
        else:
            yield ""


def _put(line: str, found: re.Match[str]) -> str:
    sign = found.group()
    if sign == "&":
        return line
    return HOLE if sign[1].isdigit() else {"n": "\n", "t": "\t"}.get(sign[1], sign[1])


#: A pattern that matches a whole line, one that matches itself, and references in a replacement.
_WHOLE = re.compile(r"\^?\.[*+]?\$?\Z|\^?\.\\\+\$?\Z")
_SPECIAL = re.compile(r"[\\.*\[\]^$+?(){}|]|\A\Z")
_REFERENCE = re.compile(r"&|\\.", re.DOTALL)
#: The end of a command's arguments. Those of the flag `w` look like a command and are read like one.
_ENDS = {
    **dict.fromkeys("aic", _LINES),
    **dict.fromkeys("rRwW#", _LINE),
    **dict.fromkeys(":btTqQlLv", _WORD),
}


def _end(pattern: re.Pattern[str], script: str, index: int) -> int:
    found = pattern.match(script, index)
    return found.end() if found else index


def _address(script: str, index: int) -> int:
    """Return the position of the next command, after its address."""
    index = _end(_BLANK, script, index)
    if script[index : index + 1] not in _ADDRESS:
        return index
    while index < len(script):
        if script[index] == "/":
            index = _end(_ADDRESS_FLAGS, script, _until(script, index + 1, "/"))
        elif script[index] == "\\" and index + 1 < len(script):
            index = _end(_ADDRESS_FLAGS, script, _until(script, index + 2, script[index + 1]))
        elif found := _NUMBER.match(script, index):
            index = found.end()
        else:
            break
        index = _end(_SPACE, script, index)
        if not script.startswith(",", index):
            break
        index = _end(_SPACE, script, index + 1)
    return _end(_BLANK, script, index)


def _until(script: str, index: int, mark: str) -> int:
    """Return the position after the next unescaped delimiter, or the end."""
    while index < len(script):
        if script[index] == mark:
            return index + 1
        index += 2 if script[index] == "\\" else 1
    return len(script)


_SED = Spec(
    "n e= f= E r i? s u z l= b expression= file= quiet silent regexp-extended in-place? line-length= posix sandbox "
    "debug help version"
)


@FAMILY.judges("sed", "gsed", "ssed")
def sed(command: Command, context: Context) -> Iterator[Finding]:
    """Judge commands that GNU sed runs with `e` and with the flag `e`."""
    options = parse(command, _SED)
    if options.helps or options.has("sandbox", "posix"):
        return
    files = options.values("f", "file")
    scripts = options.values("e", "expression") or ([] if files else options.operands[:1])
    texts = [word.raw for word in scripts]
    texts += [word.text_inside for word in files if word.process == "<" and word.text_inside]
    if any(word.raw in STDIN for word in files) and command.stdin is not None and command.stdin.text:
        texts.append(command.stdin.text)
    # Several options form one script, one line each.
    lines = None if files or options.operands[0 if options.has("e", "expression") else 1 :] else known_lines(command)
    for code in dict.fromkeys(runs("\n".join(texts), lines)):
        if code.strip(HOLE + " "):
            yield from context.judge_code(code.replace(HOLE, "$unknown"), command)
        else:
            yield SPAWN.found(command, path="sed runs lines of its input")
