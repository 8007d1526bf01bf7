"""The cache of a session: made at the first call that wants it, and closed with the session or with new settings."""

from __future__ import annotations

import threading

from hermes_core import ToolContext
from hermes_tools_web.cache.store import FOLDER, PageCache
from hermes_tools_web.settings import CacheSettings

_KEY = "web_cache"
_making = threading.Lock()


def cache_of(ctx: ToolContext, settings: CacheSettings) -> PageCache:
    """The cache of the session that a call belongs to.

    Args:
        ctx: The call.
        settings: How long and how much is kept.
    """
    with _making:
        found = ctx.session.state.get(_KEY)
        if isinstance(found, PageCache) and found.settings != settings:
            found.close()  # the user has decided anew; a call that still uses it finds and keeps nothing more
            found = None
        if found is None:
            found = PageCache(ctx.home / FOLDER, settings)
            ctx.session.on_close(found.close)
            ctx.session.state[_KEY] = found
    assert isinstance(found, PageCache)
    return found
