"""Addresses in all the spellings that programs take: `127.1`, `0x7f000001` and `[::ffff:7f00:1]` are `127.0.0.1`."""

from __future__ import annotations

import re
from collections.abc import Iterator

_NUMBER = r"(?:0x[0-9a-f]*|[0-9]+)"
_IPV4 = re.compile(rf"{_NUMBER}(?:\.{_NUMBER}){{0,3}}\.?")
_IPV4_IN_TEXT = re.compile(
    rf"(?<![\w.-])(?:(?<=[/@\\:])|(?={_NUMBER}\.)|(?=0x|[0-9]{{8}})){_NUMBER}(?:\.{_NUMBER}){{0,3}}(?!\w|\.\w)"
)
"""A short number that stands alone is an address only where a host may begin."""

_IPV6_IN_TEXT = re.compile(r"(?<![\w:])[0-9a-f]{0,4}:[0-9a-f:.]{1,45}")
_MAX_DIGITS = 60
"""Longer numbers are no address for anybody."""


def addresses_of(host: str) -> set[str]:
    """Every address that a program may take a host in lower case for; none when it is a name."""
    if ":" in host:
        return _of_ipv6(host)
    return _of_numbers(host) if _IPV4.fullmatch(host) else set()


def addresses_in(text: str) -> Iterator[str]:
    """Every address that a program may find somewhere in a text in lower case."""
    for found in set(_IPV4_IN_TEXT.findall(text)):
        yield from _of_numbers(found)
    if "::" in text or text.count(":") > 5:
        for found in set(_IPV6_IN_TEXT.findall(text)):
            yield from _of_ipv6(found.rstrip("."))


def _of_numbers(host: str) -> set[str]:
    """One to four numbers, each decimal, octal or hexadecimal; the last fills what is left of the 32 bits.

    Programs disagree about a leading zero and about numbers that are too large, so there may be several readings.
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
    if int(address) >> 32 in (0, 0x64FF9B << 64):  # the old way to write IPv4 in IPv6, and what NAT64 makes of it
        within.append(IPv4Address(int(address) & 0xFFFFFFFF))
    return {str(address), *(str(inner) for inner in within if inner is not None)}
