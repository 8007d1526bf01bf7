"""Find the encoding that a file declares about itself, and the codec that a declared name stands for."""

from __future__ import annotations

import codecs
import os
import re
from typing import Final

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
