"""Takes pictures out of texts that have them spelt out: they cost a lot and say nothing to a reader of text."""

from __future__ import annotations

import re

_SPELT_OUT = re.compile(
    r"data:image/[\w.+-]{1,60}+(?:;(?!base64,)[\w=.+-]{1,60}+){0,8};base64,[\w+/=%-]*+", re.IGNORECASE | re.ASCII
)
_MARK = "data:image-was-here"
_MARKDOWN = re.compile(r"!\[([^\[\]\n]{0,300}+)\]\(<?" + _MARK + r"[^)\n]{0,300}+\)")


def without_images(text: str) -> str:
    """The text with a word in the place of each picture that was spelt out in it.

    Args:
        text: Any text, such as Markdown.
    """
    if _SPELT_OUT.search(text) is None:
        return text
    marked = _SPELT_OUT.sub(_MARK, text)
    return _MARKDOWN.sub(_named, marked).replace(_MARK, "[image]")


def _named(image: re.Match[str]) -> str:
    name = image[1].strip()
    return f"[image: {name}]" if name else "[image]"
