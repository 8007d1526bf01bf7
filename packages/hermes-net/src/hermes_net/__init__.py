"""Check whether a URL may be fetched, and create HTTP clients that connect only to checked addresses.

A name is imported from its module when it is first used: checking a URL loads no HTTP client.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_net.blocklist import WebsiteBlocklist as WebsiteBlocklist
    from hermes_net.checks import acheck_url as acheck_url
    from hermes_net.checks import check_url as check_url
    from hermes_net.client import guarded_async_client as guarded_async_client
    from hermes_net.client import guarded_client as guarded_client
    from hermes_net.errors import NetError as NetError
    from hermes_net.errors import NetSettingsError as NetSettingsError
    from hermes_net.errors import ResponseLimitError as ResponseLimitError
    from hermes_net.errors import UrlRefusedError as UrlRefusedError
    from hermes_net.errors import UrlVerdict as UrlVerdict
    from hermes_net.policy import NetLimits as NetLimits
    from hermes_net.policy import NetPolicy as NetPolicy
    from hermes_net.proxies import Proxies as Proxies
    from hermes_net.resolver import Resolver as Resolver
    from hermes_net.schema import SECURITY_SCHEMA as SECURITY_SCHEMA

    __all__: list[str]
else:
    from hermes_text.lazy_names import lazy_names

    __all__, __getattr__, __dir__ = lazy_names()

__version__ = "1.0.0"
