"""What guards requests to the network: whether a URL may be fetched, and clients that reach nothing else.

Names are imported when they are first used: checking a URL needs no HTTP client.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_core.net.blocklist import WebsiteBlocklist
    from hermes_core.net.checking import acheck_url, check_url
    from hermes_core.net.client import guarded_async_client, guarded_client
    from hermes_core.net.limits import NetLimits
    from hermes_core.net.policy import NetPolicy
    from hermes_core.net.proxies import Proxies
    from hermes_core.net.resolving import Resolver
    from hermes_core.net.verdict import ResponseLimitError, UrlRefusedError, UrlVerdict

__all__ = [
    "NetLimits",
    "NetPolicy",
    "Proxies",
    "Resolver",
    "ResponseLimitError",
    "UrlRefusedError",
    "UrlVerdict",
    "WebsiteBlocklist",
    "acheck_url",
    "check_url",
    "guarded_async_client",
    "guarded_client",
]

_HOMES = {
    "NetLimits": "limits",
    "NetPolicy": "policy",
    "Proxies": "proxies",
    "Resolver": "resolving",
    "ResponseLimitError": "verdict",
    "UrlRefusedError": "verdict",
    "UrlVerdict": "verdict",
    "WebsiteBlocklist": "blocklist",
    "acheck_url": "checking",
    "check_url": "checking",
    "guarded_async_client": "client",
    "guarded_client": "client",
}


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
