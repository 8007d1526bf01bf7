"""The rules of a guarded client, and the route to a host."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import zip_longest
from math import inf

from hermes_net.addresses import Address
from hermes_net.checks import allowed_addresses, refusal_verdict, require_allowed_target
from hermes_net.errors import Refusal, UrlRefusedError
from hermes_net.hosts import parse_host, require_allowed_name
from hermes_net.policy import NetLimits, NetPolicy
from hermes_net.proxies import Proxies, Proxy
from hermes_net.resolver import Resolver
from hermes_net.urls import Target, parse_url

_MAX_TRIED = 6
"""If this many addresses do not answer, more will not help."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """The route to a host: checked addresses, or a proxy.

    Attributes:
        addresses: The checked addresses of the host.
        proxy: The proxy, if any.
        target: What the proxy connects to; None when it fetches the page itself.
    """

    addresses: tuple[str, ...]
    proxy: Proxy | None = None
    target: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientRules:
    """The rules of one client."""

    policy: NetPolicy
    limits: NetLimits
    resolver: Resolver | None
    proxies: Proxies

    def check(self, url: str, *, redirected: bool) -> Target:
        """Parse a URL and check its text.

        Raises:
            UrlRefusedError: it may not be fetched.
        """
        host = ""
        try:
            target = parse_url(url)
            host = target.host
            require_allowed_target(target, self.policy, redirected=redirected)
        except Refusal as refusal:
            raise UrlRefusedError(refusal_verdict(refusal, host)) from None
        return target

    def route(self, scheme: str, host: str, port: int, seconds: float = inf) -> Route:
        """Return the route to a host; its addresses must not be resolved again.

        Args:
            scheme: The scheme of the URL.
            host: The host.
            port: The port.
            seconds: The remaining time for the DNS lookup.

        Raises:
            UrlRefusedError: the host may not be reached.
        """
        policy = replace(self.policy, resolve_seconds=min(self.policy.resolve_seconds, seconds))
        try:
            name, literal = parse_host(f"[{host}]" if ":" in host else host)
            require_allowed_name(name, allow_private=policy.allow_private)
            found = allowed_addresses(name, literal, self.resolver, policy)
        except Refusal as refusal:
            raise UrlRefusedError(refusal_verdict(refusal, host)) from None
        addresses = tuple(map(str, _in_turn(found)[:_MAX_TRIED]))
        proxy = self.proxies.proxy_for(scheme, name, port)
        if proxy is None:
            return Route(addresses=addresses)
        if self.policy.proxy_targets == "address":
            # The proxy may lack IPv6, but rarely lacks IPv4.
            target = next((address for address in addresses if ":" not in address), addresses[0])
            return Route(addresses=addresses, proxy=proxy, target=target)
        return Route(addresses=addresses, proxy=proxy, target=None if self.forwards(scheme, name, port) else name)

    def forwards(self, scheme: str, host: str, port: int) -> Proxy | None:
        """Return the proxy that fetches pages of a host itself: an HTTP proxy that gets names, for plain HTTP."""
        proxy = self.proxies.proxy_for(scheme, host, port)
        fetches = self.policy.proxy_targets == "name" and scheme == "http"
        return proxy if proxy and fetches and proxy.scheme in ("http", "https") else None


def _in_turn(addresses: tuple[Address, ...]) -> list[Address]:
    """Alternate IPv4 and IPv6 addresses, because one kind may be unreachable."""
    first = [address for address in addresses if address.version == addresses[0].version]
    second = [address for address in addresses if address.version != addresses[0].version]
    return [address for pair in zip_longest(first, second) for address in pair if address is not None]
