"""The proxies of the environment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_network
from typing import Self
from urllib.parse import unquote, urlsplit

from hermes_net.addresses import METADATA, require_allowed
from hermes_net.errors import NetSettingsError, Refusal
from hermes_net.hosts import parse_host, require_allowed_name

_PORTS = {"http": 80, "https": 443, "socks5": 1080, "socks5h": 1080}


@dataclass(frozen=True, slots=True, kw_only=True)
class Proxy:
    """A proxy.

    As text it is `proxy HOST:PORT (from VARIABLE)`, without the user and the password.
    """

    scheme: str
    host: str
    port: int
    user: str = field(default="", repr=False)
    password: str = field(default="", repr=False)
    variable: str = ""

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"proxy {host}:{self.port}" + (f" (from {self.variable})" if self.variable else "")

    @classmethod
    def from_url(cls, url: str, *, variable: str = "") -> Self:
        """Parse the URL of a proxy.

        Raises:
            NetSettingsError: it is invalid or of an unknown kind.
        """
        example = "HTTPS_PROXY=http://proxy.example.org:3128"
        try:
            parts = urlsplit(url if "://" in url else f"http://{url}")
            host, port = parts.hostname, parts.port
        except ValueError:
            raise NetSettingsError("is not the URL of a proxy.", variable, example) from None
        if parts.scheme not in _PORTS or not host:
            raise NetSettingsError("is not the URL of an HTTP or SOCKS5 proxy.", variable, example)
        _require_no_metadata(host, variable)
        user, password = unquote(parts.username or ""), unquote(parts.password or "")
        return cls(
            scheme=parts.scheme,
            host=host,
            port=port or _PORTS[parts.scheme],
            user=user,
            password=password,
            variable=variable,
        )


def _require_no_metadata(host: str, variable: str) -> None:
    """Refuse a metadata service as a proxy: requests to it would expose credentials."""
    try:
        name, addresses = parse_host(f"[{host.partition('%')[0]}]" if ":" in host else host)
        require_allowed_name(name, allow_private=True)
        for address in addresses:
            require_allowed(address, allow_private=True)
    except Refusal as refusal:
        if refusal.code == METADATA:
            raise NetSettingsError(f"names no proxy: {refusal.reason}", variable) from None


@dataclass(frozen=True, slots=True, kw_only=True)
class Proxies:
    """The proxies by URL scheme, and the hosts without a proxy."""

    by_scheme: Mapping[str, Proxy]
    without: tuple[str, ...] = ()

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> Self:
        """Read `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`; lower case has priority.

        Raises:
            NetSettingsError: a variable is invalid.
        """
        found: dict[str, Proxy] = {}
        for scheme in ("http", "https"):
            names = (f"{scheme}_proxy", f"{scheme}_proxy".upper(), "all_proxy", "ALL_PROXY")
            variable = next((name for name in names if environ.get(name, "").strip()), None)
            if variable == "HTTP_PROXY" and "REQUEST_METHOD" in environ:
                continue  # in CGI, this is a request header
            if variable is not None:
                found[scheme] = Proxy.from_url(environ[variable].strip(), variable=variable)
        without = environ.get("no_proxy") or environ.get("NO_PROXY") or ""
        return cls(by_scheme=found, without=tuple(without.lower().replace(",", " ").split()))

    def proxy_for(self, scheme: str, host: str, port: int) -> Proxy | None:
        """Return the proxy for a host, if any."""
        proxy = self.by_scheme.get(scheme)
        if proxy is None or any(_covers(entry, host.lower(), port) for entry in self.without):
            return None
        return proxy


def _covers(entry: str, host: str, port: int) -> bool:
    """Return whether an entry of `NO_PROXY` matches a host: `*`, a domain with subdomains, an address, a network."""
    if entry == "*" or _holds(entry.strip("[]"), host):
        return True
    name, colon, number = entry.rpartition(":")
    if colon and number.isdigit() and "]" not in number and (":" not in name or name.endswith("]")):
        return int(number) == port and (_holds(name.strip("[]"), host) or _is_below(name, host))
    return _is_below(entry, host)


def _is_below(domain: str, host: str) -> bool:
    domain = domain.removeprefix("*").removeprefix(".").removesuffix(".")
    return bool(domain) and (host == domain or host.endswith(f".{domain}"))


def _holds(network: str, host: str) -> bool:
    try:
        return ip_address(host) in ip_network(network, strict=False)
    except ValueError:
        return False
