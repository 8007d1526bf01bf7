"""The policy and the limits of guarded clients."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self

from hermes_net.blocklist import WebsiteBlocklist
from hermes_net.errors import NetSettingsError

_ALLOW, _ALLOW_VARIABLE = "allow_private_urls", "HERMES_ALLOW_PRIVATE_URLS"


@dataclass(frozen=True, slots=True, kw_only=True)
class NetPolicy:
    """What may be fetched.

    Attributes:
        allow_private: Allow private networks and this machine. Metadata services are never allowed.
        blocklist: Websites that are not fetched.
        keys_in_urls: Allow keys in URLs. Only for code that adds its own keys; never for URLs of a model.
        resolve_seconds: The time limit of a DNS lookup.
        proxy_targets: What a proxy connects to: the checked address, or the name, which the proxy resolves itself.
    """

    allow_private: bool = False
    blocklist: WebsiteBlocklist | None = None
    keys_in_urls: bool = False
    resolve_seconds: float = 5.0
    proxy_targets: Literal["address", "name"] = "address"

    @classmethod
    def from_settings(
        cls,
        section: Mapping[str, Any],
        *,
        home: Path | None = None,
        browser: Mapping[str, Any] | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> Self:
        """Make the policy from settings as `SECURITY_SCHEMA` describes them.

        Args:
            section: The settings, such as `ctx.settings("security")`.
            home: The directory of relative block list files, such as `ctx.home`.
            browser: The section `browser`, where older settings have `allow_private_urls`. It opens private
                addresses unless the environment sets `HERMES_ALLOW_PRIVATE_URLS`.
            environ: The environment; the default is that of this process.

        Raises:
            NetSettingsError: the block list has an invalid value.
        """
        return cls(
            allow_private=section.get(_ALLOW) is True or _is_allowed_by_browser(browser or {}, environ),
            blocklist=_blocklist(section.get("website_blocklist") or {}, home or Path()),
            proxy_targets="name" if section.get("proxy_targets") == "name" else "address",
        )


def _is_allowed_by_browser(browser: Mapping[str, Any], environ: Mapping[str, str] | None) -> bool:
    said = (os.environ if environ is None else environ).get(_ALLOW_VARIABLE, "").strip()
    return not said and browser.get(_ALLOW) is True


def _blocklist(listed: Any, home: Path) -> WebsiteBlocklist | None:
    key = "security.website_blocklist"
    if not isinstance(listed, Mapping):
        raise NetSettingsError("is not a section.", key, "{enabled: true, domains: [example.org]}")
    if not listed.get("enabled"):
        return None
    domains, files = (listed.get(name) or [] for name in ("domains", "shared_files"))
    for name, words in (("domains", domains), ("shared_files", files)):
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise NetSettingsError("is not a list of strings.", f"{key}.{name}", f"{name}: [example.org]")
    return WebsiteBlocklist(domains, [home / Path(file).expanduser() for file in files])


DEFAULT_POLICY = NetPolicy()


@dataclass(frozen=True, slots=True, kw_only=True)
class NetLimits:
    """The limits of a guarded client.

    Attributes:
        bytes: The size of a body, compressed and decompressed.
        ratio: The compression ratio, beyond the first mebibyte.
        seconds: The time of a request, including redirects and the body.
        connect_seconds: The time to connect to a server.
        silent_seconds: The time without data from the server.
        redirects: The number of redirects.
    """

    bytes: int = 32 * 1024 * 1024
    ratio: int = 200
    seconds: float = 60.0
    connect_seconds: float = 10.0
    silent_seconds: float = 15.0
    redirects: int = 10
