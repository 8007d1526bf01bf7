"""HTTP clients that fetch only what is allowed."""

from __future__ import annotations

import os
import ssl
from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from hermes_net.policy import DEFAULT_POLICY, NetLimits, NetPolicy
from hermes_net.proxies import Proxies
from hermes_net.resolver import Resolver
from hermes_net.routes import ClientRules

if TYPE_CHECKING:
    import httpcore2
    import httpx2

_BYPASSES = ("transport", "mounts", "proxy", "trust_env", "verify", "cert", "http2", "limits", "max_redirects")


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
    """Create an `httpx2.Client` for untrusted URLs, such as those of a model or a page.

    It follows redirects, checks every step, and connects to the addresses it checked. It raises `UrlRefusedError` for
    refused URLs and `ResponseLimitError` for exceeded limits.

    Args:
        policy: What may be fetched.
        limits: The limits of a response.
        resolver: Resolves names.
        environ: The environment with the proxies; the default is that of this process.
        tls: How certificates are verified; the default is that of the system.
        backend: Opens connections to checked addresses.
        options: Other options of `httpx2.Client`, such as `headers`, `timeout` or `follow_redirects`.

    Raises:
        TypeError: an option would bypass the guard.
        NetSettingsError: the environment names an invalid proxy.
    """
    import httpx2

    from hermes_net.transports import GuardedTransport

    rules = _rules(policy, limits, resolver, environ)
    transport = GuardedTransport(rules, _maker(tls), backend)
    return httpx2.Client(transport=transport, **_options(rules, options))


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
    """Create an `httpx2.AsyncClient` with the same guard, for asyncio and trio; see `guarded_client`."""
    import httpx2

    from hermes_net.transports import AsyncGuardedTransport

    rules = _rules(policy, limits, resolver, environ)
    transport = AsyncGuardedTransport(rules, _maker(tls), backend)
    return httpx2.AsyncClient(transport=transport, **_options(rules, options))


def _maker(tls: ssl.SSLContext | None) -> Callable[[], ssl.SSLContext]:
    if tls is not None:
        return lambda: tls
    return lambda: _system_tls(*map(os.environ.get, ("SSL_CERT_FILE", "SSL_CERT_DIR")))


@cache
def _system_tls(*_: str | None) -> ssl.SSLContext:
    """Return the TLS context of the system; loading it takes a tenth of a second, so it is cached."""
    import httpx2

    return httpx2.create_ssl_context()


def _rules(
    policy: NetPolicy | None, limits: NetLimits | None, resolver: Resolver | None, environ: Mapping[str, str] | None
) -> ClientRules:
    return ClientRules(
        policy=policy or DEFAULT_POLICY,
        limits=limits or NetLimits(),
        resolver=resolver,
        proxies=Proxies.from_environment(os.environ if environ is None else environ),
    )


def _options(rules: ClientRules, options: dict[str, Any]) -> dict[str, Any]:
    import httpx2

    bypasses = sorted(set(options) & set(_BYPASSES))
    if bypasses:
        raise TypeError(f"A guarded client takes no {' or '.join(bypasses)}: that would bypass the guard.")
    limits = rules.limits
    headers = httpx2.Headers({"Accept-Encoding": "gzip, deflate"})
    headers.update(options.pop("headers", None))
    timeout = httpx2.Timeout(limits.silent_seconds, connect=limits.connect_seconds)
    return {
        "follow_redirects": True,
        "timeout": timeout,
        **options,
        "headers": headers,
        "max_redirects": limits.redirects,
        "trust_env": False,  # environment proxies would bypass the guard, and .netrc would send passwords
    }
