"""Shortens tags that no page needs: a parser takes quadratic time for the attributes of one element."""

from __future__ import annotations

import re

_LONG = 4000
_MOST_ATTRIBUTES = 100
_MOST_VALUE = 2500
# Comments and scripts are passed over as the parser does; what looks like a tag there is none. Every branch moves on,
# whatever it meets, so that the whole is linear.
_PIECE = re.compile(
    r"<!--.*?(?:-->|\Z)|<(script|style|textarea)\b[^>]{0,3000}>.*?(?:</\1|\Z)"
    r"|<[a-zA-Z](?:[^>\"'=]++|[\"']++|=++(?:\s*+(?:\"[^\"]*+\"|'[^']*+'))?)*>?",
    re.DOTALL | re.IGNORECASE,
)
_NAME = re.compile(r"<[a-zA-Z][^\s/>]{0,60}")
_ATTRIBUTE = re.compile(r"[\s/]*+([^\s/>=]++)(?:\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\s>]*+)))?")


def short_tags(text: str) -> str:
    """The markup, its longest tags with their first attributes only, and without long values.

    Args:
        text: The markup.
    """
    if not any(len(match.group()) > _LONG and _is_tag(match) for match in _PIECE.finditer(text)):
        return text
    return _PIECE.sub(
        lambda match: _short(match.group()) if len(match.group()) > _LONG and _is_tag(match) else match.group(), text
    )


def _is_tag(match: re.Match[str]) -> bool:
    return match.group(1) is None and not match.group().startswith("<!--")


def _short(tag: str) -> str:
    name = _NAME.match(tag)
    assert name is not None  # the pattern begins like it
    place = name.end()
    kept: list[str] = []
    while len(kept) < _MOST_ATTRIBUTES and (match := _ATTRIBUTE.match(tag, place)):
        place = match.end()
        value = next((part for part in match.groups()[1:] if part is not None), "")
        if len(value) <= _MOST_VALUE and len(match.group(1)) < 100:
            quote = "'" if '"' in value else '"'
            kept.append(f" {match.group(1)}={quote}{value}{quote}")
    return f"{name.group()}{''.join(kept)}{'>' if tag.endswith('>') else ''}"
