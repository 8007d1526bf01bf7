"""Detect the encoding of a file from its bytes, its own declaration and .editorconfig, and whether it is text."""

from __future__ import annotations

import codecs
import os
import re
from typing import Final, NamedTuple

HEAD: Final = 1024
"""How many characters are searched: HTML allows its declaration no later than that."""

_COMMENT: Final = re.compile(r"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)", re.ASCII)
_COMMENT_OR_BLANK: Final = re.compile(r"[ \t\f]*(?:#|$)")
_EMACS: Final = re.compile(r"-\*-.*?\bcoding:[ \t]*([-\w.]+).*?-\*-", re.ASCII)
_VIM: Final = re.compile(r"(?:^|\s)(?:vim?|ex):.*?\b(?:fileencoding|fenc)=([-\w.]+)", re.ASCII)
_XML: Final = re.compile(r"<\?xml\s[^>]*?\sencoding\s*=\s*[\"']([-\w.:]+)[\"']", re.ASCII)
_META: Final = re.compile(r"<meta\s[^>]*?(?<=[\s\"';])charset\s*=\s*[\"']?\s*([-\w.:]+)", re.ASCII | re.IGNORECASE)
_CSS: Final = re.compile(r'@charset "([^"\r\n]{1,60})";')
_PO: Final = re.compile(r'^"Content-Type:[^"\n]*?;[ \t]*charset=([-\w.:]+)', re.ASCII | re.IGNORECASE | re.MULTILINE)
_LATEX: Final = re.compile(r"^[^%\n]*?\\(?:usepackage|RequirePackage)\[([-\w]+)\]\{inputenc\}", re.ASCII | re.MULTILINE)
_HTML: Final = re.compile(r"\s*<(?:!doctype\s+html|html)\b", re.IGNORECASE)
_HTML_COMMENT: Final = re.compile(r"<!--.*?(?:-->|$)", re.DOTALL)
_SHEBANG: Final = re.compile(r"#!.*\b(?:python|ruby)")
_LINE_END: Final = re.compile(r"\r\n?|\n")

_HTML_ENDINGS: Final = (".html", ".htm", ".xhtml", ".shtml")
_LATEX_ENDINGS: Final = (".tex", ".ltx", ".sty", ".cls")
_COMMENT_ENDINGS: Final = (".py", ".pyi", ".pyw", ".pyx", ".pxd", ".pxi", ".rb", ".rake", ".gemspec")
"""Files whose language reads `# coding: NAME`; in others such a comment may be prose."""

_NOT_DECLARED: Final = frozenset({"undecided", "no-conversion", "raw-text", "binary", "prefer-utf-8"})
"""Names of Emacs that leave the encoding open."""

_ALIASES: Final = {
    "ansinew": "cp1252",
    "applemac": "mac-roman",
    "iso-latin-1": "latin-1",
    "utf-8-emacs": "utf-8",
    "utf-8-bom": "utf-8-sig",
    "utf8x": "utf-8",
    "utf-16be": "utf-16-be",
    "utf-16le": "utf-16-le",
    "windows-874": "cp874",
    "x-gbk": "gbk",
    "x-sjis": "shift_jis",
    "x-mac-cyrillic": "mac-cyrillic",
}
_LINE_END_SUFFIX: Final = re.compile(r"-(?:unix|dos|mac)$")
_TEXT_CODECS: Final = re.compile(
    r"utf-8(?:-sig)?|utf-(?:16|32)(?:-[lb]e)?|ascii|iso8859-\d+|cp\d+|koi8-[rtu]|mac-\w+|shift_jis\w*|euc_\w+|gb\w+"
    r"|big5\w*|iso2022_\w+|hz|johab|tis-620|kz1048|ptcp154|hp-roman8"
)
"""Python's names of encodings that files are written in. Its other codecs transform text (rot13, idna, punycode,
unicode_escape), or are a known way to smuggle text past a reader (utf-7)."""


