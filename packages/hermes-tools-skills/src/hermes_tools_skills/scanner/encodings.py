"""Finds and decodes encoded text: nested base64, base85, hex, compression, rotation and reversal, within limits."""

import base64
import binascii
import codecs
import re
import zlib
from collections.abc import Callable, Iterator
from typing import NamedTuple

from hermes_tools_skills.scanner.source import MAX_LAYERS

#: More decoded text than this is not read; a longer payload is still recognised by its beginning.
MAX_DECODED = 2 * 1024 * 1024
_BLOB = re.compile(r"(?:[A-Za-z0-9+/_-]{24,}(?:\\?\r?\n[ \t]*[A-Za-z0-9+/_-]{24,})*={0,2})")
_HEX = re.compile(r"(?:\\x[0-9a-fA-F]{2}){8,}|\b(?:0x)?(?:[0-9a-fA-F]{2}){16,}\b|(?:\b0x[0-9a-fA-F]{2}[,\s]{1,3}){12,}")
_OCTAL = re.compile(r"(?:\\[0-3]?[0-7]{2}){8,}")
_PERCENT = re.compile(r"(?:%[0-9a-fA-F]{2}){8,}|(?:&#x?[0-9a-fA-F]{2,6};){8,}|(?:\\u00[0-9a-fA-F]{2}){8,}")
_NUMBERS = re.compile(r"(?:\b\d{2,3}\s*,\s*){15,}\d{2,3}\b")
_BASE85 = re.compile(r"""(?<=["'])[!-&(-~]{40,}(?=["'])""")
_BASE32 = re.compile(r"\b[A-Z2-7]{32,}={0,6}\b")
MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"\x7fELF", "a Linux program"),
    (b"MZ", "a Windows program"),
    (b"\xcf\xfa\xed\xfe", "a macOS program"),
    (b"\xce\xfa\xed\xfe", "a macOS program"),
    (b"\xca\xfe\xba\xbe", "Java bytecode or a macOS program"),
    (b"!<arch>", "a compiled library or package"),
    (b"dex\n", "Android bytecode"),
    (b"\xd0\xcf\x11\xe0", "an old Office document or installer"),
    (b"\x1bLua", "Lua bytecode"),
    (b"L\x00\x00\x00\x01\x14\x02\x00", "a Windows shortcut"),
)

#: Text that does something when a program runs it, or orders something when a model reads it.
ACTIVE = re.compile(
    r"""(?ix)
    \b(?:curl|wget|iwr|invoke-webrequest|invoke-expression|certutil|bitsadmin|mshta|nohup|chmod|crontab|launchctl|schtasks)\b\s+\S
    | \b(?:ba|z|k|da)?sh\s+-[ic]\b | /bin/(?:ba|z)?sh\b | /dev/(?:tcp|udp)/ | \|\s*(?:ba|z)?sh\b | \brm\s+-[rf]{1,2}\b
    | \b(?:exec|eval|compile|__import__|Function|execSync|spawn|system|popen|shell_exec|getattr|urlopen|atob|fetch)\s*\(
    | \bimport\s+(?:os|subprocess|socket|requests|urllib|ctypes|base64)\b
    | \bsubprocess\.|\bos\.(?:system|environ|popen) | \brequire\s*\(\s*["'](?:child_process|http|https|net|fs|os)["']
    | process\.env | powershell | \bsocket\. | \bnc\s+-\w | \bignore\s+(?:all\s+)?(?:previous|prior)\b
    | do\s+not\s+(?:tell|mention|inform)
    | \bbase64\b | \.ssh/ | \.aws/ | xmrig | stratum\+tcp
    """
)
_MARKUP = re.compile(r"(?is)\A\s*(?:<\?xml|<svg|<!doctype|<html|%PDF|\{\s*\"version\"\s*:\s*3)")


class Decoded(NamedTuple):
    """A text or binary that was hidden in another text."""

    offset: int
    how: str
    data: bytes

    @property
    def text(self) -> str:
        """The decoded text; empty when it is binary."""
        return readable(self.data)

    @property
    def program(self) -> str:
        """What kind of compiled program it is; empty when it is none."""
        return next((what for magic, what in MAGIC if self.data.startswith(magic) and len(self.data) > 64), "")

    @property
    def active(self) -> bool:
        """True for code, commands and orders, but not for pictures, certificates and other data."""
        text = self.text[:MAX_DECODED]
        return bool(text) and not _MARKUP.match(text) and ACTIVE.search(text) is not None


def readable(data: bytes) -> str:
    """Return bytes as text; empty when they are not text."""
    for encoding in ("utf-8", "utf-16-le"):
        if encoding == "utf-16-le" and (len(data) < 4 or b"\0" not in data[1:4:2]):
            continue
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        printable = sum(char.isprintable() or char in "\n\r\t" for char in text[:2000])
        return text if printable >= 0.95 * len(text[:2000]) and text.strip() else ""
    return ""


