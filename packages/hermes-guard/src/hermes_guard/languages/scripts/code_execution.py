"""Verbs of scripts that run code which they are given as a text or by its name."""

from typing import TYPE_CHECKING

from hermes_guard.languages.operation import Deed, runs
from hermes_guard.languages.scripts.verbs import Named
from hermes_guard.languages.tokens import Token
from hermes_guard.name_sets import names
from hermes_guard.shell.word import HOLE

if TYPE_CHECKING:
    from hermes_guard.languages.scripts.script import Script

#: Nobody hides harmless code.
_DECODERS = names(
    "base64_decode decode_base64 decode64 strict_decode64 atob Buffer hex2bin pack unpack unpack1 fromCharCode chr "
    "str_rot13 strrev reverse gzinflate gzuncompress"
)


def evaluate(script: "Script", named: Named) -> None:
    """Read the code that is evaluated, or say that nobody knows it."""
    if _is_block(script, named):
        return
    args = script.args(named.at)
    if script.language.name in {"R", "julia"}:
        _parsed(script, named.name, [token for arg in args for token in arg])
        return
    function = named.name == "Function"
    if function and named.before != "new" and script.text(named.at + 1) != "(":
        return
    code = script.constant(args[-1 if function else 0]) if args else None
    if code is not None and HOLE not in code:
        script.found += script.inner(code)
        if any(token.text in _DECODERS for token in args[-1 if function else 0]):
            script.found.append(Deed("eval", f"{named.name} of code in disguise"))
        return
    what = f"{named.name} of code that nobody knows before it runs"
    script.found.append(Deed("remote" if script.fetches else "eval", what))


def _is_block(script: "Script", named: Named) -> bool:
    """`eval { ... }` catches errors, and `x.eval` belongs to somebody else."""
    after = script.text(named.at + 1)
    ruby = script.language.name == "ruby"
    return (
        after in {"{", "do", "|"}
        or (named.before in {".", "->"} and named.name == "eval" and not ruby)
        or (ruby and after in {";", "}"})
    )


def _parsed(script: "Script", name: str, tokens: list[Token]) -> None:
    """`eval(parse(text = "..."))`: only what is parsed comes from a text."""
    texts = [token.text for token in tokens if token.kind == "text"]
    if texts or not any(token.text in {"parse", "Meta"} for token in tokens):
        for text in texts:
            script.found += script.inner(text)
        return
    script.found.append(Deed("eval", f"{name} of code that nobody knows before it runs"))


def by_name(script: "Script", named: Named) -> None:
    """A function that is called by its name in a text."""
    args = script.args(named.at)
    if not args:
        return
    called = next((token.text for token in args[0] if token.kind in {"text", "name"}), "")
    verbs = script.verbs
    if called in verbs.shell or called in verbs.spawn:
        script.found.append(runs(script.constant(args[1]) if len(args) > 1 else None, called))
    elif called in verbs.evals:
        script.found.append(Deed("eval", f"{called} by its name"))
    elif called in verbs.trees or called in verbs.files:
        script.found.append(Deed("delete", f"{called} by its name"))
