"""Simplifies the tokens of a script before it is read."""

from hermes_guard.languages.tokens import Token

#: The maximum length of a computed string.
LONGEST = 8_192
OPENING, CLOSING = frozenset("([{"), frozenset(")]}")
_HOMES = (
    ("process", ".", "env", ".", "HOME"),
    ("Dir", ".", "home"),
    ("ENV", "[", "HOME", "]"),
    ("$ENV", "{", "HOME", "}"),
    ("getenv", "(", "HOME", ")"),
    ("$_SERVER", "[", "HOME", "]"),
    ("require", "(", "os", ")", ".", "homedir", "(", ")"),
    ("os", ".", "homedir", "(", ")"),
    ("homedir", "(", ")"),
    ("os", ".", "getenv", "(", "HOME", ")"),
    ("ENV", ".", "fetch", "(", "HOME", ")"),
    ("require", "(", "node:os", ")", ".", "homedir", "(", ")"),
    ("Dir", ".", "home", "(", ")"),
)


_HOME_WORDS = frozenset(one[0] for one in _HOMES)


def at_home(tokens: list[Token], home: str) -> list[Token]:
    """Return the tokens with every expression for the home directory replaced by its path."""
    if not any(token.text in {"HOME", "home", "homedir"} for token in tokens):
        return tokens
    found: list[Token] = []
    index = 0
    while index < len(tokens):
        known = None
        if tokens[index].text in _HOME_WORDS:
            near = tuple(token.text for token in tokens[index : index + 8])
            known = next((one for one in _HOMES if near[: len(one)] == one), None)
        if known:
            found.append(Token("text", home))
            index += len(known)
        else:
            found.append(tokens[index])
            index += 1
    return found


def folded(tokens: list[Token], joins: frozenset[str]) -> list[Token]:
    """Return the tokens with concatenated string literals joined: `"rm" + "Sync"`."""
    found: list[Token] = []
    size = 0
    for token in tokens:
        if (
            token.kind == "text"
            and not token.parts
            and len(found) > 1
            and found[-1].kind == "op"
            and found[-1].text in joins
            and found[-2].kind == "text"
            and not found[-2].parts
            and size + len(token.text) <= LONGEST
        ):
            found.pop()
            size += len(token.text)
            found[-1] = Token("text", found[-1].text + token.text)
        else:
            size = len(token.text) if token.kind == "text" else size if token.kind == "op" else 0
            found.append(token)
    return found


def split(tokens: list[Token]) -> list[list[Token]]:
    """Return the arguments in a list, with or without its parentheses."""
    parts: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        if token.kind == "op":
            if token.text in OPENING:
                depth += 1
            elif token.text in CLOSING:
                depth -= 1
            elif token.text in {",", "=>"} and depth == 0:
                parts.append([])
                continue
            elif token.text == "\n":
                continue
        if token.kind == "words" and depth == 0:
            for number, word in enumerate(token.text.split()):
                if number:
                    parts.append([])
                parts[-1].append(Token("text", word))
            continue
        parts[-1].append(token)
    return parts if any(parts) else []