def declared_encoding(head: str, path: str = "") -> str:
    """Return the encoding name that a file declares, as it is written there; empty when there is none.

    Args:
        head: How its text begins; bytes are read as Latin-1 for that.
        path: The file's path, which tells its language.
    """
    head = head[:HEAD]
    if head.startswith("<?xml"):
        found = _XML.match(head)
        return found[1] if found else ""
    ending = os.path.splitext(path)[1].lower()
    if ending == ".css":
        return _utf_8_for_utf_16(_CSS.match(head))
    if ending in _HTML_ENDINGS or _HTML.match(head):
        return _utf_8_for_utf_16(_META.search(_HTML_COMMENT.sub("", head)))
    if ending in (".po", ".pot") and (found := _PO.search(head)) and found[1] != "CHARSET":  # a template leaves it open
        return found[1]
    if ending in _LATEX_ENDINGS and (found := _LATEX.search(head)):
        return found[1]
    return _in_first_lines(head, ending)


def _utf_8_for_utf_16(found: re.Match[str] | None) -> str:
    """Apply the rule of HTML and CSS: a declaration that can be read as ASCII cannot mean UTF-16."""
    name = found[1] if found else ""
    return "utf-8" if name.lower().startswith("utf-16") else name


def _in_first_lines(head: str, ending: str) -> str:
    first, *rest = _LINE_END.split(head, maxsplit=2)[:2]
    is_code = ending in _COMMENT_ENDINGS or _SHEBANG.match(first)
    for line in (first, *(rest if not is_code or _COMMENT_OR_BLANK.match(first) else ())):
        found = _EMACS.search(line) or _VIM.search(line) or (_COMMENT.match(line) if is_code else None)
        if found and found[1].lower() not in _NOT_DECLARED:
            return found[1]
    return ""


def codec_name(declared: str) -> str:
    """Return Python's name for a declared encoding; empty when it is no encoding that a text file can be in."""
    plain = _LINE_END_SUFFIX.sub("", declared.strip().lower().replace("_", "-"))
    try:
        found = codecs.lookup(_ALIASES.get(plain, plain)).name
        if not _TEXT_CODECS.fullmatch(found):
            return ""
        # EBCDIC cannot be declared in readable letters.
        return found if is_wide(found) or b"<?# coding".decode(found) == "<?# coding" else ""
    except (LookupError, ValueError):
        return ""


def is_wide(name: str) -> bool:
    """Report whether an encoding takes two or four bytes for every ASCII character."""
    return name.startswith(("utf-16", "utf-32"))


UTF_8_BOM: Final = codecs.BOM_UTF8

_MARKED: Final = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
"""The longer marks first: one begins with another."""

_BINARY_BEGINNINGS: Final = (b"%PDF-", b"PK\x03\x04", b"\x1f\x8b", b"\xfd7zXZ", b"(\xb5/\xfd", b"\x7fELF")
"""Formats whose first bytes may well look like text."""

_BZIP: Final = re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)")

_SAMPLE: Final = 4096
"""How many bytes tell whether something is UTF-16 without a mark."""

_FEWEST_UNITS: Final = 8
"""How many characters it takes to tell: a few letters with zero bytes between them may be anything."""

_MOST_CONTROLS: Final = 0.30
_FEWEST_BYTES: Final = 512
"""How many bytes it takes to call UTF-8 no text for that: a short one may well be a few control characters."""

_CONTROLS: Final = bytes(set(range(32)) - set(b"\a\b\t\n\v\f\r\x1b") | {127})
"""Bytes that text does not have; logs have colours, bells and backspaces."""

_ESCAPED: Final = re.compile("[\udc80-\udcff]")
_ISO_2022: Final = re.compile(rb"\x1b\$[@-D()*+]")
"""How a part in another alphabet begins in ISO-2022: its letters are bytes that look like ASCII."""

UNDECLARED: Final = "it is not UTF-8 and does not declare its encoding"


class Encoding(NamedTuple):
    """How bytes become text and text becomes bytes again.

    Attributes:
        name: Python's name for it.
        bom: The mark that the bytes begin with; none for most.
        errors: What happens to bytes that are no text.
        declared: The name that the file itself declares; empty when it declares none.
        problem: Why the encoding is uncertain; empty when it is not. The text is an assumption then: it comes back as
            the same bytes, but other letters must not be added to it.
        stateful: Whether not even ASCII text can be added safely.
        note: What a reader should know about an encoding that is certain.
    """

    name: str
    bom: bytes = b""
    errors: str = "strict"
    declared: str = ""
    problem: str = ""
    stateful: bool = False
    note: str = ""


