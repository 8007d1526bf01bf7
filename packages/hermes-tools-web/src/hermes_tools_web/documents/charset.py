"""Decode the bytes of a text, even when its charset label is wrong or missing."""

from __future__ import annotations

import codecs
import re

from hermes_tools_web.documents.content_type import detect_wide_charset
from hermes_tools_web.text import word_set

_SUPERSETS = """
cp1252: ascii us-ascii iso-8859-1 iso8859-1 latin1 latin-1 windows-1252
gb18030: gb2312 gbk x-gbk gb_2312-80
cp932: shift_jis shift-jis sjis x-sjis windows-31j
cp949: euc-kr ks_c_5601-1987 ksc5601 windows-949
big5hkscs: big5 x-x-big5
euc_jp: x-euc-jp
cp1254: iso-8859-9
cp874: tis-620 windows-874
iso-8859-8: iso-8859-8-i
utf-8: utf8 unicode-1-1-utf-8
mac_roman: x-mac-roman macintosh
"""
"""The charsets that browsers use for some labels."""
_MEANT = {
    label: line.partition(":")[0]
    for line in _SUPERSETS.strip().splitlines()
    for label in line.partition(":")[2].split()
}
_UNFIT = word_set("utf7 utf16 utf16le utf16be utf32 utf32le utf32be idna punycode unicodeescape rawunicodeescape")
_GENERAL = {"cp1252", "utf-8"}
"""Default labels of servers; a declaration in the page is more reliable."""
_META = re.compile(rb"<meta[^>]{0,300}?charset\s*=\s*[\"']?\s*([\w.:-]{2,40})", re.IGNORECASE)
_DECLARED = re.compile(rb"^\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.:-]{2,40})[\"']", re.IGNORECASE)
_CSS_CHARSET = re.compile(rb"^@charset \"([\w.:-]{2,40})\"")
_LATIN = re.compile(
    r"cp125[02478]|iso8859_(?:1|2|3|4|9|10|13|14|15|16)\Z|latin_?\d|mac_(?!cyr|greek)"
    r"|cp(?:437|85\d|86\d|500|1140|037|273)"
)
"""Latin charsets are hard to distinguish: a label counts more than a guess."""
_SAMPLE = 48 * 1024
_NO_PROSE = re.compile(rb"<script.*?</script>|<style.*?</style>|<[^>]{0,2000}>|[\x00-\x1f]+", re.DOTALL)
_OF_SEVERAL_BYTES = word_set(
    "big5 big5hkscs cp932 cp949 cp950 euc_jis_2004 euc_jisx0213 euc_jp euc_kr gb18030 gb2312 gbk hz iso2022_jp johab "
    "shift_jis shift_jis_2004 shift_jisx0213 utf_8"
)
"""Multi-byte charsets: text rarely decodes with them by accident."""
_LETTERS = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_MANY_TIMES = 2
_OTHER_SCRIPT = re.compile(r"[^\x00-\x7f]+")
_IN_WORDS = re.compile(
    r"(?:(?<=[A-Za-z])[^\x00-\x7f]{1,2}(?![^\x00-\x7f])|(?<![^\x00-\x7f])[^\x00-\x7f]{1,2}(?=[A-Za-z]))"
)
_FEW = 6
"""Up to this many non-ASCII bytes can be valid UTF-8 by accident."""
_ESCAPED = {
    0xDC00 + byte: bytes([byte]).decode("cp1252", "replace").replace("\ufffd", "\u2022") for byte in range(128, 256)
}


def decode(body: bytes, label: str = "") -> str:
    """Decode a text.

    The byte order mark has priority, then the server's label, then the declaration in the text, each only if the bytes
    are valid. Otherwise the charset is guessed.
    """
    for mark, name in (
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
    ):
        if body.startswith(mark):
            return _tidy(body[len(mark) :].decode(name, "replace"))
    wide = detect_wide_charset(body)
    if wide:
        return _tidy(body.decode(wide, "replace"))
    return _tidy(_narrow_text(body, _known(label)))


def _narrow_text(body: bytes, label: str) -> str:
    if body.isascii() and b"\x1b$" not in body:
        return body.decode("ascii")
    declared = _declared(body[:8192])
    labels = [label, declared] if label not in _GENERAL else [declared, label]
    as_utf8 = _strict(body, "utf-8")
    if as_utf8 is not None and (_is_surely_utf8(as_utf8) or not any(labels)):
        return as_utf8
    for name in labels:
        text = _strict(body, name) if name and name != "cp1252" else None
        if text is not None and _is_plausible(text):
            return text
    if as_utf8 is not None:
        return as_utf8
    mostly = _mostly_utf8(body)
    if mostly is not None:
        return mostly
    guessed = _guess(body)
    if _is_mostly_latin(body) and (guessed not in _OF_SEVERAL_BYTES or _is_patched(body, guessed)):
        guessed = guess_latin_charset(_prose(body)[:_SAMPLE])
    if guessed and not ("cp1252" in labels and _LATIN.match(guessed)):
        text = _strict(body, guessed)
        if text is not None:
            return text
    return _least_damaged(body, [name for name in labels if name])


def _known(label: str) -> str:
    label = label.strip().lower().replace("_", "-") if label.lower() not in _MEANT else label.lower()
    name = _MEANT.get(label, label)
    if name.replace("-", "").replace("_", "") in _UNFIT:
        return ""  # the bytes contradict it, or it is not a charset for text
    try:
        b"a".decode(name)  # decoding an empty text never fails
    except (LookupError, ValueError):
        return ""
    return name


