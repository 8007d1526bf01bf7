"""Tracks the values that a script assigns to variables."""

from typing import TYPE_CHECKING, Any

from hermes_guard.languages.scripts.token_simplification import split
from hermes_guard.languages.text_values import UNKNOWN, add, one_of
from hermes_guard.languages.tokens import Token
from hermes_guard.name_sets import names

if TYPE_CHECKING:
    from hermes_guard.languages.scripts.script import Script

_ENDS = frozenset({";", "\n", ",", ")", "}"})
_CONDITIONS = names("if unless while until for foreach or and")
#: Operators that continue the previous line.
_GOES_ON = frozenset({".", "+", "?", ":", "||", "&&", "->"})
APPENDING = frozenset({"+=", ".="})
_DECLARING = frozenset({"\n", "const", "let", "var", "my", "local"})
_REPLACING = names("replace prepend insert clear")
_PUSHING = names("push append unshift concat")


def assign(script: "Script", index: int) -> None:
    """Record the value that is assigned at this position."""
    target = script.tokens[index - 1]
    if not script.budget.reads(4):
        return
    end = script.blocks.until(index + 1, _ENDS)
    start = index + 1
    conditional = False
    for at in range(start, end):
        if script.tokens[at].kind == "name" and script.tokens[at].text in _CONDITIONS and at > start:
            end, conditional = at, True
            break
    several = _targets(script, index)
    if several:
        end = script.blocks.until(index + 1, _ENDS - {","})
    made: Any = UNKNOWN
    if not _cut(script, end) and start < end:
        tokens = script.tokens[start:end]
        if several and len(split(tokens)) > 1:
            made = [script.value(part) for part in split(tokens)]
        else:
            made = script.value(tokens)
    if several:
        bind(script, several, made)
    elif target.kind == "name":
        _keep(script, index, made, conditional)
    elif target.text in {"]", "}", ")"}:
        opened = script.blocks.opened(index - 1)
        if opened is not None and not _indexed(script, opened):
            bind(script, split(script.tokens[opened + 1 : index - 1]), made, keyed=target.text == "}")
        elif opened is not None:
            _changed(script, opened)


def _keep(script: "Script", index: int, made: Any, conditional: bool) -> None:
    """Record one variable. The old value also remains possible if the assignment may not happen."""
    name = script.tokens[index - 1].text
    if script.text(index - 2) in {".", "->"} and index > 2:
        name = f"{script.text(index - 3)}.{name}"
    if name[:1] == "%" and isinstance(made, list):
        made = dict(zip(map(str, made[::2]), made[1::2], strict=False))
    elif name[:1] == "@" and script.language.name in {"perl", "raku"} and not isinstance(made, list):
        made = [made] if made is not UNKNOWN else made
    if script.tokens[index].text != "=":
        made = add(script.values.get(name, UNKNOWN), made)
    if name in script.values and (conditional or script.blocks.branched(index)):
        made = one_of([script.values[name], made])
    if made is UNKNOWN and script.values.get(name, UNKNOWN) is not UNKNOWN and script.repeats(index):
        script.unsure.add(name)
    script.values[name] = UNKNOWN if name in script.unsure else made
    owner, _, key = name.rpartition(".")
    if isinstance(script.values.get(owner), dict):
        script.values[owner] = {**script.values[owner], key: made}


def _targets(script: "Script", index: int) -> list[list[Token]]:
    """Return the names in `a, b = 1, 2`."""
    if script.language.name not in {"ruby", "lua"} or script.text(index - 2) != ",":
        return []
    start = index - 1
    while start > 1 and script.text(start - 1) == "," and script.tokens[start - 2].kind == "name":
        start -= 2
    if script.text(start - 1) not in {"", ";", "\n", "{", "|", "local", "do", "then"}:
        return []
    return split(script.tokens[start:index])


def _cut(script: "Script", end: int) -> bool:
    """Return True when a value continues on the next line."""
    if script.text(end) != "\n":
        return False
    while script.text(end) == "\n":
        end += 1
    return script.tokens[end : end + 1] != [] and script.tokens[end].kind == "op" and script.text(end) in _GOES_ON


def _indexed(script: "Script", opened: int) -> bool:
    """Return True for `x[1] = 2`, which changes an existing value."""
    before = script.tokens[opened - 1] if opened else Token("op", "")
    return before.kind == "name" and before.text not in {"const", "let", "var", "my", "our", "local", "list"}


def _changed(script: "Script", opened: int) -> None:
    name = script.tokens[opened - 1].text
    for known in (name, f"@{name[1:]}", f"%{name[1:]}"):
        script.values.pop(known, None)


def bind(script: "Script", targets: list[list[Token]], made: Any, *, keyed: bool = False) -> None:
    """Bind the items of a value to several names, or its fields by name."""
    perl = script.language.name in {"perl", "raku"}
    for place, tokens in enumerate(targets):
        part = [token for token in tokens if token.text not in _DECLARING]
        sign = part[0].text if part else ""
        rest = sign in {".", "..", "*"} or (sign.startswith("@") and perl)
        held: Any = UNKNOWN
        if keyed:
            held = made.get(sign, UNKNOWN) if isinstance(made, dict) else UNKNOWN
        elif isinstance(made, list):
            held = made[place:] if rest else made[place] if place < len(made) else UNKNOWN
        give(script, [token for token in part if not rest or token.kind == "name"], held, keyed=keyed)


def give(script: "Script", part: list[Token], held: Any, *, keyed: bool = False) -> None:
    """Bind a value to a name or to the names in a pattern; without a value they get their defaults."""
    if part and part[0].text in {"[", "("} and part[0].kind == "op":
        bind(script, split(part[1:-1]), held)
        return
    if part and part[0].text == "{" and part[0].kind == "op":
        bind(script, split(part[1:-1]), held, keyed=True)
        return
    sign = next((at for at, token in enumerate(part) if token.kind == "op" and token.text == "="), len(part))
    named = [token.text for token in part[:sign] if token.kind == "name"]
    if not named:
        return
    if held is UNKNOWN and sign < len(part):
        held = script.value(part[sign + 1 :])
    script.values[named[-1] if keyed or script.language.name == "php" else named[0]] = held


def pushed(script: "Script", index: int) -> None:
    """`list.push("x")` and `push @list, "x"`: adding an unknown item makes the whole list unknown."""
    name = script.tokens[index].text
    if script.text(index - 1) == "." and (name.endswith("!") or name in _REPLACING) and index > 1:
        if script.language.name == "ruby" and script.tokens[index - 2].text in script.values:
            script.values[script.tokens[index - 2].text] = UNKNOWN
        return
    if name not in _PUSHING:
        return
    args = script.args(index)
    if script.text(index - 1) == "." and index > 1:
        name, added = script.tokens[index - 2].text, args
    elif args and args[0] and script.language.name in {"perl", "raku"}:
        name, added = args[0][-1].text, args[1:]
    else:
        return
    old = script.values.get(name)
    if isinstance(old, list) and script.tokens[index].text in {"push", "append"} and len(old) < 64:
        script.values[name] = [*old, *(script.value(one) for one in added)]
    elif old is not None:
        script.values[name] = UNKNOWN