def encoding_of(data: bytes, path: str = "", charset: str = "") -> Encoding:
    """Return the encoding in which all bytes of a file become text that turns into the same bytes again.

    A byte order mark decides, then what the file declares, then its .editorconfig, then the bytes.

    Args:
        data: All bytes.
        path: The file's path, which tells how it would declare an encoding.
        charset: What .editorconfig says; empty when it says nothing.
    """
    if data.startswith(UTF_8_BOM):
        return Encoding("utf-8", UTF_8_BOM, "surrogateescape")
    for bom, name in _MARKED:
        if data.startswith(bom) and _decodes(data[len(bom) :], name, "surrogatepass"):
            return Encoding(name, bom, "surrogatepass")
    unmarked = _unmarked_utf_16(data[:_SAMPLE])
    if unmarked and _decodes(data, unmarked):
        return Encoding(unmarked)
    if declared := declared_encoding(data[:HEAD].decode("latin-1"), path):
        return encoding_of_part(data, declared)
    return encoding_of_part(data, charset=charset if data else "")


def encoding_for(text: str, path: str = "", charset: str = "") -> Encoding:
    """Return the encoding in which a text is written that replaces a whole file, or is in no file yet.

    Args:
        text: The text.
        path: The file's path, which tells how it would declare an encoding.
        charset: What .editorconfig says; empty when it says nothing.
    """
    declared = declared_encoding(text[:HEAD], path)
    says = f"it declares the encoding {declared!r}" if declared else f".editorconfig sets the charset {charset!r}"
    name = codec_name(declared or charset or "utf-8")
    if not name or (declared and is_wide(name) and not text.startswith("<?xml")):
        return Encoding("utf-8", declared=declared, problem=f"{says}, which this file cannot be written in")
    if name in ("utf-8", "utf-8-sig"):
        bom = UTF_8_BOM if name == "utf-8-sig" and not text.startswith("\ufeff") else b""
        return Encoding("utf-8", bom, "surrogateescape", declared)
    if is_wide(name):
        name = _wide_name(name)
        bom = next(mark for mark, wide in _MARKED if wide == name)
        return Encoding(name, b"" if text.startswith("\ufeff") else bom, declared=declared)
    return Encoding(name, declared=declared)


def encoding_of_head(head: bytes, *, whole: bool, path: str = "", charset: str = "") -> Encoding:
    """Return the encoding that a file's first bytes tell; a character cut in two at their end does not matter.

    Args:
        head: The first bytes.
        whole: Whether they are all of the file.
        path: The file's path, which tells how it would declare an encoding.
        charset: What .editorconfig says; empty when it says nothing.
    """
    if whole:
        return encoding_of(head, path, charset)
    for bom, name in _MARKED:
        if head.startswith(bom):
            return Encoding(name, bom, "surrogatepass")
    unmarked = _unmarked_utf_16(head[:_SAMPLE])
    if unmarked:
        return Encoding(unmarked)
    cut = encoding_of(whole_characters(head), path, charset)
    if cut.problem:  # a character of another encoding may be cut, too, but none goes beyond a line
        lines = head[: head.rfind(b"\n") + 1]
        return encoding_of(lines, path, charset) if lines else cut
    return cut


def encoding_of_part(data: bytes, declared: str = "", charset: str = "") -> Encoding:
    """Return the encoding of some lines of a file, in which there are no marks.

    Args:
        data: Their bytes.
        declared: What the file declares; empty when it declares nothing.
        charset: What .editorconfig says; empty when it says nothing.
    """
    if declared:
        return _stated(data, declared, f"it declares the encoding {declared!r}")._replace(declared=declared)
    if charset:
        return _stated(data, charset, f".editorconfig sets the charset {charset!r}", for_many=True)
    return _by_bytes(data)


def whole_characters(data: bytes) -> bytes:
    """Return bytes that were cut off somewhere, without the beginning of a UTF-8 character at their end."""
    for back in range(1, min(4, len(data) + 1)):
        byte = data[-back]
        if byte >= 0xC0:
            size = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return data[:-back] if size > back else data
        if byte < 0x80:
            break
    return data


