"""Folds constants in the text of scripts in any language: concatenation, escapes, joins and decoding calls."""

import base64
import re

from hermes_tools_skills.scanner.encodings import readable, unpack

_STRING = r"""(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\$]|\\.)*`)"""
_CONCAT = re.compile(rf"({_STRING})(?:\s*(?:\+|\.\.?|&|<>)\s*({_STRING}))+")
_PIECE = re.compile(_STRING)
_ESCAPE = re.compile(r"\\x([0-9a-fA-F]{2})|\\u\{?([0-9a-fA-F]{2,6})\}?|\\([0-3][0-7]{2})")
_ADJACENT = re.compile(rf"(?<![\w)])({_STRING})(?:\s+({_STRING}))+(?=\s*[;)\n])")
_JOIN = re.compile(
    rf"\[((?:\s*{_STRING}\s*,?)+)\]\s*\.\s*join\b(?:\s*\(\s*(?:\"\"|''|``)?\s*\))?|\(((?:\s*{_STRING}\s*,"
    rf"?)+)\)\s*-join\s*(?:\"\"|'')|-join\s*\(((?:\s*{_STRING}\s*,?)+)\)"
)
_CODES = re.compile(
    r"(?:String\.fromCharCode|String\.fromCodePoint|string\.char|chr|pack\(\s*['\"]C\*['\"]\s*,|\[char\[\]\]|"
    r"bytes)\s*\(?\s*\(?\[?((?:\s*(?:0x[0-9a-fA-F]+|\d{1,3})\s*,?){3,})\]?\s*\)?"
)
_PACKED = re.compile(
    r"\[((?:\s*(?:0x[0-9a-fA-F]{1,2}|\d{1,3})\s*,?){6,})\]\s*\.\s*(?:pack\(\s*['\"][CcUu]\*['\"]\s*\)|"
    r"map\([^)\n]*(?:fromCharCode|chr)[^)\n]*\)+\s*\.join\(\s*(?:''|\"\")?\s*\))"
)
_REVERSED = re.compile(
    rf"({_STRING})\s*(?:\.split\(\s*(?:''|\"\")\s*\)\s*\.reverse\(\)\s*\.join\(\s*(?:''|\"\")\s*\)|\.reverse\b|"
    rf":reverse\(\))|\b(?:strrev|reverse|string\.reverse)\s*\(?\s*({_STRING})\)?"
)
_DECODE = re.compile(
    rf"(?:\batob|pack\s*\(\s*['\"]H\*['\"]\s*,|Buffer\.from|new\s+Buffer|base64_decode|hex2bin|str_rot13|"
    rf"decode_base64|unescape|"
    rf"decodeURIComponent|Base64\.(?:strict_|urlsafe_)?decode64|gzinflate|gzuncompress|"
    rf"\[System\.Convert\]::FromBase64String|\[Convert\]::FromBase64String|FromBase64String|"
    rf"base64\.StdEncoding\.DecodeString|hex\.DecodeString|b64decode|unhexlify|fromhex)\s*\(?\s*({_STRING})\s*(?:,"
    rf"\s*['\"](base64|hex|base64url|ascii|utf-?8|binary|latin1)['\"])?\s*\)?"
    rf"|({_STRING})\s*\.\s*unpack1?\(\s*['\"](m0?|H\*)['\"]\s*\)"
)
_CONSTANT = re.compile(
    rf"(?m)(?:\b(?:const|let|var|my|local|set|our)\s+)?(?<!\w)([$@]?[A-Za-z_]\w*)\s*(?::=|=)\s*({_STRING})\s*(?=[;"
    rf",\n]|$)"
)


def fold(text: str) -> tuple[str, list[tuple[int, str, str]]]:
    """Return a script with constants folded, and what was decoded: line, how, and text."""
    if len(text) > 1_000_000:
        # Minified libraries: what they build from pieces is not followed, but their text is still read.
        return text, []
    decoded: list[tuple[int, str, str]] = []
    for _ in range(3):
        before = text
        text = _fold_once(text, decoded)
        if text == before:
            break
    return text, decoded


_PATH = re.compile(r"\b(?:join|resolve|Join)\s*\((?:[^()\n]|\([^()\n]{0,40}\)){1,300}\)")
_BETWEEN = re.compile(r"[\"'`]\s*,\s*[\"'`]")


