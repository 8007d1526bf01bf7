"""The command `hermes web cache`."""

from __future__ import annotations

from contextlib import closing

import click

from hermes_core import Hermes
from hermes_tools_web.cache.web_cache import FOLDER, WebCache
from hermes_tools_web.cli.output import print_json
from hermes_tools_web.settings import WebSettings

_MB = 1_000_000


def print_cache(*, clear: bool, as_json: bool) -> int:
    """Print the contents of the cache, or clear it, and return the exit code.

    Raises:
        ConfigError: the user's settings are invalid.
    """
    with closing(Hermes.load(only_looking=True)) as hermes:
        settings = hermes.config.model("web", WebSettings).cache
        folder = hermes.home / FOLDER
    with WebCache(folder, settings) as cache:
        removed = cache.clear() if clear else None
        stats = cache.stats()
    if as_json:
        facts = {"path": str(stats.path), "enabled": settings.enabled, "pages": stats.pages, "searches": stats.searches}
        more = {"bytes": stats.bytes, "limit": stats.limit, "removed": removed, "problem": stats.problem or None}
        print_json({**facts, **more})
    elif stats.problem:
        click.echo(f"hermes: the cache cannot be used: {stats.problem}", err=True)
    elif clear:
        click.echo(f"Removed {removed} entries.")
    else:
        size = f"{stats.bytes / _MB:.1f} of {stats.limit / _MB:g} MB"
        off = "" if settings.enabled else "; web.cache.enabled is off, so nothing new is stored"
        click.echo(f"{stats.pages} pages and {stats.searches} searches, {size}, in {stats.path}{off}")
    return 1 if stats.problem else 0
