"""Aliases that a script gives to functions: `const {execSync: e} = require("child_process")`."""

from hermes_guard.languages.scripts.function_names import Functions
from hermes_guard.languages.tokens import Token

_ENDS = frozenset({";", "\n", ",", ")", ""})
#: The maximum number of tokens in an expression that is given an alias.
_NEAR = 12


def aliases(tokens: list[Token], functions: Functions) -> dict[str, str]:
    """Return the aliased functions by their alias."""
    known = (
        functions.shell
        | functions.spawn
        | functions.trees
        | functions.files
        | functions.evals
        | functions.writes.keys()
        | functions.reads
    )
    found: dict[str, str] = {}
    for index, token in enumerate(tokens):
        if token.kind == "name" and token.text in known and len(found) < 32:
            name = _find_alias(tokens, index)
            if name and name != token.text:
                found[name] = token.text
    return found


def _find_alias(tokens: list[Token], index: int) -> str:
    """Return the alias that the function at this position gets."""
    after = [token.text if token.kind != "text" else "''" for token in tokens[index + 1 : index + 4]] + ["", "", ""]
    if after[0] in {":", "as"} and after[2] in {",", "}", "\n"} and _is_name(tokens, index + 2):
        # In a pattern, the name before an equals sign or in an import.
        return after[1] if after[0] == "as" or _pattern(tokens, index) else ""
    if after[0] not in _ENDS:
        return ""
    # Matches `x = a.b("c").verb` and `x = promisify(verb)`.
    for at in range(index - 1, max(0, index - _NEAR), -1):
        text = tokens[at].text
        if text == "=" and tokens[at - 1].kind == "name":
            return tokens[at - 1].text
        if tokens[at].kind == "op" and text not in {".", "(", ")"}:
            return ""
    return ""


def _is_name(tokens: list[Token], index: int) -> bool:
    return index < len(tokens) and tokens[index].kind == "name"


def _pattern(tokens: list[Token], index: int) -> bool:
    for at in range(index, min(len(tokens) - 1, index + 48)):
        if tokens[at].text == "}" and tokens[at].kind == "op":
            return tokens[at + 1].text == "="
    return False
