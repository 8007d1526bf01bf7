"""Resolves backslash escapes in `$'...'`, `echo -e` and `printf`."""

from hermes_guard import lazy_re as re

_ESCAPE = re.compile(
    r"\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|0([0-7]{0,3})|([1-7][0-7]{0,2})|c(.)|(.))",
    re.DOTALL,
)
_SIMPLE = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "v": "\v"}
_KEPT = "\\'\"?"


def unescape(text: str) -> str:
    """Return the text with its escapes resolved."""
    if "\\" not in text:
        return text
    return _ESCAPE.sub(_one, text)


def _one(found: "re.Match[str]") -> str:
    hexa, short, long, zero, octal, control, simple = found.groups()
    if hexa:
        return chr(int(hexa, 16))
    if short or long:
        number = int(short or long, 16)
        return chr(number) if number < 0x110000 and not 0xD800 <= number < 0xE000 else "?"
    if zero is not None:
        # `\041` is octal in `$'..'` and printf, `\0041` in echo.
        return chr(int(zero or "0", 8) & 0xFF)
    if octal:
        return chr(int(octal, 8) & 0xFF)
    if control:
        return chr(ord(control) & 0x1F)
    if simple in _SIMPLE:
        return _SIMPLE[simple]
    return simple if simple in _KEPT else "\\" + simple
