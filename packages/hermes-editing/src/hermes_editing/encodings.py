"""Detect the encoding of a file from its bytes, its own declaration and .editorconfig, and whether it is text."""

from __future__ import annotations

import codecs
import os
import re
from typing import Final, NamedTuple

HEAD: Final = 1024
"""How many characters are searched: HTML requires its declaration this early."""

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
"""Files whose language uses `# coding: NAME`; elsewhere such a comment may be prose."""

_NOT_DECLARED: Final = frozenset({"undecided", "no-conversion", "raw-text", "binary", "prefer-utf-8"})
"""Emacs names that leave the encoding open."""

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
"""Python's codecs for text files. Its other codecs transform text (rot13, idna, punycode, unicode_escape), or are a
known way to smuggle text past a reader (utf-7).
"""


def declared_encoding(head: str, path: str = "") -> str:
    """Return the encoding that a file declares, as written there; empty if there is none.

    Args:
        head: The beginning of its text; decode bytes as Latin-1.
        path: The path of the file, which determines its language.
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
    if (
        ending in (".po", ".pot") and (found := _PO.search(head)) and found[1] != "CHARSET"
    ):  # the placeholder of templates
        return found[1]
    if ending in _LATEX_ENDINGS and (found := _LATEX.search(head)):
        return found[1]
    return _in_first_lines(head, ending)


def _utf_8_for_utf_16(found: re.Match[str] | None) -> str:
    """Apply the rule of HTML and CSS: a declaration that is readable as ASCII cannot mean UTF-16."""
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
    """Return Python's name of a declared encoding; empty if it is not an encoding for text files."""
    plain = _LINE_END_SUFFIX.sub("", declared.strip().lower().replace("_", "-"))
    try:
        found = codecs.lookup(_ALIASES.get(plain, plain)).name
        if not _TEXT_CODECS.fullmatch(found):
            return ""
        # EBCDIC cannot be declared in ASCII.
        return found if is_wide(found) or b"<?# coding".decode(found) == "<?# coding" else ""
    except (LookupError, ValueError):
        return ""


def is_wide(name: str) -> bool:
    """Return whether an encoding uses two or four bytes for every ASCII character."""
    return name.startswith(("utf-16", "utf-32"))


UTF_8_BOM: Final = codecs.BOM_UTF8

_MARKED: Final = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
"""Longer marks first, as one is a prefix of another."""

_BINARY_BEGINNINGS: Final = (b"%PDF-", b"PK\x03\x04", b"\x1f\x8b", b"\xfd7zXZ", b"(\xb5/\xfd", b"\x7fELF")
"""Formats whose first bytes may look like text."""

_BZIP: Final = re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)")

_SAMPLE: Final = 4096
"""How many bytes are examined to detect UTF-16 without a byte order mark."""

_FEWEST_UNITS: Final = 8
"""The minimum number of characters to detect it: a few letters between zero bytes may be anything."""

_MAX_CONTROLS: Final = 0.30
_FEWEST_BYTES: Final = 512
"""The minimum length of UTF-8 that counts as binary for its control characters."""

_CONTROLS: Final = bytes(set(range(32)) - set(b"\a\b\t\n\v\f\r\x1b") | {127})
"""Bytes that text does not contain; logs contain colors, bells and backspaces."""

_ESCAPED: Final = re.compile("[\udc80-\udcff]")
_ISO_2022: Final = re.compile(rb"\x1b\$[@-D()*+]")
"""The start of another character set in ISO-2022, whose characters are encoded like ASCII."""

UNDECLARED: Final = "it is not UTF-8 and does not declare its encoding"


class Encoding(NamedTuple):
    """A conversion between bytes and text that is lossless in both directions.

    Attributes:
        name: Python's name of the encoding.
        bom: The byte order mark; usually empty.
        errors: How invalid bytes are handled.
        declared: The encoding that the file itself declares; empty if there is none.
        problem: Why the encoding is uncertain; empty if it is certain. The text is then a guess: it converts to the
            same bytes, but non-ASCII characters must not be added.
        stateful: Whether not even ASCII text can be added safely.
        note: A remark about a certain encoding.
    """

    name: str
    bom: bytes = b""
    errors: str = "strict"
    declared: str = ""
    problem: str = ""
    stateful: bool = False
    note: str = ""


def encoding_of(data: bytes, path: str = "", charset: str = "") -> Encoding:
    """Return the encoding of a file.

    The byte order mark takes precedence, then the declaration in the file, then .editorconfig, then the bytes.

    Args:
        data: The whole content.
        path: The path of the file, which determines how it would declare an encoding.
        charset: The charset in .editorconfig; empty if there is none.
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
    """Return the encoding for a text that replaces a file or becomes a new one; arguments as for `encoding_of`."""
    declared = declared_encoding(text[:HEAD], path)
    says = f"it declares the encoding {declared!r}" if declared else f".editorconfig sets the charset {charset!r}"
    name = codec_name(declared or charset or "utf-8")
    if not name or (declared and is_wide(name) and not text.startswith("<?xml")):
        return Encoding("utf-8", declared=declared, problem=f"{says}, which cannot be used for this file")
    if name in ("utf-8", "utf-8-sig"):
        bom = UTF_8_BOM if name == "utf-8-sig" and not text.startswith("\ufeff") else b""
        return Encoding("utf-8", bom, "surrogateescape", declared)
    if is_wide(name):
        name = _wide_name(name)
        bom = next(mark for mark, wide in _MARKED if wide == name)
        return Encoding(name, b"" if text.startswith("\ufeff") else bom, declared=declared)
    return Encoding(name, declared=declared)


def encoding_of_head(head: bytes, *, whole: bool, path: str = "", charset: str = "") -> Encoding:
    """Return the encoding of a file from its first bytes, the last character of which may be incomplete.

    `whole` says that they are the whole file; the other arguments are those of `encoding_of`.
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
    if cut.problem:  # other encodings: ignore the incomplete last line
        lines = head[: head.rfind(b"\n") + 1]
        return encoding_of(lines, path, charset) if lines else cut
    return cut


