"""Check whether a URL may be fetched, and create HTTP clients that connect only to checked addresses.

Names are imported on first use: checking a URL loads no HTTP client.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_net.blocklist import WebsiteBlocklist
    from hermes_net.checks import acheck_url, check_url
    from hermes_net.client import guarded_async_client, guarded_client
    from hermes_net.errors import NetError, NetSettingsError, ResponseLimitError, UrlRefusedError, UrlVerdict
    from hermes_net.policy import NetLimits, NetPolicy
    from hermes_net.proxies import Proxies
    from hermes_net.resolver import Resolver
    from hermes_net.schema import SECURITY_SCHEMA

__version__ = "1.0.0"

__all__ = [
    "SECURITY_SCHEMA",
    "NetError",
    "NetLimits",
    "NetPolicy",
    "NetSettingsError",
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

_MODULES = {"SECURITY_SCHEMA": "schema", "Proxies": "proxies", "Resolver": "resolver", "WebsiteBlocklist": "blocklist"}
_MODULES |= dict.fromkeys(("NetError", "NetSettingsError", "ResponseLimitError", "UrlRefusedError"), "errors")
_MODULES |= {"UrlVerdict": "errors", "NetLimits": "policy", "NetPolicy": "policy"}
_MODULES |= {"acheck_url": "checks", "check_url": "checks"}
_MODULES |= {"guarded_async_client": "client", "guarded_client": "client"}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
