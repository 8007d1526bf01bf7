"""What users can decide about the web: the section `web`."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr


def _key(variable: str, vendor: str) -> SecretStr:
    made: SecretStr = Field(
        default=SecretStr(""), description=f"The key for {vendor}.", json_schema_extra={"x-env": variable}
    )
    return made


def _url(variable: str, description: str, default: str = "") -> str:
    made: str = Field(default=default, description=description, json_schema_extra={"x-env": variable})
    return made


class CacheSettings(BaseModel):
    """What is kept of the web on the disk, so that the same is not fetched twice."""

    model_config = ConfigDict(extra="forbid")

    enabled: bool = Field(default=True, description="Whether pages and search results are kept.")
    page_minutes: int = Field(default=60, ge=0, description="How long a page is kept.")
    search_minutes: int = Field(default=10, ge=0, description="How long the results of a search are kept.")
    max_mb: int = Field(default=100, ge=1, description="How much is kept at most, in MB; the oldest goes first.")


class ExtractSettings(BaseModel):
    """How pages are read."""

    model_config = ConfigDict(extra="forbid")

    seconds: float = Field(default=30.0, gt=0, le=300, description="How long one page may take.")
    max_mb: int = Field(default=20, ge=1, le=500, description="The biggest page or document that is fetched, in MB.")
    summarize: bool = Field(
        default=True, description="Whether a model shortens long pages, when `auxiliary.web_extract` names one."
    )


class CrawlSettings(BaseModel):
    """How sites are crawled."""

    model_config = ConfigDict(extra="forbid")

    max_pages: int = Field(default=50, ge=1, le=1000, description="How many pages one crawl may take.")
    max_depth: int = Field(default=5, ge=0, le=20, description="How many links away from the first page it may go.")
    seconds: float = Field(default=240.0, gt=0, le=3600, description="How long one crawl may take.")
    delay_seconds: float = Field(
        default=0.5, ge=0, description="The least time between two requests to a site; its robots.txt may ask for more."
    )
    concurrency: int = Field(default=2, ge=1, le=16, description="How many pages of a site are fetched at once.")
    obey_robots: bool = Field(default=True, description="Whether a crawl keeps to robots.txt.")


class WebSettings(BaseModel):
    """Who searches and reads pages, and how."""

    model_config = ConfigDict(extra="forbid")

    backend: str = Field(default="", description="Who searches and reads pages; empty means the best that there is.")
    search_backend: str = Field(default="", description="Who searches, when that is somebody else.")
    extract_backend: str = Field(default="", description="Who reads pages, when that is somebody else.")

    brave_api_key: SecretStr = _key("BRAVE_SEARCH_API_KEY", "Brave Search")
    brave_url: str = _url("BRAVE_SEARCH_API_URL", "Where Brave Search is.", "https://api.search.brave.com")
    exa_api_key: SecretStr = _key("EXA_API_KEY", "Exa")
    exa_url: str = _url("EXA_API_URL", "Where Exa is.", "https://api.exa.ai")
    firecrawl_api_key: SecretStr = _key("FIRECRAWL_API_KEY", "Firecrawl")
    firecrawl_url: str = _url(
        "FIRECRAWL_API_URL", "Where Firecrawl is; one of your own needs no key.", "https://api.firecrawl.dev"
    )
    parallel_api_key: SecretStr = _key("PARALLEL_API_KEY", "Parallel")
    parallel_url: str = _url("PARALLEL_API_URL", "Where Parallel is.", "https://api.parallel.ai")
    parallel_search_mode: Literal["agentic", "one-shot", "fast", "turbo", "basic", "advanced"] = Field(
        default="agentic",
        description="How Parallel searches.",
        json_schema_extra={"x-env": "PARALLEL_SEARCH_MODE"},
    )
    searxng_url: str = _url("SEARXNG_URL", "Where your SearXNG is, such as http://localhost:8080.")
    tavily_api_key: SecretStr = _key("TAVILY_API_KEY", "Tavily")
    tavily_url: str = _url("TAVILY_BASE_URL", "Where Tavily is.", "https://api.tavily.com")

    user_agent: str = Field(default="", description="What pages are told who asks; empty means our own name.")
    cache: CacheSettings = CacheSettings()
    extract: ExtractSettings = ExtractSettings()
    crawl: CrawlSettings = CrawlSettings()
