"""Reads delimited tokens: strings, patterns, and the custom delimiters of Perl and Ruby."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.budget import Budget
from hermes_guard.languages.tokens.language import Language, Token
from hermes_guard.shell.word import HOLE

#: The maximum length of a pattern, and of code in a replacement.
LONGEST = 400
CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u\{?([0-9a-fA-F]{4})\}?|([0-7]{1,3})|(.))", re.DOTALL)
_CONTROL = {"n": "\n", "t": "\t", "r": "\r", "e": "\x1b", "0": "\0"}


def quoted(text: str, index: int, language: Language, found: list[Token]) -> int:
    """Add the string between quotes; return the position after it."""
    mark = text[index]
    if mark == "'" and language.name in {"julia", "lisp", "applescript"}:
        found.append(Token("op", mark))
        return index + 1
    triple = mark * 3 if language.name == "julia" and text.startswith(mark * 3, index) else ""
    start = index + (len(triple) or 1)
    body, end = _until(text, start, triple or mark)
    kind = (language.backtick or "text") if mark == "`" else "text"
    if mark == "'" and language.name in {"perl", "ruby", "php", "raku"}:
        found.append(Token(kind, body.replace("\\'", "'").replace("\\\\", "\\")))
    else:
        holes = mark != "'" and (mark == "`" or language.name not in {"node", "jxa"})
        found.append(filled(kind, body, language, holes=holes))
    return end


def _until(text: str, start: int, mark: str) -> tuple[str, int]:
    index = start
    while True:
        end = text.find(mark, index)
        if end < 0:
            return text[start:], len(text)
        slashes = 0
        while end - slashes - 1 >= start and text[end - slashes - 1] == "\\":
            slashes += 1
        if slashes % 2 == 0:
            return text[start:end], end + len(mark)
        index = end + 1


def filled(kind: str, body: str, language: Language, *, holes: bool = True) -> Token:
    """Return a string with holes for interpolations, and the code in them."""
    parts: list[str] = []
    if holes and language.holes is not None:
        body = "".join(_pieces(body, language.holes, parts))
    return Token(kind, _ESCAPE.sub(_unescaped, body) if "\\" in body else body, tuple(parts) if any(parts) else ())


def _pieces(body: str, holes: re.Pattern[str], parts: list[str]) -> Iterator[str]:
    """Yield the parts of a string; a backslash prevents interpolation."""
    end = 0
    for found in holes.finditer(body):
        start = found.start()
        before = body[end:start]
        if (len(before) - len(before.rstrip("\\"))) % 2:
            continue
        parts += [""] * before.count(HOLE)
        yield before
        yield HOLE
        parts.append(found.group())
        end = found.end()
    parts += [""] * body.count(HOLE, end)
    yield body[end:]


def _unescaped(found: re.Match[str]) -> str:
    by_hex, by_code, octal, plain = found.groups()
    if by_hex or by_code:
        return chr(int(by_hex or by_code, 16))
    if octal:
        return chr(int(octal, 8))
    return _CONTROL.get(plain, plain)


def delimited(text: str, start: int, opening: str) -> tuple[str, int]:
    """Return the body after an opening delimiter, which may contain nested pairs."""
    closing = CLOSING.get(opening, opening)
    depth, index = 1, start
    while index < len(text):
        char = text[index]
        if char == "\\":
            index += 1
        elif char == closing:
            depth -= 1
            if not depth:
                return text[start:index], index + 1
        elif char == opening and closing != opening:
            depth += 1
        index += 1
    return text[start:], len(text)


def pattern(text: str, index: int, found: list[Token], budget: Budget) -> int:
    """Add the pattern between slashes, or a division sign; return the position after it."""
    at, inside = index + 1, False
    while at < min(len(text), index + LONGEST) and text[at] != "\n":
        char = text[at]
        if char == "\\":
            at += 1
        elif char == "[":
            inside = True
        elif char == "]":
            inside = False
        elif char == "/" and not inside:
            found.append(Token("pattern", text[index + 1 : at]))
            return at + 1
        at += 1
    # It is not a pattern, so the text will be scanned again.
    budget.reads((at - index) // 12)
    end = text.find("/", index + 1, at)
    if end > 0:
        found.append(Token("pattern", text[index + 1 : end]))
        return end + 1
    found.append(Token("op", "/"))
    return index + 1