def _fold_once(text: str, decoded: list[tuple[int, str, str]]) -> str:
    def note(found: "re.Match[str]", how: str, value: str) -> str:
        decoded.append((text.count("\n", 0, found.start()) if len(decoded) < 300 else 0, how, value))
        return _quote(value, found.group())

    text = _ESCAPE.sub(_unescape, text)
    text = _PATH.sub(lambda found: _BETWEEN.sub("/", found.group()), text)
    text = _substitute(text)
    text = _CONCAT.sub(
        lambda found: _quote("".join(_inner(piece) for piece in _PIECE.findall(found.group())), found.group()), text
    )
    text = _JOIN.sub(
        lambda found: note(
            found,
            "joined",
            "".join(_inner(piece) for piece in _PIECE.findall(next(group for group in found.groups() if group))),
        ),
        text,
    )
    for pattern in (_CODES, _PACKED):
        text = pattern.sub(
            lambda found: (
                note(found, "character codes", _characters(found.group(1)))
                if _characters(found.group(1))
                else found.group()
            ),
            text,
        )
    text = _REVERSED.sub(lambda found: note(found, "reversed", _inner(found.group(1) or found.group(2))[::-1]), text)

    def decode(found: "re.Match[str]") -> str:
        value = _decoded(_inner(found.group(1) or found.group(3)), found.group(2) or found.group(4) or found.group())
        return note(found, "encoded", value) if value else found.group()

    return _DECODE.sub(decode, text)


def _substitute(text: str) -> str:
    """Replace variables that hold one constant where they are concatenated or used as computed names."""
    constants: dict[str, str] = {}
    for name, value in _CONSTANT.findall(text):
        constants[name] = "" if name in constants else value
    used = {name: value for name, value in constants.items() if value and len(value) < 20_000}
    if not used or len(used) > 400:
        return text

    def replace(found: "re.Match[str]") -> str:
        return f"{found.group(1)}{used.get(found.group(2)) or found.group(2)}{found.group(3)}"

    # Names that occur between concatenation signs, brackets or parentheses.
    return re.sub(r"([+\[(,.]\s*)([$@]?[A-Za-z_]\w{0,60})(\s*(?=[+\]),.]))", replace, text)


def _inner(literal: str) -> str:
    return literal[1:-1].replace("\\/", "/")


def _quote(value: str, original: str) -> str:
    """Return a literal, followed by as many line breaks as the text that it replaces has."""
    mark = '"' if '"' not in value else "'" if "'" not in value else "`"
    return mark + value.replace("\n", " ").replace(mark, " ") + mark + "\n" * original.count("\n")


def _unescape(found: "re.Match[str]") -> str:
    code = int(found.group(1) or found.group(2), 16) if not found.group(3) else int(found.group(3), 8)
    char = chr(code) if 32 <= code < 0x110000 and not 0xD800 <= code < 0xE000 else ""
    return char if char and char not in "\"'`\\\n" else found.group()


def _characters(codes: str) -> str:
    numbers = [
        int(code, 0) if code.lower().startswith("0x") else int(code)
        for code in re.findall(r"0x[0-9a-fA-F]+|\d+", codes)
    ]
    text = "".join(chr(number) for number in numbers if number < 0x110000 and not 0xD800 <= number < 0xE000)
    return text if text.isprintable() or "\n" in text else ""


def _decoded(text: str, how: str) -> str:
    """Decode a literal as the function that is called on it does; empty when the result is not text."""
    import codecs

    if "rot13" in how:
        return codecs.encode(text, "rot13")
    if "unescape" in how or "URIComponent" in how:
        from urllib.parse import unquote

        return unquote(text)
    data = b""
    if "hex" in how or how == "H*":
        if re.fullmatch(r"(?:[0-9a-fA-F]{2})+", text):
            data = bytes.fromhex(text)
    else:
        cleaned = re.sub(r"[\s\\]", "", text).replace("-", "+").replace("_", "/").rstrip("=")
        if re.fullmatch(r"[A-Za-z0-9+/]{4,}", cleaned) and len(cleaned) % 4 != 1:
            data = base64.b64decode(cleaned + "=" * (-len(cleaned) % 4))
    return readable(unpack(data) or data)
