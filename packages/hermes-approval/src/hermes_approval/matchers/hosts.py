"""Matches URLs against hosts.

Programs do not agree about URLs: some decode escapes, drop line breaks, turn backslashes round, read `0x7f.1` as an
address or map `ß` to `ss`. A rule that guards has to consider each of them; a permission applies only where all of them
agree.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator

from hermes_approval.matchers.rule_error import RuleError, quote

_NUMBER = r"(?:0x[0-9a-f]*|[0-9]+)"
_IPV4 = re.compile(rf"{_NUMBER}(?:\.{_NUMBER}){{0,3}}\.?")
_IPV4_IN_TEXT = re.compile(
    rf"(?<![\w.-])(?:(?<=[/@\\:])|(?={_NUMBER}\.)|(?=0x|[0-9]{{8}})){_NUMBER}(?:\.{_NUMBER}){{0,3}}(?!\w|\.\w)"
)
"""A short number alone is an address only where a host may begin."""

_IPV6_IN_TEXT = re.compile(r"(?<![\w:])[0-9a-f]{0,4}:[0-9a-f:.]{1,45}")
_MAX_DIGITS = 60
"""No program reads a longer number as an address."""


def addresses_of(host: str) -> set[str]:
    """Return every address that a program may read a lower-case host as; none for a name."""
    if ":" in host:
        return _of_ipv6(host)
    return _of_numbers(host) if _IPV4.fullmatch(host) else set()


def addresses_in(text: str) -> Iterator[str]:
    """Yield every address that a program may find anywhere in a lower-case text."""
    for found in set(_IPV4_IN_TEXT.findall(text)):
        yield from _of_numbers(found)
    if "::" in text or text.count(":") > 5:
        for found in set(_IPV6_IN_TEXT.findall(text)):
            yield from _of_ipv6(found.rstrip("."))


def _of_numbers(host: str) -> set[str]:
    """Read one to four numbers, each decimal, octal or hexadecimal; the last one fills the rest of the 32 bits.

    Programs disagree about leading zeros and numbers that are too large, so there may be several readings.
    """
    parts = host.rstrip(".").split(".")
    if any(len(part) > _MAX_DIGITS for part in parts):
        return set()
    found = set()
    for octal in (True, False):
        numbers = [_number(part, octal=octal) for part in parts]
        if None not in numbers:
            *first, last = (number or 0 for number in numbers)
            value = last % 256 ** (4 - len(first))
            for place, number in enumerate(first):
                value += number % 256 << 8 * (3 - place)
            found.add(".".join(str(byte) for byte in value.to_bytes(4, "big")))
    return found


def _number(part: str, *, octal: bool) -> int | None:
    try:
        if part.startswith("0x"):
            return int(part[2:] or "0", 16)
        return int(part, 8 if octal and part.startswith("0") else 10)
    except ValueError:
        return None


def _of_ipv6(host: str) -> set[str]:
    from ipaddress import IPv4Address, IPv6Address

    try:
        address = IPv6Address(host.strip("[]").partition("%")[0])
    except ValueError:
        return set()
    within = [address.ipv4_mapped, address.sixtofour]
    if int(address) >> 32 in (0, 0x64FF9B << 64):  # IPv4 within IPv6: deprecated form, NAT64
        within.append(IPv4Address(int(address) & 0xFFFFFFFF))
    return {str(address), *(str(inner) for inner in within if inner is not None)}


_EXAMPLE = '{host: [example.org, "*.example.org"]}'
_PATTERN = re.compile(r"(?:\*\.)?[^\s/*?#@:\[\]\\%]+|\*")

# -- where all programs agree ----------------------------------------------------------------------------------------

_SCHEMES = ("http://", "https://", "ws://", "wss://")
_MAX_AUTHORITY = 300
"""A host name has at most 253 characters, a port five."""
_AUTHORITY_END = re.compile(r"[/?#]")
_AUTHORITY = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^\[\]@:%\\]+)(?::[0-9]{0,5})?")
_LABEL = re.compile(r"[a-z0-9_-]{1,63}")
_BLANK = re.compile(r"[\s\x00-\x1f\x7f]")


def host_of(url: str) -> str | None:
    """Return the host of a URL in canonical form: lower case, IDNA, without a dot at the end.

    None for everything that parsers disagree about: user names, backslashes, escapes, missing slashes, and blanks,
    after which another URL might follow.
    """
    scheme = next((each for each in _SCHEMES if url[: len(each)].lower() == each), None)
    if scheme is None or _BLANK.search(url):
        return None
    rest = url[len(scheme) : len(scheme) + _MAX_AUTHORITY + 1]
    authority = _AUTHORITY_END.split(rest, maxsplit=1)[0]
    found = _AUTHORITY.fullmatch(authority)
    return host_name(found[1]) if found and len(authority) <= _MAX_AUTHORITY else None


def host_name(host: str) -> str | None:
    """Return a host in canonical form; None if it is not a host, or programs could read it differently."""
    if host.startswith("["):
        return _address(host[1:-1]) if host.endswith("]") else None
    labels = [_label(label) for label in host.removesuffix(".").split(".")]
    name = ".".join(label or "" for label in labels)
    return name if all(labels) and len(name) <= 253 else None


def host_matches(pattern: str, host: str) -> bool:
    """Return True if a host, or a pattern of hosts, is the pattern or within it."""
    return pattern == host or (pattern.startswith("*.") and host.endswith(pattern[1:]))


def _label(label: str) -> str | None:
    if not label.isascii():
        label = _encoded(label) or ""
    label = label.lower()
    return label if _LABEL.fullmatch(label) else None


def _encoded(label: str) -> str | None:
    """Return a label in ASCII if every version of IDNA agrees: nothing to map, no sharp s, no joiners."""
    lower = label.lower()
    if unicodedata.normalize("NFKC", label) != label or unicodedata.normalize("NFKC", lower) != lower:
        return None
    if lower.casefold() != lower or not lower.replace("-", "").isalnum():
        return None
    return "xn--" + lower.encode("punycode").decode("ascii")


def _address(text: str) -> str | None:
    from ipaddress import AddressValueError, IPv6Address

    try:
        return f"[{IPv6Address(text)}]"
    except AddressValueError:
        return None


# -- conditions of rules ---------------------------------------------------------------------------------------------


def compile_host(pattern: object, *, strict: bool) -> Callable[[str], bool]:
    """Return a function that checks whether a text is a URL of a host.

    `example.org` is only that name, `*.example.org` every subdomain, `*` every host. Case, port, a final dot and the
    spelling of international names do not matter. With `strict`, one reading is enough, addresses match in every
    spelling, and other text matches if the host may be anywhere in it. Otherwise the text must be a URL that no program
    could read differently.

    Raises:
        RuleError: the pattern is not a host.
    """
    if isinstance(pattern, str) and ":" in pattern:
        address = _address(pattern.removeprefix("[").removesuffix("]"))
        if address is not None:
            return _guard(address) if strict else _permission(address)
    elif isinstance(pattern, str) and _PATTERN.fullmatch(pattern) and not _is_wild_address(pattern):
        return _guard(pattern) if strict else _permission(pattern)
    reason = f"{quote(pattern)} is not a host: write a name without scheme, port and path."
    raise RuleError(reason, example=_EXAMPLE)


def _is_wild_address(pattern: str) -> bool:
    return pattern.startswith("*.") and bool(addresses_of(pattern.rstrip(".").rpartition(".")[2].lower()))


def _permission(pattern: str) -> Callable[[str], bool]:
    if pattern == "*":
        return lambda text: host_of(text) is not None
    name = host_name(pattern.removeprefix("*."))
    if name is None and pattern[0] != ".":
        reason = f"{quote(pattern)} can be read in several ways, and a permission needs one: write it as xn--...."
        raise RuleError(reason, example=_EXAMPLE)
    allowed = f"*.{name}" if pattern.startswith("*.") else name or "."

    def is_host(text: str) -> bool:
        host = host_of(text)
        return host is not None and host_matches(allowed, host)

    return is_host


# -- where any program may see a host --------------------------------------------------------------------------------

_BLANKS = "".join(map(chr, range(33)))
_PLAIN_URL = re.compile(
    r"[A-Za-z][A-Za-z0-9+.-]*://"
    r"(?:[A-Za-z0-9._~!$&'()*+,;=:-]*@)?"
    r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)"
    r"(?::[0-9]{1,5})?"
    r"(?:[/?#][^\s\x00-\x1f\x7f]*)?"
)
"""A URL whose host all programs agree about, except for the spelling of addresses."""

_PATH = re.compile(r"(?:file://)?/(?:[A-Za-z0-9._~@+-][^\s\x00-\x1f\x7f]*)?")
"""A path in a file system, which no program takes for a URL."""

_NO_MORE_THAN_A_SCHEME = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*:)?[/\\:]*")
_MENTION = re.compile(r"[/\\]|\w\.\w")
_DROPPED = re.compile(r"[\t\r\n]")
_IGNORED = re.compile("[\u00ad\u034f\u180b-\u180d\u200b-\u200d\u2060\ufe00-\ufe0f\ufeff]")
"""Characters that some or all versions of IDNA map to nothing."""

_ENCODED_LABEL = re.compile(r"xn--[a-z0-9-]{1,59}")


def _guard(pattern: str) -> Callable[[str], bool]:
    if pattern == "*":
        return _has_host
    wild = pattern.startswith("*.")
    name = pattern.removeprefix("*.").strip("[]").lower()
    names = {name.rstrip(".")} if name.isascii() else _readings(name)
    below = tuple(f".{each}" for each in names)
    addresses = set() if wild else addresses_of(name)
    foreign = not name.isascii() or "xn--" in name
    spoken = _spoken(name, decode=foreign).rstrip(".")
    # A subdomain may have any prefix that some program takes for a part of the name.
    before = r"\." if wild else r"(?<![\w.-])\.*"
    found = re.compile(before + re.escape(spoken) + r"(?![\w-]|\.[\w-])")

    def is_host(text: str) -> bool:
        text = text.strip(_BLANKS)
        plain = _PLAIN_URL.fullmatch(text)
        if plain is not None:
            host = plain[1].lower().rstrip(".")
            if addresses:
                return not addresses.isdisjoint(addresses_of(host.strip("[]")))
            return host.endswith(below) if wild else host in names
        if _PATH.fullmatch(text):
            return False
        for reading in _spellings(text, decode=foreign):
            if spoken in reading and found.search(reading):
                return True
            if addresses and not addresses.isdisjoint(addresses_in(reading)):
                return True
        return bool(addresses) and not addresses.isdisjoint(addresses_of(text.lower()))

    return is_host


def _has_host(text: str) -> bool:
    """Return True if a text may be the URL of any host: without blanks, or with a slash or a dotted name."""
    text = text.strip(_BLANKS)
    if _PLAIN_URL.fullmatch(text):
        return True
    if _NO_MORE_THAN_A_SCHEME.fullmatch(text) or _PATH.fullmatch(text):
        return False
    return _BLANK.search(text) is None or any(map(_MENTION.search, _spellings(text, decode=False)))


def _readings(name: str) -> set[str]:
    """Return a name in ASCII, by the old IDNA and by the new one, which keeps sharp s, final sigma and joiners."""
    labels = unicodedata.normalize("NFKC", name).replace("。", ".").rstrip(".").split(".")
    new = ".".join(_punycode(label.lower()) for label in labels)
    old = ".".join(_punycode(_IGNORED.sub("", unicodedata.normalize("NFKC", label.casefold()))) for label in labels)
    return {new, old}


def _punycode(label: str) -> str:
    return label if label.isascii() else "xn--" + label.encode("punycode").decode("ascii")


def _spellings(text: str, *, decode: bool) -> Iterator[str]:
    """Yield a text as programs may see it, with escapes decoded or not, and line breaks dropped or not."""
    yield _spoken(text, decode=decode)
    broken = _DROPPED.search(text) is not None
    if broken:
        yield _spoken(_DROPPED.sub("", text), decode=decode)
    if "%" in text:
        from urllib.parse import unquote

        unescaped = unquote(text)
        yield _spoken(unescaped, decode=decode)
        if broken or _DROPPED.search(unescaped):
            yield _spoken(_DROPPED.sub("", unescaped), decode=decode)


def _spoken(text: str, *, decode: bool) -> str:
    """Return a text in lower case and without ignored characters; with `decode`, with letters in place of codes."""
    if not text.isascii():
        text = _IGNORED.sub("", unicodedata.normalize("NFKC", text)).replace("。", ".")
    text = text.lower()
    if decode and "xn--" in text:
        text = _ENCODED_LABEL.sub(_decoded, text)
    return text if text.isascii() else _IGNORED.sub("", unicodedata.normalize("NFKC", text.casefold()))


def _decoded(label: re.Match[str]) -> str:
    try:
        return label[0][4:].encode().decode("punycode")
    except UnicodeError:
        return label[0]
