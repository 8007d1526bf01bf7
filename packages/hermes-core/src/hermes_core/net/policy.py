"""What the user lets be fetched."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self

from hermes_core.config.tool_session import settings_environ
from hermes_core.errors import ConfigError
from hermes_core.net.blocklist import WebsiteBlocklist

_ALLOW, _ALLOW_VARIABLE = "allow_private_urls", "HERMES_ALLOW_PRIVATE_URLS"


@dataclass(frozen=True, slots=True, kw_only=True)
class NetPolicy:
    """What may be fetched.

    Attributes:
        allow_private: Whether private networks and this machine may be reached. Metadata services may never be.
        blocklist: Websites that are not fetched.
        keys_in_urls: Whether a URL may carry keys. Only for code that puts its own there, for a service that wants
            it; never for a URL that a model wrote.
        resolve_seconds: The time that looking up a name may take.
        proxy_targets: What a proxy is told to connect to: the address that was checked, or the name, which the
            proxy then looks up itself.
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
        """The policy that the section `security` of the settings describes.

        Args:
            section: What stands there, such as `ctx.settings("security")`.
            home: The folder that relative files of the block list are in, such as `ctx.home`.
            browser: The section `browser`, where older settings have `allow_private_urls`. It opens private
                addresses as long as the environment says nothing.
            environ: Where it is looked whether the environment says something; not given means that of this process.

        Raises:
            ConfigError: the block list is not one.
        """
        return cls(
            allow_private=section.get(_ALLOW) is True or _opened_as_before(browser or {}, environ),
            blocklist=_blocklist(section.get("website_blocklist") or {}, home or Path()),
            proxy_targets="name" if section.get("proxy_targets") == "name" else "address",
        )


def _opened_as_before(browser: Mapping[str, Any], environ: Mapping[str, str] | None) -> bool:
    said = settings_environ(environ).get(_ALLOW_VARIABLE, "").strip()
    return not said and browser.get(_ALLOW) is True


def _blocklist(listed: Any, home: Path) -> WebsiteBlocklist | None:
    key = "security.website_blocklist"
    if not isinstance(listed, Mapping):
        raise ConfigError("is not a section.", key=key, example="{enabled: true, domains: [example.org]}")
    if not listed.get("enabled"):
        return None
    domains, files = (listed.get(name) or [] for name in ("domains", "shared_files"))
    for name, words in (("domains", domains), ("shared_files", files)):
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise ConfigError("is not a list of texts.", key=f"{key}.{name}", example=f"{name}: [example.org]")
    return WebsiteBlocklist(domains, [home / Path(file).expanduser() for file in files])


DEFAULT_POLICY = NetPolicy()
