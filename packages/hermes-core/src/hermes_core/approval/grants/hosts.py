"""The host that every program finds in a URL; a URL that programs could read in two ways has none."""

from __future__ import annotations

import re
import unicodedata

_SCHEMES = ("http://", "https://", "ws://", "wss://")
_MAX_AUTHORITY = 300
"""A host name has at most 253 characters; a port has five."""
_AUTHORITY_END = re.compile(r"[/?#]")
_AUTHORITY = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^\[\]@:%\\]+)(?::[0-9]{0,5})?")
_LABEL = re.compile(r"[a-z0-9_-]{1,63}")


def host_of(url: str) -> str | None:
    """The host of a URL in its one spelling: lower case, IDNA, no dot at the end.

    None for everything that parsers disagree about: user names, backslashes, escapes, white space, missing slashes.
    """
    scheme = next((each for each in _SCHEMES if url[: len(each)].lower() == each), None)
    if scheme is None:
        return None
    rest = url[len(scheme) : len(scheme) + _MAX_AUTHORITY + 1]
    authority = _AUTHORITY_END.split(rest, maxsplit=1)[0]
    found = _AUTHORITY.fullmatch(authority)
    return host_name(found[1]) if found and len(authority) <= _MAX_AUTHORITY else None


def host_name(host: str) -> str | None:
    """A host in its one spelling; None when it is none, or programs could spell it differently."""
    if host.startswith("["):
        return _address(host[1:-1]) if host.endswith("]") else None
    labels = [_label(label) for label in host.removesuffix(".").split(".")]
    name = ".".join(label or "" for label in labels)
    return name if all(labels) and len(name) <= 253 else None


def host_matches(pattern: str, host: str) -> bool:
    """Whether a host, or a pattern of hosts, lies within a pattern: the same, or below `*.`."""
    return pattern == host or (pattern.startswith("*.") and host.endswith(pattern[1:]))


def _label(label: str) -> str | None:
    if not label.isascii():
        label = _encoded(label) or ""
    label = label.lower()
    return label if _LABEL.fullmatch(label) else None


def _encoded(label: str) -> str | None:
    """A label in ASCII, when every version of IDNA agrees: nothing to map, no sharp s, no joiners."""
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
