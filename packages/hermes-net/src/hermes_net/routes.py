"""What a guarded client asks before it does anything: may this be fetched, where is it, and which way leads there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import zip_longest
from math import inf

from hermes_net.addresses import Address
from hermes_net.checks import allowed_addresses, refused, require_allowed_target
from hermes_net.errors import Refusal, UrlRefusedError
from hermes_net.hosts import read_host
from hermes_net.names import require_allowed_name
from hermes_net.policy import NetLimits, NetPolicy
from hermes_net.proxies import Proxies, Proxy
from hermes_net.resolver import Resolver
from hermes_net.urls import Target, read_url

_MOST_TRIED = 6
"""A host with more addresses than this that do not answer will not answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """How a host is reached: by addresses that were checked, or by a proxy.

    Attributes:
        addresses: The addresses of the host, each of which may be reached.
        proxy: The proxy in between.
        target: What that proxy is to connect to; none when it is to fetch for itself what it is asked for.
    """

    addresses: tuple[str, ...]
    proxy: Proxy | None = None
    target: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """The rules of one client."""

    policy: NetPolicy
    limits: NetLimits
    resolver: Resolver | None
    proxies: Proxies

    def admit(self, url: str, *, redirected: bool) -> Target:
        """Where a URL leads that may be fetched, as far as its text tells.

        Raises:
            UrlRefusedError: it may not be.
        """
        host = ""
        try:
            target = read_url(url)
            host = target.host
            require_allowed_target(target, self.policy, redirected=redirected)
        except Refusal as refusal:
            raise UrlRefusedError(refused(refusal, host)) from None
        return target

    def way(self, scheme: str, host: str, port: int, seconds: float = inf) -> Way:
        """How a host is reached now. Whoever goes this way does not look the name up again.

        Args:
            scheme: The scheme of the URL.
            host: Its host.
            port: Its port.
            seconds: The time that is left to look the name up.

        Raises:
            UrlRefusedError: it may not be reached.
        """
        policy = replace(self.policy, resolve_seconds=min(self.policy.resolve_seconds, seconds))
        try:
            name, literal = read_host(f"[{host}]" if ":" in host else host)
            require_allowed_name(name, allow_private=policy.allow_private)
            found = allowed_addresses(name, literal, self.resolver, policy)
        except Refusal as refusal:
            raise UrlRefusedError(refused(refusal, host)) from None
        addresses = tuple(map(str, _in_turn(found)[:_MOST_TRIED]))
        proxy = self.proxies.of(scheme, name, port)
        if proxy is None:
            return Way(addresses=addresses)
        if self.policy.proxy_targets == "address":
            # It is not known whether the proxy has IPv6, and seldom does one have nothing else.
            target = next((address for address in addresses if ":" not in address), addresses[0])
            return Way(addresses=addresses, proxy=proxy, target=target)
        return Way(addresses=addresses, proxy=proxy, target=None if self.forwards(scheme, name, port) else name)

    def forwards(self, scheme: str, host: str, port: int) -> Proxy | None:
        """The proxy that fetches a host's pages itself: what HTTP proxies do with plain HTTP, if they get names."""
        proxy = self.proxies.of(scheme, host, port)
        fetches = self.policy.proxy_targets == "name" and scheme == "http"
        return proxy if proxy and fetches and proxy.scheme in ("http", "https") else None


def _in_turn(addresses: tuple[Address, ...]) -> list[Address]:
    """Addresses of both kinds in turn, beginning with the first: one kind may lead nowhere from here."""
    first = [address for address in addresses if address.version == addresses[0].version]
    second = [address for address in addresses if address.version != addresses[0].version]
    return [address for pair in zip_longest(first, second) for address in pair if address is not None]