def is_binary(head: bytes, charset: str = "") -> bool:
    """Report whether a file's first bytes are no text; a character cut in two at their end does not matter.

    Args:
        head: The first bytes.
        charset: What .editorconfig says; empty when it says nothing.
    """
    if head.startswith(_BINARY_BEGINNINGS) or _BZIP.match(head):
        return True
    marks = [*_MARKED, (b"", _wide_name(codec_name(charset)))] if charset and b"\0" in head else _MARKED
    for bom, name in marks:
        if name and head.startswith(bom):
            return _mostly_controls(codecs.getincrementaldecoder(name)("replace").decode(head[len(bom) :]))
    if _unmarked_utf_16(head[:_SAMPLE]):
        return False
    if b"\0" in head:
        return True
    if len(head) < _FEWEST_BYTES and _decodes(head, "utf-8"):
        return False
    return len(head) - len(head.translate(None, _CONTROLS)) > _MOST_CONTROLS * len(head)


def _stated(data: bytes, label: str, says: str, *, for_many: bool = False) -> Encoding:
    """Return a stated encoding, as far as the bytes agree with it.

    Args:
        data: All bytes.
        label: The name of the encoding.
        says: Who states it, for a message.
        for_many: Whether the statement covers many files, of which some may be UTF-8. A declaration in the file itself
            describes its own bytes, and was read as ASCII.
    """
    name = codec_name(label).removesuffix("-sig")
    seen = _by_bytes(data)
    if not name:
        return seen._replace(problem=f"{says}, which is not a supported text encoding")
    if name == "utf-8" and seen.name == "utf-8" and not seen.problem:
        return seen
    is_utf_8 = not data.isascii() and seen.name == "utf-8" and not seen.problem
    if is_wide(name):
        name = _wide_name(name)
        if for_many and b"\0" in data and _decodes(data, name):
            return Encoding(name)
    elif _comes_back(data, name, "strict") and not (for_many and is_utf_8):
        return Encoding(name, note=f"The bytes are valid UTF-8, too, but {says}." if is_utf_8 else "")
    elif seen.problem and name not in ("utf-8", "ascii") and _comes_back(data, name, "surrogateescape"):
        return Encoding(name, errors="surrogateescape", note=f"Some bytes are not valid {name}; edits keep them.")
    but = "its bytes are valid UTF-8" if not seen.problem else "its bytes are not valid in it"
    return seen._replace(problem=f"{says}, but {but}")


def _by_bytes(data: bytes) -> Encoding:
    utf_8 = Encoding("utf-8", errors="surrogateescape")
    if b"\x1b$" in data and _ISO_2022.search(data):
        utf_8 = utf_8._replace(problem="it has the escape sequences of an ISO-2022 encoding", stateful=True)
    if _decodes(data, "utf-8"):
        return utf_8
    text = data.decode("utf-8", "surrogateescape")
    special = len(text) - len(text.encode("ascii", "ignore"))
    broken = len(_ESCAPED.findall(text))
    if special > 2 * broken:  # more characters of UTF-8 than bytes that are none
        return utf_8
    return Encoding("cp1252" if _decodes(data, "cp1252") else "latin-1", problem=UNDECLARED, stateful=utf_8.stateful)


def _unmarked_utf_16(head: bytes) -> str | None:
    """Most characters of most languages' files are ASCII, so every other byte is zero and the others are not."""
    units = len(head) // 2
    first, second = head[0 : 2 * units : 2], head[1 : 2 * units : 2]
    for name, zeros, letters in (("utf-16-le", second, first), ("utf-16-be", first, second)):
        if units >= _FEWEST_UNITS and 2 * zeros.count(0) >= units and 0 not in letters:
            plain = bytes(letter for letter, zero in zip(letters, zeros, strict=True) if not zero)
            return name if len(plain) == len(plain.translate(None, _CONTROLS)) else None
    return None


def _wide_name(name: str) -> str:
    """Return the name of a wide encoding with its byte order, the usual one unless stated; empty for other names."""
    if not is_wide(name):
        return ""
    return name if name.endswith("e") else f"{name}-le"


def _mostly_controls(text: str) -> bool:
    controls = sum(character < " " and character not in "\a\b\t\n\v\f\r\x1b" for character in text)
    return controls > _MOST_CONTROLS * len(text)


def _decodes(data: bytes, name: str, errors: str = "strict") -> bool:
    try:
        data.decode(name, errors)
    except UnicodeError:
        return False
    return True


def _comes_back(data: bytes, name: str, errors: str) -> bool:
    """Report whether bytes become text that turns into the same bytes again: not every codec has one way only."""
    try:
        return data.decode(name, errors).encode(name, errors) == data
    except UnicodeError:
        return False
