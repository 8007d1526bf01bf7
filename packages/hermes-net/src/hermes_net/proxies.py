"""Which proxy a request goes through, as the environment says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_network
from typing import Self
from urllib.parse import unquote, urlsplit

from hermes_net.addresses import METADATA, require_allowed
from hermes_net.errors import NetSettingsError, Refusal
from hermes_net.hosts import read_host
from hermes_net.names import require_allowed_name

_PORTS = {"http": 80, "https": 443, "socks5": 1080, "socks5h": 1080}


@dataclass(frozen=True, slots=True, kw_only=True)
class Proxy:
    """A proxy: how it is spoken to, where it is, who is asking, and the variable that names it.

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
        """The proxy that a URL describes.

        Raises:
            NetSettingsError: it describes none, or one of an unknown kind.
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
    """A proxy may be anywhere but where clouds keep credentials: whoever says so wants to ask for those."""
    try:
        name, addresses = read_host(f"[{host.partition('%')[0]}]" if ":" in host else host)
        require_allowed_name(name, allow_private=True)
        for address in addresses:
            require_allowed(address, allow_private=True)
    except Refusal as refusal:
        if refusal.code == METADATA:
            raise NetSettingsError(f"names no proxy: {refusal.reason}", variable) from None


@dataclass(frozen=True, slots=True, kw_only=True)
class Proxies:
    """The proxies for the schemes of URLs, and the hosts that none is used for."""

    by_scheme: Mapping[str, Proxy]
    without: tuple[str, ...] = ()

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> Self:
        """What `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY` say, in either case; lower case goes first.

        Raises:
            NetSettingsError: one of them says what cannot be.
        """
        found: dict[str, Proxy] = {}
        for scheme in ("http", "https"):
            names = (f"{scheme}_proxy", f"{scheme}_proxy".upper(), "all_proxy", "ALL_PROXY")
            variable = next((name for name in names if environ.get(name, "").strip()), None)
            if variable == "HTTP_PROXY" and "REQUEST_METHOD" in environ:
                continue  # below a web server, that is a header which a stranger sent
            if variable is not None:
                found[scheme] = Proxy.from_url(environ[variable].strip(), variable=variable)
        without = environ.get("no_proxy") or environ.get("NO_PROXY") or ""
        return cls(by_scheme=found, without=tuple(without.lower().replace(",", " ").split()))

    def of(self, scheme: str, host: str, port: int) -> Proxy | None:
        """The proxy for a host, or none."""
        proxy = self.by_scheme.get(scheme)
        if proxy is None or any(_covers(entry, host.lower(), port) for entry in self.without):
            return None
        return proxy


def _covers(entry: str, host: str, port: int) -> bool:
    """Whether an entry of `NO_PROXY` is about a host: all, a domain and what is below it, an address, a network."""
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
