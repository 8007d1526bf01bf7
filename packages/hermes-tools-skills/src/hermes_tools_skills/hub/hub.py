"""`SkillHub`: the state, the settings and the sources of one command."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from hermes_core.errors import ConfigError
from hermes_core.settings import refuse_inside
from hermes_tools_skills.hub.catalog_cache import CatalogCache
from hermes_tools_skills.hub.state_files import StateFiles
from hermes_tools_skills.hub.taps import list_taps
from hermes_tools_skills.hub_settings import CLAWHUB, GITHUB_API, GITHUB_RAW, LOBEHUB, HubSettings
from hermes_tools_skills.providers.protocol import EXTENSION_POINT, Progress, SizeLimits, SkillSource, SourceAccess
from hermes_tools_skills.providers.web_client import WebClient

if TYPE_CHECKING:
    from hermes_core import Hermes
    from hermes_net import NetPolicy

_DEFAULTS = (GITHUB_API, GITHUB_RAW, CLAWHUB, LOBEHUB)


def _ignore(_message: str, _done: int, _total: int) -> None:
    """Report no progress."""


class SkillHub:
    """Searches and installs skills for a user. Processes that a tool started cannot create one.

    Args:
        home: `$HERMES_HOME`.
        settings: The settings `skills.hub`.
        sources: The sources by name.
        policy: Which addresses may be reached.
        environ: The environment, with `.env`.
        progress: Receives the progress of long operations.
        offline: Whether to search only what is cached.
    """

    def __init__(
        self,
        home: Path,
        settings: HubSettings,
        *,
        sources: Mapping[str, SkillSource],
        policy: NetPolicy,
        environ: Mapping[str, str] | None = None,
        progress: Progress = _ignore,
        offline: bool = False,
    ) -> None:
        refuse_inside("The skills hub cannot be used")
        self.state = StateFiles(home)
        self.settings = settings
        self.sources = dict(sources)
        self.progress = progress
        self.cache = CatalogCache(self.state.cache, settings.cache_minutes * 60, offline=offline)
        self.limits = SizeLimits(files=settings.max_files, bytes=settings.max_mb << 20)
        self._policy = policy
        self._environ = dict(environ or {})
        urls = (settings.github_api_url, settings.github_raw_url, settings.clawhub_url, settings.lobehub_url)
        own = [*settings.own_servers, *(url for url in urls if url not in _DEFAULTS)]
        self._web = WebClient(policy, own_servers=own, max_bytes=(settings.max_mb + 14) << 20, seconds=settings.seconds)

    @classmethod
    def for_host(cls, hermes: Hermes, *, progress: Progress = _ignore, offline: bool = False) -> Self:
        """Create the hub of a command. Raises `ConfigError` if the settings are invalid, or a tool started it."""
        from hermes_net import NetPolicy, NetSettingsError
        from hermes_tools_skills.settings import SkillsSettings

        refuse_inside("The skills hub cannot be used")
        config = hermes.config
        try:
            policy = NetPolicy.from_settings(
                config.section("security"), home=hermes.home, browser=config.section("browser")
            )
        except NetSettingsError as error:
            raise ConfigError(error.problem, key=error.key, example=error.example) from error
        return cls(
            hermes.home,
            config.model("skills", SkillsSettings).hub,
            sources=hermes.providers(EXTENSION_POINT),
            policy=policy,
            environ=config.environ,
            progress=progress,
            offline=offline,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._web.__exit__(kind, error, trace)

    @cached_property
    def access(self) -> SourceAccess:
        """What sources receive. Raises `HubError` if the list of taps is damaged."""
        return SourceAccess(
            settings=self.settings,
            policy=self._policy,
            web=self._web,
            taps=list_taps(self.state),
            environ=self._environ,
            limits=self.limits,
            progress=self.progress,
            cached=self.cache.entries,
        )
