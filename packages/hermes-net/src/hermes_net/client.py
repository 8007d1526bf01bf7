"""HTTP clients that reach nothing but what may be fetched."""

from __future__ import annotations

import os
import ssl
from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from hermes_net.policy import DEFAULT_POLICY, NetLimits, NetPolicy
from hermes_net.proxies import Proxies
from hermes_net.resolver import Resolver
from hermes_net.routes import Gate

if TYPE_CHECKING:
    import httpcore2
    import httpx2

_DETOURS = ("transport", "mounts", "proxy", "trust_env", "verify", "cert", "http2", "limits", "max_redirects")


def guarded_client(
    *,
    policy: NetPolicy | None = None,
    limits: NetLimits | None = None,
    resolver: Resolver | None = None,
    environ: Mapping[str, str] | None = None,
    tls: ssl.SSLContext | None = None,
    backend: httpcore2.NetworkBackend | None = None,
    **options: Any,
) -> httpx2.Client:
    """Make an `httpx2.Client` for untrusted URLs, such as those that a model or a page wrote.

    It follows redirects, checks every step, and connects to the addresses that it checked. It raises
    `UrlRefusedError` for what may not be fetched and `ResponseLimitError` for what is too much.

    Args:
        policy: What may be fetched.
        limits: What a response may cost.
        resolver: What looks names up.
        environ: Where proxies are read from; not given means the environment of this process.
        tls: How certificates are verified; not given means as this machine does.
        backend: What opens connections to addresses that were checked.
        options: What else `httpx2.Client` takes, such as `headers`, `timeout` or `follow_redirects`.

    Raises:
        TypeError: an option would lead around the guard.
        NetSettingsError: the environment names an invalid proxy.
    """
    import httpx2

    from hermes_net.transports import GuardedTransport

    gate = _gate(policy, limits, resolver, environ)
    transport = GuardedTransport(gate, _maker(tls), backend)
    return httpx2.Client(transport=transport, **_options(gate, options))


def guarded_async_client(
    *,
    policy: NetPolicy | None = None,
    limits: NetLimits | None = None,
    resolver: Resolver | None = None,
    environ: Mapping[str, str] | None = None,
    tls: ssl.SSLContext | None = None,
    backend: httpcore2.AsyncNetworkBackend | None = None,
    **options: Any,
) -> httpx2.AsyncClient:
    """Make an `httpx2.AsyncClient` with the same guard, on asyncio and on trio; see `guarded_client`."""
    import httpx2

    from hermes_net.transports import AsyncGuardedTransport

    gate = _gate(policy, limits, resolver, environ)
    transport = AsyncGuardedTransport(gate, _maker(tls), backend)
    return httpx2.AsyncClient(transport=transport, **_options(gate, options))


def _maker(tls: ssl.SSLContext | None) -> Callable[[], ssl.SSLContext]:
    if tls is not None:
        return lambda: tls
    return lambda: _system_tls(*map(os.environ.get, ("SSL_CERT_FILE", "SSL_CERT_DIR")))


@cache
def _system_tls(*_: str | None) -> ssl.SSLContext:
    """How this machine verifies certificates; reading them all takes a tenth of a second, so it is done once."""
    import httpx2

    return httpx2.create_ssl_context()


def _gate(
    policy: NetPolicy | None, limits: NetLimits | None, resolver: Resolver | None, environ: Mapping[str, str] | None
) -> Gate:
    return Gate(
        policy=policy or DEFAULT_POLICY,
        limits=limits or NetLimits(),
        resolver=resolver,
        proxies=Proxies.from_environment(os.environ if environ is None else environ),
    )


def _options(gate: Gate, options: dict[str, Any]) -> dict[str, Any]:
    import httpx2

    detours = sorted(set(options) & set(_DETOURS))
    if detours:
        raise TypeError(f"A guarded client takes no {' or '.join(detours)}: that would lead around the guard.")
    limits = gate.limits
    headers = httpx2.Headers({"Accept-Encoding": "gzip, deflate"})
    headers.update(options.pop("headers", None))
    timeout = httpx2.Timeout(limits.silent_seconds, connect=limits.connect_seconds)
    return {
        "follow_redirects": True,
        "timeout": timeout,
        **options,
        "headers": headers,
        "max_redirects": limits.redirects,
        "trust_env": False,  # its own proxies would lead around the guard, and .netrc would send passwords
    }
