"""Classify IP addresses: public, private, reserved, or a cloud metadata service."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

from hermes_net.errors import Refusal

Address = IPv4Address | IPv6Address

METADATA, PRIVATE, RESERVED = "metadata", "private", "reserved"
"""Never allowed; allowed with `allow_private`; never allowed."""

# Listed here because `ipaddress` changes its idea of global addresses between Python versions.
_IPV4 = """
metadata 169.254.0.0/16      a link-local address, where clouds serve credentials
metadata 100.100.100.200/32  a cloud metadata service
metadata 168.63.129.16/32    the host of a virtual machine
metadata 192.0.0.192/32      a cloud metadata service
private  0.0.0.0/32          this machine
private  127.0.0.0/8         this machine
private  10.0.0.0/8          a private network
private  172.16.0.0/12       a private network
private  192.168.0.0/16      a private network
private  100.64.0.0/10       a carrier-grade NAT network
private  198.18.0.0/15       a benchmarking network
reserved 0.0.0.0/8           the current network
reserved 192.0.0.0/24        reserved for protocols
reserved 192.0.2.0/24        reserved for documentation
reserved 198.51.100.0/24     reserved for documentation
reserved 203.0.113.0/24      reserved for documentation
reserved 192.88.99.0/24      a deprecated relay
reserved 224.0.0.0/4         a multicast address
reserved 240.0.0.0/4         reserved
"""

_IPV6 = """
metadata fd00:ec2::/32       a cloud metadata service
metadata fd20:ce::254/128    a cloud metadata service
metadata fd00:42::42/128     a cloud metadata service
private  ::/128              this machine
private  ::1/128             this machine
private  fc00::/7            a private network
private  fec0::/10           a private network
reserved 64:ff9b:1::/48      a local translator
reserved fe80::/10           a link-local address
reserved ff00::/8            a multicast address
reserved 2001::/23           reserved for protocols
reserved 2001:db8::/32       reserved for documentation
reserved 3fff::/20           reserved for documentation
"""

_GLOBAL_IPV6 = IPv6Network("2000::/3")
_NO_FORMS = frozenset({IPv6Address("::"), IPv6Address("::1")})
_LAST_32 = 0xFFFFFFFF
_CLOUD = IPv4Address("169.254.169.254")


def require_allowed(address: Address, *, allow_private: bool) -> None:
    """Require a public address.

    An IPv6 address that embeds an IPv4 address is judged by that one.

    Raises:
        Refusal: the address is not public.
    """
    inner = () if isinstance(address, IPv4Address) else tuple(_within(address))
    for leads_to in inner:
        _require_own(leads_to, allow_private=allow_private, shown=address)
    if not inner or not any(address in net for net in _ONLY_FORMS):
        _require_own(address, allow_private=allow_private, shown=address)


def _require_own(address: Address, *, allow_private: bool, shown: Address) -> None:
    kind, words = _kind(address)
    if kind and not (allow_private and kind == PRIVATE):
        leads = f"{shown} embeds {address}, " if address != shown else f"{address} is "
        raise Refusal(kind, leads + words + ".")


def _kind(address: Address) -> tuple[str, str]:
    """Return the kind of an address and its description; empty when it is public."""
    if isinstance(address, IPv4Address):
        return next(((kind, words) for net, kind, words in _ipv4() if address in net), ("", ""))
    if int(address) & _LAST_32 == int(_CLOUD):  # any prefix: a translator would map it to that address
        return METADATA, "a cloud metadata service"
    found = next(((kind, words) for net, kind, words in _ipv6() if address in net), None)
    return found or (("", "") if address in _GLOBAL_IPV6 else (RESERVED, "not globally routable"))


# IPv4 within IPv6

_MAPPED = IPv6Network("::ffff:0:0/96")
_TRANSLATED = IPv6Network("::ffff:0:0:0/96")
_COMPATIBLE = IPv6Network("::/96")
_NAT64 = IPv6Network("64:ff9b::/96")
_LOCAL_NAT64 = IPv6Network("64:ff9b:1::/48")
_SIX_TO_FOUR = IPv6Network("2002::/16")
_TEREDO = IPv6Network("2001::/32")
_AT_THE_END = (_MAPPED, _TRANSLATED, _COMPATIBLE, _NAT64)
_ONLY_FORMS = (*_AT_THE_END, _SIX_TO_FOUR, _TEREDO)
"""Such an address has no meaning beyond its embedded IPv4 address."""
_ISATAP = frozenset({0x00005EFE, 0x02005EFE, 0x01005EFE, 0x03005EFE})


def _within(address: IPv6Address) -> Iterator[IPv4Address]:
    """Yield every IPv4 address that is embedded in an IPv6 address."""
    value = int(address)
    last = IPv4Address(value & _LAST_32)
    if address in _NO_FORMS:
        return
    if any(address in net for net in _AT_THE_END):
        yield last
    elif address in _SIX_TO_FOUR:
        yield IPv4Address(value >> 80 & _LAST_32)
    elif address in _TEREDO:
        yield IPv4Address(value >> 64 & _LAST_32)
        yield IPv4Address(~value & _LAST_32)
    elif address in _LOCAL_NAT64:
        yield last
        if middle := (value >> 64 & 0xFFFF) << 16 | value >> 40 & 0xFFFF:  # the 8 bits in between are zero
            yield IPv4Address(middle)
    if value >> 32 & _LAST_32 in _ISATAP:
        yield last


@cache
def _ipv4() -> tuple[tuple[IPv4Network, str, str], ...]:
    return tuple((IPv4Network(net), kind, words) for kind, net, words in _lines(_IPV4))


@cache
def _ipv6() -> tuple[tuple[IPv6Network, str, str], ...]:
    return tuple((IPv6Network(net), kind, words) for kind, net, words in _lines(_IPV6))


def _lines(table: str) -> Iterator[tuple[str, str, str]]:
    for line in table.strip().splitlines():
        kind, net, words = line.split(maxsplit=2)
        yield kind, net, words
