"""Reads awk programs, which concatenate strings by juxtaposition."""

from collections.abc import Mapping, Sequence

from hermes_guard.budget import Budget
from hermes_guard.languages.operation import Operation, quoted, runs
from hermes_guard.languages.scripts.assignments import assign, give
from hermes_guard.languages.scripts.blocks import Blocks
from hermes_guard.languages.scripts.function_names import Functions
from hermes_guard.languages.scripts.script import FARTHEST, Script
from hermes_guard.languages.scripts.token_simplification import split
from hermes_guard.languages.text_values import UNKNOWN
from hermes_guard.languages.tokens import AWK, Token, scan
from hermes_guard.shell.word import HOLE

_WINDOWS = frozenset({"|", "|&", ">", ">>"})
_BEFORE_COMMAND = frozenset({";", "{", "}", "\n", "(", "while", "&&"})
_AFTER_COMMAND = frozenset({";", "}", "\n", ")"})
#: The maximum number of known input lines for which a program is read.
_MAX_LINES = 8


def read(
    code: str,
    *,
    home: str,
    looped: bool,
    budget: Budget,
    given: Mapping[str, str] | None = None,
    lines: Sequence[str] | None = None,
) -> list[Operation]:
    """Return what an awk program would do with these variables, and with the lines of its input if they are known."""
    _ = looped
    script = Script("", Functions(AWK), home, looped=True, budget=budget)
    # Not simplified as in other languages, because awk concatenates adjacent strings.
    script.tokens = scan(code, AWK, budget)
    script.blocks = Blocks(script.tokens, AWK)
    known = lines is not None and len(lines) <= _MAX_LINES and any(token.text == "$" for token in script.tokens)
    for line in (*(lines or ()),) if known and lines else (None,):
        script.values = dict(given or {})
        if line is not None:
            _fields(script, line)
        _read(script)
    return script.found


def _fields(script: Script, line: str) -> None:
    mark = script.values.get("FS", " ")
    words = line.split() if mark == " " else line.split(mark)
    if HOLE not in line:
        script.values |= {"$0": line, "NF": str(len(words)), "$NF": words[-1] if words else ""}
        script.values |= {f"${number}": word for number, word in enumerate(words, start=1)}


def _read(script: Script) -> None:
    for index, token in enumerate(script.tokens):
        if token.kind == "text":
            if token.text.startswith(("/inet/", "/inet4/", "/inet6/")):
                script.found.append(Operation("reverse", "talks to another machine"))
        elif token.kind == "op":
            if token.text in _WINDOWS and not script.budget.reads(12):
                break
            _operator(script, index)
        elif token.kind == "name" and token.text == "system" and script.text(index + 1) == "(":
            script.budget.exceeded = script.budget.exceeded or script.cut(index)
            args = script.args(index)
            for code in script.constants(args[0]) if args else [None]:
                script.found.append(runs(_per_line(code), "system"))
        elif token.kind == "name" and token.text == "function" and script.text(index + 2) == "(":
            _define(script, index)


def _define(script: Script, index: int) -> None:
    """Define a function, whose arguments are unknown."""
    for part in split(script.tokens[index + 3 : script.blocks.pairs.get(index + 2, index + 3)]):
        give(script, part, UNKNOWN)


def _operator(script: Script, index: int) -> None:
    """Read assignments, function names, pipes and redirections."""
    text = script.text(index)
    after = script.tokens[index + 1] if index + 1 < len(script.tokens) else Token("op", "")
    if text == "=" and index:
        assign(script, index)
    elif text == "@" and after.kind == "name" and script.values.get(after.text) == "system":
        script.found.append(runs(script.first(script.args(index + 1)), "system"))
    elif text in {"|", "|&"}:
        if after == Token("name", "getline"):
            script.found.append(runs(script.constant(_since_start(script.tokens, index)), "getline"))
        else:
            _pipe(script, index)
    elif text in {">", ">>"} and _printing(script.tokens, index) is not None:
        for path in script.constants(_until_end(script.tokens, index + 1)):
            if path:
                script.found.append(Operation("write", "print", path=path))


def _pipe(script: Script, index: int) -> None:
    """Treat output printed into a command as that command's input."""
    code = script.constant(_until_end(script.tokens, index + 1))
    start = _printing(script.tokens, index)
    parts = split(script.tokens[start + 1 : index]) if start is not None else []
    if parts and parts[0][:1] == [Token("op", "(")] and len(parts) == 1:
        parts = split(parts[0][1:-1])
    printed = [script.constant(part) for part in parts] or [script.values.get("$0")]
    known = [text for text in printed if isinstance(text, str) and HOLE not in text]
    if code and HOLE not in code and len(known) == len(printed):
        script.found.append(Operation("shell", "a pipe", f"echo {quoted(' '.join(known))} | {code}"))
    else:
        script.found.append(runs(code, "a pipe"))


def _per_line(code: str | None) -> str | None:
    """Return a command with an unknown end runs once per line of the input, as with xargs."""
    if code and code.endswith(HOLE) and HOLE not in code[:-1]:
        return f"xargs {code[:-1]}"
    return code


def _since_start(tokens: list[Token], end: int) -> list[Token]:
    start = end
    while start > max(0, end - FARTHEST) and tokens[start - 1].text not in _BEFORE_COMMAND:
        start -= 1
    return tokens[start:end]


def _until_end(tokens: list[Token], start: int) -> list[Token]:
    end = start
    while end < min(len(tokens), start + FARTHEST) and tokens[end].text not in _AFTER_COMMAND:
        end += 1
    return tokens[start:end]


def _printing(tokens: list[Token], index: int) -> int | None:
    """Return the start of the print statement whose redirection is here, outside of its parentheses."""
    depth = 0
    for at in range(index - 1, max(-1, index - FARTHEST), -1):
        text = tokens[at].text if tokens[at].kind != "text" else ""
        depth += (text == ")") - (text == "(")
        if depth < 0 or text in {";", "{", "}", "\n"}:
            return None
        if text in {"print", "printf"}:
            return at
    return None