def _declared(head: bytes) -> str:
    for pattern in (_DECLARED, _META, _CSS_CHARSET):
        match = pattern.search(head)
        if match:
            return _known(match.group(1).decode("ascii"))
    return ""


def _strict(body: bytes, name: str) -> str | None:
    """Decode strictly; a truncated character at the end is allowed."""
    try:
        return body.decode(name)
    except UnicodeDecodeError as error:
        if error.start < len(body) - 4 or len(body) < 64:
            return None
        cut = error.start
    except (LookupError, ValueError):
        return None
    return body[:cut].decode(name, "replace")


def _is_surely_utf8(text: str) -> bool:
    return sum(char > "\x7f" for char in text[:200_000]) >= _FEW


def _is_plausible(text: str) -> bool:
    """Return whether there are few characters that occur when the charset is wrong."""
    odd = sum("\x80" <= char <= "\x9f" or "\ue000" <= char <= "\uf8ff" for char in text[:200_000])
    return odd <= len(text[:200_000]) * 0.001


def _mostly_utf8(body: bytes) -> str | None:
    """Decode UTF-8 mixed with some Windows-1252 bytes."""
    text = body.decode("utf-8", "surrogateescape")
    wrong = sum("\udc80" <= char <= "\udcff" for char in text)
    right = sum(char > "\x7f" for char in text) - wrong
    return text.translate(_ESCAPED) if right >= wrong * 2 else None


def _guess(body: bytes) -> str:
    if b"\x1b$" in body and body.isascii():
        return "iso2022_jp"
    from charset_normalizer import from_bytes

    prose = b" ".join(word for word in _prose(body).split(b" ") if not word.isascii())[:_SAMPLE]
    best = from_bytes(prose or body[:_SAMPLE]).best()
    name = best.encoding if best is not None else ""
    return _MEANT.get(name.replace("_", "-"), name)


def _is_mostly_latin(body: bytes) -> bool:
    """Return whether most letters are Latin, which excludes Cyrillic and Chinese."""
    prose = _prose(body)
    own = sum(byte > 0x7F for byte in prose)
    return len(prose) - len(prose.translate(None, _LETTERS)) >= _MANY_TIMES * own


def _is_patched(body: bytes, guessed: str) -> bool:
    """Return whether a charset puts single foreign characters into words, such as `gar輟n` for `garçon`."""
    text = _prose(body).decode(guessed, "replace")
    runs = len(_OTHER_SCRIPT.findall(text))
    return 2 * len(_IN_WORDS.findall(text)) >= runs


def _prose(body: bytes) -> bytes:
    """Return the first part of a text without markup and code."""
    return _NO_PROSE.sub(b" ", body[: _SAMPLE * 8])


def _least_damaged(body: bytes, names: list[str]) -> str:
    tried = [body.decode(name, "replace") for name in names if name != "cp1252"]
    best = min(tried, key=lambda text: text.count("\ufffd"), default="")
    if best and best.count("\ufffd") <= len(best) * 0.005:
        return best
    return body.decode("ascii", "surrogateescape").translate(_ESCAPED)


def _tidy(text: str) -> str:
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    return text.replace("\x00", "") if "\x00" in text else text


_LANGUAGES = {
    "cp1252": (
        "àâæçèéêëîïôœùûüÿ",  # French
        "äöüßé",  # German
        "áéíñóúüªº",  # Spanish
        "ãáâàçéêíóôõúüªº",  # Portuguese
        "àèéìíîòóùúªº",  # Italian
        "åäöéüà",  # Swedish, Finnish
        "æøåéóòôü",  # Danish, Norwegian
        "áéëïíóöúüèêçàâîôûñ",  # Dutch, and words that English borrowed
        "áéíóúýþæöð",  # Icelandic
        "àçèéíïòóúü",  # Catalan
    ),
    "cp1250": (
        "ąćęłńóśźż",  # Polish
        "áčďéěíňóřšťúůýž",  # Czech
        "áäčďéíĺľňóôŕšťúýž",  # Slovak
        "áéíóöőúüű",  # Hungarian
        "ăâîşţ",  # Romanian
        "čćđšž",  # Croatian, Slovenian
    ),
    "iso8859_2": ("ąćęłńóśźż", "áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "ăâîşţ", "čćđšž"),
    "cp1254": ("çğıöşüâîûi̇",),  # Turkish
    "cp1257": ("ąčęėįšųūž", "āčēģīķļņšūž", "äõöüšž"),  # Lithuanian, Latvian, Estonian
}
"""In the order of trial: the first is by far the most common for unlabeled text."""
_FALLBACK = "cp1252"
_NO_LETTERS = "³¹²¿¡¼½¾"


def guess_latin_charset(text: bytes) -> str:
    """Guess the charset of Latin text: the first in which all letters fit one language."""
    for name, languages in _LANGUAGES.items():
        letters = _letters(text, name)
        if letters is not None and any(letters <= set(language) for language in languages):
            return name
    return _FALLBACK


def _letters(text: bytes, name: str) -> set[str] | None:
    """Return the non-ASCII letters under a charset; None when it yields implausible characters."""
    read = text.decode(name, "replace")
    if any(_is_out_of_place(read, place) for place, char in enumerate(read) if char > "\x7f"):
        return None
    return {small for char in set(read) if char > "\x7f" and char.isalpha() for small in char.lower()}


def _is_out_of_place(text: str, place: int) -> bool:
    """Return whether a character is a control character, or a symbol between two letters."""
    char = text[place]
    if "\x80" <= char <= "\x9f" or char == "\ufffd":
        return True
    return char in _NO_LETTERS and text[place - 1 : place].isalpha() and text[place + 1 : place + 2].isalpha()
