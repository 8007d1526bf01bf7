"""Parse URLs that all programs interpret alike; the others are refused."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hermes_net.addresses import Address
from hermes_net.errors import Refusal
from hermes_net.hosts import parse_host

_MAX_URL = 65_536
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_DEFAULT_PORTS = {"http": 80, "https": 443}
_REFUSED_PORTS = frozenset(
    int(port)
    for port in """
    1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123 135
    137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993 995
    1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6379 6566 6665 6666 6667 6668 6669 6679 6697 10080 11211
    """.split()  # noqa: SIM905 - shorter than a list
)
"""Ports that browsers block, and those of two databases that execute any line."""
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_AUTHORITY_END = re.compile(r"[/?#]")
_AUTHORITY = re.compile(r"(?P<host>\[[^\[\]]*\]|[^\[\]:]*)(?::(?P<port>[0-9]{0,5}))?")
_SECOND_HOST = re.compile(r"\[[^\[\]]*\]|[^/?#:\\]*")
_AMBIGUOUS = re.compile(r"[\s\\%]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The target of a URL.

    Attributes:
        scheme: `http` or `https`.
        host: The normalized host.
        port: The port, explicit or default.
        literal: The addresses that the host spells out; empty for a name.
        path: The path.
        query: The query, without the question mark.
        fragment: The fragment. Servers do not get it, but others may.
    """

    scheme: str
    host: str
    port: int
    literal: tuple[Address, ...]
    path: str
    query: str
    fragment: str


def parse_url(url: object) -> Target:
    """Parse a URL.

    Raises:
        Refusal: it is invalid, not for the web, has credentials, or is ambiguous.
    """
    text = _plain(url)
    scheme, rest = _scheme(text)
    end = _AUTHORITY_END.search(rest)
    authority, tail = (rest, "") if end is None else (rest[: end.start()], rest[end.start() :])
    if "@" in authority:
        raise Refusal("credentials", "The URL contains a user name or password, or something that looks like one.")
    found = _AUTHORITY.fullmatch(authority)
    if _AMBIGUOUS.search(authority) or found is None:
        raise Refusal("spelling", f"Programs interpret the host of this URL differently: {authority[:80]!r}.")
    host, literal = parse_host(found["host"])
    _require_no_second_host(tail)
    before, _, fragment = tail.partition("#")
    path, _, query = before.partition("?")
    port = _port(found["port"], scheme)
    return Target(scheme=scheme, host=host, port=port, literal=literal, path=path, query=query, fragment=fragment)


def _plain(url: object) -> str:
    if not isinstance(url, str):
        raise Refusal("not_a_url", "The URL is not a string.")
    text = url.strip(" ")
    if len(text) > _MAX_URL:
        raise Refusal("not_a_url", "The URL is too long.")
    if _CONTROL.search(text):
        raise Refusal("spelling", "The URL contains line breaks, tabs or other control characters.")
    return text


def _scheme(text: str) -> tuple[str, str]:
    found = _SCHEME.match(text)
    if found is None:
        raise Refusal("not_a_url", "The URL does not start with http:// or https://.")
    scheme, rest = found[1].lower(), text[found.end() :]
    if scheme not in _DEFAULT_PORTS:
        raise Refusal("scheme", f"Only http and https are supported, not {found[1][:40]}.")
    if not rest.startswith("//") or rest[2:3] in ("/", "\\"):
        raise Refusal("spelling", "The scheme of the URL is not followed by exactly two slashes.")
    return scheme, rest[2:]


def _port(written: str | None, scheme: str) -> int:
    port = int(written) if written else _DEFAULT_PORTS[scheme]
    if not 0 < port < 65_536 or port in _REFUSED_PORTS:
        raise Refusal("port", f"Port {port} is not a web port.")
    return port


def _require_no_second_host(tail: str) -> None:
    """Refuse an address after the last `@` of a query or fragment: old parsers take it for the host."""
    if tail[:1] not in ("?", "#") or "@" not in tail:
        return
    written = _SECOND_HOST.match(tail, tail.rindex("@") + 1)
    try:
        name, addresses = parse_host(written[0] if written else "")
    except Refusal:
        return
    if addresses or name == "localhost":
        raise Refusal("spelling", f"Some programs would request this URL from {name}.")
