"""Reads programs of awk, which joins texts by nothing but their places."""

from hermes_guard.budget import Budget
from hermes_guard.rules.languages.deed import Deed, runs
from hermes_guard.rules.languages.scripts.script import FARTHEST, Script
from hermes_guard.rules.languages.scripts.verbs import Verbs
from hermes_guard.rules.languages.tokens import AWK, Token, scan
from hermes_guard.shell.word import HOLE

_WINDOWS = frozenset({"|", "|&", ">", ">>"})
_BEFORE_COMMAND = frozenset({";", "{", "}", "\n", "(", "while", "&&"})
_AFTER_COMMAND = frozenset({";", "}", "\n", ")"})


def read(code: str, *, home: str, looped: bool, budget: Budget) -> list[Deed]:
    """What an awk program would do."""
    _ = looped
    tokens = scan(code, AWK, budget)
    script = Script("", Verbs(AWK), home, looped=True, budget=budget)
    # Without the folding of other languages: awk joins texts that stand side by side.
    script.tokens = tokens
    for index, token in enumerate(tokens):
        if token.kind == "text":
            if token.text.startswith(("/inet/", "/inet4/", "/inet6/")):
                script.found.append(Deed("reverse", "talks to another machine"))
        elif token.kind == "op":
            if token.text in _WINDOWS and not budget.reads(12):
                break
            _operator(script, index)
        elif token.kind == "name" and token.text == "system" and script.text(index + 1) == "(":
            budget.exceeded = budget.exceeded or script.cut(index)
            script.found.append(runs(_per_line(script.first(script.args(index))), "system"))
    return script.found


def _operator(script: Script, index: int) -> None:
    """Values that are kept, functions by their names, pipes and redirections."""
    text = script.text(index)
    after = script.tokens[index + 1] if index + 1 < len(script.tokens) else Token("op", "")
    if text == "=" and index:
        script.assign(index)
    elif text == "@" and after.kind == "name" and script.values.get(after.text) == "system":
        script.found.append(runs(script.first(script.args(index + 1)), "system"))
    elif text in {"|", "|&"}:
        if after == Token("name", "getline"):
            script.found.append(runs(script.constant(_since_start(script.tokens, index)), "getline"))
        else:
            script.found.append(runs(script.constant(_until_end(script.tokens, index + 1)), "a pipe"))
    elif text in {">", ">>"} and after.kind == "text" and _printing(script.tokens, index):
        path = script.constant(_until_end(script.tokens, index + 1))
        if path:
            script.found.append(Deed("write", "print", path=path))


def _per_line(code: str | None) -> str | None:
    """A command whose end is unknown runs once per line of the input, as with xargs."""
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


def _printing(tokens: list[Token], index: int) -> bool:
    """`>` is a redirection only in a print statement, outside of its parentheses."""
    depth = 0
    for at in range(index - 1, max(-1, index - FARTHEST), -1):
        text = tokens[at].text if tokens[at].kind != "text" else ""
        depth += (text == ")") - (text == "(")
        if depth < 0 or text in {";", "{", "}", "\n"}:
            return False
        if text in {"print", "printf"}:
            return True
    return False
