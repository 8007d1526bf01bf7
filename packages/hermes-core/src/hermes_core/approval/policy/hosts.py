"""Whose URL it is, read the way browsers and libraries read it, even where they disagree."""

from __future__ import annotations

import re
from collections.abc import Callable

from hermes_core.approval.policy.mistake import Mistake, shown

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(?=//)|(?:https?|wss?|ftp):", re.IGNORECASE)
_AUTHORITY = re.compile(r"[^/?#]*")
_NAME = re.compile(r"(?:\*\.)?[^\s/*?#@:\[\]\\]+|\*")
_SPECIAL = re.compile(r"(?:https?|wss?|ftp):", re.IGNORECASE)
_BLANKS = "".join(map(chr, range(33)))
_REMOVED_BY_BROWSERS = str.maketrans("", "", "\t\r\n")
_MAX_HOST = 2000
"""Names end at 253 characters; some more, because they may be percent-encoded."""


def compile_host(pattern: object, *, strict: bool) -> Callable[[str], bool]:
    """A function that says whether a text is a URL of a host.

    `example.org` is that name alone, `*.example.org` every name below it, `*` every host. Case, port, user, password,
    a dot at the end and the spelling of international names and addresses make no difference. A text without a scheme
    counts as a URL when it has no blanks. Where readers disagree about whose URL a text is, as with `http://a\\@b`,
    one reading is enough with `strict`; else all must agree.

    Raises:
        Mistake: the pattern is not a host.
    """
    if not isinstance(pattern, str) or not _is_host(pattern):
        raise Mistake(
            f"{shown(pattern)} is not a host: write a name without scheme, port and path.",
            example='{host: [example.org, "*.example.org"]}',
        )
    wanted = _normal(pattern.removeprefix("*."))

    def fits(host: str) -> bool:
        if pattern == "*":
            return bool(host)
        return host.endswith("." + wanted) if pattern.startswith("*.") else host == wanted

    def is_host(text: str) -> bool:
        readings = hosts_in(text)
        return any(map(fits, readings)) if strict else bool(readings) and all(map(fits, readings))

    return is_host


def _is_host(pattern: str) -> bool:
    if ":" not in pattern:
        return _NAME.fullmatch(pattern) is not None
    import ipaddress

    try:
        ipaddress.IPv6Address(pattern.strip("[]"))
    except ValueError:
        return False
    return True


def hosts_in(text: str) -> set[str]:
    """Every host that a reader may take a URL to lead to; none when it is no URL."""
    text = text.strip(_BLANKS)
    as_browsers = text.translate(_REMOVED_BY_BROWSERS).replace("\\", "/")
    found = {_host(as_browsers), _host(text), _host(as_browsers, decode=True)}
    return found - {""}


def _host(url: str, *, decode: bool = False) -> str:
    scheme = _SCHEME.match(url)
    if scheme is None and url.startswith("/") and not url.startswith("//"):
        return ""  # a path
    rest = url[scheme.end() :] if scheme else url
    # Where a host must follow, browsers take any number of slashes before it.
    rest = rest.removeprefix("//") if scheme and not _SPECIAL.match(url) else rest.lstrip("/")
    authority = _AUTHORITY.match(rest)
    host = authority[0].rpartition("@")[2] if authority else ""
    if len(host) > _MAX_HOST or (scheme is None and re.search(r"\s", host)):
        return ""
    if decode and "%" in host:
        from urllib.parse import unquote

        host = unquote(host)
    return _normal(_without_port(host))


def _without_port(host: str) -> str:
    if host.startswith("["):
        return host.partition("]")[0] + "]"
    return host.partition(":")[0]


def _normal(host: str) -> str:
    """A host in the one spelling that all its spellings share."""
    host = host.strip(_BLANKS)
    if ":" in host:
        return _address(host.strip("[]"))
    if not host.isascii():
        import unicodedata

        host = unicodedata.normalize("NFKC", host).replace("。", ".")
        try:
            host = host.encode("idna").decode("ascii")
        except UnicodeError:  # no such name can be registered, but it can still be compared
            pass
    host = host.casefold().rstrip(".")
    return _numeric(host) if host[-1:].isdigit() or host[:2] == "0x" else host


def _address(host: str) -> str:
    import ipaddress

    try:
        address = ipaddress.IPv6Address(host.partition("%")[0])
    except ValueError:
        return host.casefold()
    return str(address.ipv4_mapped or address)


def _numeric(host: str) -> str:
    """`127.1`, `0x7f000001` and `2130706433` are `127.0.0.1` for most programs."""
    import socket

    try:
        return socket.inet_ntoa(socket.inet_aton(host))
    except (OSError, ValueError):
        return host