def find_encoded(text: str) -> Iterator[Decoded]:
    """Yield everything in a text that decodes to other text or to a program, through several layers."""
    for found in _candidates(text):
        yield from _deeper(found, 1)


def _candidates(text: str) -> Iterator[Decoded]:
    for pattern, decode in _PATTERNS:
        for match in pattern.finditer(text):
            data = decode(match.group())
            if data and (readable(data) or Decoded(0, "", data).program or unpack(data)):
                yield Decoded(match.start(), _NAMES[decode], data[:MAX_DECODED])


def _deeper(found: Decoded, layers: int) -> Iterator[Decoded]:
    yield found
    if layers >= MAX_LAYERS:
        return
    for how, data in layered(found.data):
        yield from _deeper(Decoded(found.offset, f"{found.how}, {how}", data), layers + 1)


def layered(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield what bytes decode to as a whole: one more layer."""
    unpacked = unpack(data)
    if unpacked:
        yield "compressed", unpacked
    text = readable(data).strip()
    if len(text) < 16:
        return
    for decode in (_base64, _hex, _base32, _base85):
        decoded = decode(text)
        if decoded and (readable(decoded) or unpack(decoded)):
            yield _NAMES[decode], decoded
            return
    for how, turned in (("reversed", text[::-1]), ("rot13", codecs.encode(text, "rot13"))):
        if ACTIVE.search(turned[:4096]) and not ACTIVE.search(text[:4096]):
            yield how, turned.encode("utf-8", "surrogatepass")


def unpack(data: bytes) -> bytes:
    """Decompress zlib, gzip, raw deflate headers and xz within the limit; empty when it is not compressed."""
    if data[:1] == b"\x78" or data[:2] == b"\x1f\x8b":
        try:
            return zlib.decompressobj(47).decompress(data, MAX_DECODED)
        except zlib.error:
            return b""
    if data[:3] == b"BZh":
        import bz2

        try:
            return bz2.BZ2Decompressor().decompress(data, MAX_DECODED)
        except OSError:
            return b""
    if data[:6] == b"\xfd7zXZ\x00":
        import lzma

        try:
            return lzma.LZMADecompressor().decompress(data, MAX_DECODED)
        except lzma.LZMAError:
            return b""
    return b""


_SPACE = re.compile(r"[\s\\]+")


def _base64(text: str) -> bytes:
    text = _SPACE.sub("", text).rstrip("=").replace("-", "+").replace("_", "/")
    if len(text) < 16 or len(text) % 4 == 1 or not re.fullmatch(r"[A-Za-z0-9+/]+", text):
        return b""
    try:
        return binascii.a2b_base64(text + "=" * (-len(text) % 4))
    except binascii.Error:
        return b""


def _hex(text: str) -> bytes:
    digits = re.sub(r"0x|\\x|[,\s]", "", text)
    return bytes.fromhex(digits) if len(digits) >= 16 and not len(digits) % 2 and _is_hex(digits) else b""


def _is_hex(text: str) -> bool:
    return re.fullmatch(r"[0-9a-fA-F]+", text) is not None


def _octal(text: str) -> bytes:
    return bytes(int(code, 8) & 255 for code in text.split("\\")[1:])


def _percent(text: str) -> bytes:
    codes = re.findall(r"%([0-9a-fA-F]{2})|&#x([0-9a-fA-F]+);|&#(\d+);|\\u00([0-9a-fA-F]{2})", text)
    numbers = [int(a or b or d, 16) if a or b or d else int(c) for a, b, c, d in codes]
    return "".join(map(chr, (number for number in numbers if number < 0xD800))).encode()


def _numbers(text: str) -> bytes:
    numbers = [int(number) for number in re.findall(r"\d+", text)]
    return bytes(numbers) if all(9 <= number < 127 for number in numbers) else b""


def _base85(text: str) -> bytes:
    for decode in (base64.b85decode, base64.a85decode):
        try:
            data = decode(text)
        except ValueError:
            continue
        if readable(data) or unpack(data):
            return data
    return b""


def _base32(text: str) -> bytes:
    text = text.rstrip("=")
    try:
        return base64.b32decode(text + "=" * (-len(text) % 8)) if len(text) >= 32 else b""
    except binascii.Error:
        return b""


_NAMES: dict[Callable[[str], bytes], str] = {
    _base64: "base64",
    _hex: "hexadecimal",
    _octal: "octal escapes",
    _percent: "character references",
    _numbers: "character codes",
    _base85: "base85",
    _base32: "base32",
}
_PATTERNS = (
    (_BLOB, _base64),
    (_HEX, _hex),
    (_OCTAL, _octal),
    (_PERCENT, _percent),
    (_NUMBERS, _numbers),
    (_BASE85, _base85),
    (_BASE32, _base32),
)