def encoding_of_part(data: bytes, declared: str = "", charset: str = "") -> Encoding:
    """Return the encoding of lines from the middle of a file, given its declaration or the charset of .editorconfig."""
    if declared:
        return _check_stated(data, declared, f"it declares the encoding {declared!r}")._replace(declared=declared)
    if charset:
        return _check_stated(data, charset, f".editorconfig sets the charset {charset!r}", for_many=True)
    return _guess(data)


def whole_characters(data: bytes) -> bytes:
    """Remove an incomplete UTF-8 character from the end of truncated bytes."""
    for back in range(1, min(4, len(data) + 1)):
        byte = data[-back]
        if byte >= 0xC0:
            size = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return data[:-back] if size > back else data
        if byte < 0x80:
            break
    return data


def is_binary(head: bytes, charset: str = "") -> bool:
    """Return whether the first bytes of a file, the last character of which may be incomplete, are not text."""
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
    return len(head) - len(head.translate(None, _CONTROLS)) > _MAX_CONTROLS * len(head)


def _check_stated(data: bytes, label: str, says: str, *, for_many: bool = False) -> Encoding:
    """Return a stated encoding, as far as the bytes agree with it.

    Args:
        data: The whole content.
        label: The name of the encoding.
        says: Who states it, for a message.
        for_many: Whether the statement covers many files, some of which may be UTF-8. A declaration in the file itself
            describes its own bytes.
    """
    name = codec_name(label).removesuffix("-sig")
    seen = _guess(data)
    if not name:
        return seen._replace(problem=f"{says}, which is not a supported text encoding")
    if name == "utf-8" and seen.name == "utf-8" and not seen.problem:
        return seen
    is_utf_8 = not data.isascii() and seen.name == "utf-8" and not seen.problem
    if is_wide(name):
        name = _wide_name(name)
        if for_many and b"\0" in data and _decodes(data, name):
            return Encoding(name)
    elif _is_reversible(data, name, "strict") and not (for_many and is_utf_8):
        return Encoding(name, note=f"The bytes are valid UTF-8, too, but {says}." if is_utf_8 else "")
    elif seen.problem and name not in ("utf-8", "ascii") and _is_reversible(data, name, "surrogateescape"):
        return Encoding(name, errors="surrogateescape", note=f"Some bytes are not valid {name}; edits keep them.")
    but = "its bytes are valid UTF-8" if not seen.problem else "its bytes are not valid in it"
    return seen._replace(problem=f"{says}, but {but}")


def _guess(data: bytes) -> Encoding:
    utf_8 = Encoding("utf-8", errors="surrogateescape")
    if b"\x1b$" in data and _ISO_2022.search(data):
        utf_8 = utf_8._replace(problem="it has the escape sequences of an ISO-2022 encoding", stateful=True)
    if _decodes(data, "utf-8"):
        return utf_8
    text = data.decode("utf-8", "surrogateescape")
    special = len(text) - len(text.encode("ascii", "ignore"))
    broken = len(_ESCAPED.findall(text))
    if special > 2 * broken:  # mostly valid UTF-8
        return utf_8
    return Encoding("cp1252" if _decodes(data, "cp1252") else "latin-1", problem=UNDECLARED, stateful=utf_8.stateful)


def _unmarked_utf_16(head: bytes) -> str | None:
    """Detect UTF-16 without a mark: most characters are ASCII, so every other byte is zero."""
    units = len(head) // 2
    first, second = head[0 : 2 * units : 2], head[1 : 2 * units : 2]
    for name, zeros, letters in (("utf-16-le", second, first), ("utf-16-be", first, second)):
        if units >= _FEWEST_UNITS and 2 * zeros.count(0) >= units and 0 not in letters:
            plain = bytes(letter for letter, zero in zip(letters, zeros, strict=True) if not zero)
            return name if len(plain) == len(plain.translate(None, _CONTROLS)) else None
    return None


def _wide_name(name: str) -> str:
    """Return a wide encoding with its byte order, little-endian by default; empty for other encodings."""
    if not is_wide(name):
        return ""
    return name if name.endswith("e") else f"{name}-le"


def _mostly_controls(text: str) -> bool:
    controls = sum(character < " " and character not in "\a\b\t\n\v\f\r\x1b" for character in text)
    return controls > _MAX_CONTROLS * len(text)


def _decodes(data: bytes, name: str, errors: str = "strict") -> bool:
    try:
        data.decode(name, errors)
    except UnicodeError:
        return False
    return True


def _is_reversible(data: bytes, name: str, errors: str) -> bool:
    """Return whether bytes survive decoding and encoding: not every codec is reversible."""
    try:
        return data.decode(name, errors).encode(name, errors) == data
    except UnicodeError:
        return False
