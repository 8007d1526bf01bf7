"""The settings section `web`."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr


def _key(variable: str, vendor: str) -> SecretStr:
    made: SecretStr = Field(
        default=SecretStr(""), description=f"The API key for {vendor}.", json_schema_extra={"x-env": variable}
    )
    return made


def _url(variable: str, description: str, default: str = "") -> str:
    made: str = Field(default=default, description=description, json_schema_extra={"x-env": variable})
    return made


class CacheSettings(BaseModel):
    """The on-disk cache of pages and search results."""

    model_config = ConfigDict(extra="forbid")

    enabled: bool = Field(default=True, description="Cache pages and search results on disk.")
    page_minutes: int = Field(default=60, ge=0, description="How long a page stays in the cache, in minutes.")
    search_minutes: int = Field(default=10, ge=0, description="How long search results stay in the cache, in minutes.")
    max_mb: int = Field(
        default=100,
        ge=1,
        description="The size limit of the cache, in MB; the least recently used entries are removed first.",
    )


class ExtractSettings(BaseModel):
    """How pages are fetched and extracted."""

    model_config = ConfigDict(extra="forbid")

    seconds: float = Field(default=30.0, gt=0, le=300, description="The time limit for one page, in seconds.")
    max_mb: int = Field(default=20, ge=1, le=500, description="The size limit of a page or document, in MB.")
    summarize: bool = Field(
        default=True, description="Summarize long pages with the model of `auxiliary.web_extract`, if one is set."
    )


class CrawlSettings(BaseModel):
    """How sites are crawled."""

    model_config = ConfigDict(extra="forbid")

    max_pages: int = Field(default=50, ge=1, le=1000, description="The page limit of one crawl.")
    max_depth: int = Field(
        default=5, ge=0, le=20, description="The depth limit of one crawl, in links from the first page."
    )
    seconds: float = Field(default=240.0, gt=0, le=3600, description="The time limit of one crawl, in seconds.")
    delay_seconds: float = Field(
        default=0.5,
        ge=0,
        description="The minimum delay between two requests to a site, in seconds; robots.txt may ask for more.",
    )
    concurrency: int = Field(
        default=2, ge=1, le=16, description="How many pages of a site are fetched at the same time."
    )
    obey_robots: bool = Field(default=True, description="Obey robots.txt.")


class WebSettings(BaseModel):
    """Providers of web search and extraction, and their options."""

    model_config = ConfigDict(extra="forbid")

    backend: str = Field(
        default="", description="The provider for search and extraction; empty means the best one available."
    )
    search_backend: str = Field(default="", description="The provider for search; empty means web.backend.")
    extract_backend: str = Field(default="", description="The provider for extraction; empty means web.backend.")

    brave_api_key: SecretStr = _key("BRAVE_SEARCH_API_KEY", "Brave Search")
    brave_url: str = _url(
        "BRAVE_SEARCH_API_URL", "The base URL of the Brave Search API.", "https://api.search.brave.com"
    )
    exa_api_key: SecretStr = _key("EXA_API_KEY", "Exa")
    exa_url: str = _url("EXA_API_URL", "The base URL of the Exa API.", "https://api.exa.ai")
    firecrawl_api_key: SecretStr = _key("FIRECRAWL_API_KEY", "Firecrawl")
    firecrawl_url: str = _url(
        "FIRECRAWL_API_URL",
        "The base URL of the Firecrawl API; your own server needs no key.",
        "https://api.firecrawl.dev",
    )
    parallel_api_key: SecretStr = _key("PARALLEL_API_KEY", "Parallel")
    parallel_url: str = _url("PARALLEL_API_URL", "The base URL of the Parallel API.", "https://api.parallel.ai")
    parallel_search_mode: Literal["agentic", "one-shot", "fast", "turbo", "basic", "advanced"] = Field(
        default="agentic",
        description="The search mode of Parallel.",
        json_schema_extra={"x-env": "PARALLEL_SEARCH_MODE"},
    )
    searxng_url: str = _url("SEARXNG_URL", "The base URL of your SearXNG server, such as http://localhost:8080.")
    tavily_api_key: SecretStr = _key("TAVILY_API_KEY", "Tavily")
    tavily_url: str = _url("TAVILY_BASE_URL", "The base URL of the Tavily API.", "https://api.tavily.com")

    user_agent: str = Field(default="", description="The User-Agent header; empty means hermes-tools-web.")
    cache: CacheSettings = CacheSettings()
    extract: ExtractSettings = ExtractSettings()
    crawl: CrawlSettings = CrawlSettings()
