"""Functions of scripts that run code given as a string or by its name."""

from typing import TYPE_CHECKING

from hermes_guard.languages.operation import Operation, runs
from hermes_guard.languages.scripts.function_names import Named
from hermes_guard.languages.tokens import Token
from hermes_guard.name_sets import names
from hermes_guard.shell.word import HOLE

if TYPE_CHECKING:
    from hermes_guard.languages.scripts.script import Script

#: Decoding suggests that the code is hidden, and harmless code is not.
_DECODERS = names(
    "base64_decode decode_base64 decode64 strict_decode64 atob Buffer hex2bin pack unpack unpack1 fromCharCode chr "
    "str_rot13 strrev reverse gzinflate gzuncompress"
)


def evaluate(script: "Script", named: Named) -> None:
    """Read the evaluated code, or report that it is unknown."""
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
            script.found.append(Operation("eval", f"{named.name} of code in disguise"))
        return
    what = f"{named.name} of code that is unknown until it runs"
    script.found.append(Operation("remote" if script.fetches else "eval", what))


def _is_block(script: "Script", named: Named) -> bool:
    """Return True for `eval { ... }`, which catches errors, and for `x.eval`, which is another object's method."""
    after = script.text(named.at + 1)
    ruby = script.language.name == "ruby"
    return (
        after in {"{", "do", "|"}
        or (named.before in {".", "->"} and named.name == "eval" and not ruby)
        or (ruby and after in {";", "}"})
    )


def _parsed(script: "Script", name: str, tokens: list[Token]) -> None:
    """`eval(parse(text = "..."))`: only the parsed part comes from a string."""
    texts = [token.text for token in tokens if token.kind == "text"]
    if texts or not any(token.text in {"parse", "Meta"} for token in tokens):
        for text in texts:
            script.found += script.inner(text)
        return
    script.found.append(Operation("eval", f"{name} of code that is unknown until it runs"))


def by_name(script: "Script", named: Named) -> None:
    """Read a function that is called by its name in a string."""
    args = script.args(named.at)
    if not args:
        return
    called = next((token.text for token in args[0] if token.kind in {"text", "name"}), "")
    functions = script.functions
    if called in functions.shell or called in functions.spawn:
        script.found.append(runs(script.constant(args[1]) if len(args) > 1 else None, called))
    elif called in functions.evals:
        script.found.append(Operation("eval", f"{called} by its name"))
    elif called in functions.trees or called in functions.files:
        script.found.append(Operation("delete", f"{called} by its name"))
