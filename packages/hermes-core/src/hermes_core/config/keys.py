"""Keys as users write them on a command line: `web.backend`, `mcp_servers."my.server".url`."""

from __future__ import annotations

import re

from hermes_core.errors import ConfigError

_STEP = re.compile(r'(?:"(?P<quoted>[^"]+)"|(?P<plain>[^."\[\]\s]+))(?:\.(?=.)|\Z)')


def parse_key(key: str) -> tuple[str, ...]:
    """The steps of a key.

    Raises:
        ConfigError: it is not a key.
    """
    steps: list[str] = []
    position = 0
    while match := _STEP.match(key, position):
        steps.append(match["quoted"] or match["plain"])
        position = match.end()
    if not steps or position < len(key):
        raise ConfigError(f"{key!r} is not a key.", example='web.backend, or mcp_servers."my.server".url')
    return tuple(steps)
