"""What an answer depends on besides the question: asked with other settings, it is another question."""

from __future__ import annotations

import json

from hermes_tools_web.providers.base import Access

_ANSWERS = ("parallel_search_mode", "user_agent")
"""Settings that change what a provider answers, besides those that say where it is."""


def kept_under(question: str, access: Access) -> str:
    """The key under which the answer to a question is kept.

    Whoever sets another server for a provider does not want what the one before it said. Keys are not in it: they
    change who pays, and nothing of them belongs on the disk.

    Args:
        question: What was asked: a URL, or a query with its options.
        access: The settings that it was asked with.
    """
    said = access.settings.model_dump(mode="json", include={*_ANSWERS, *_places(access)})
    return json.dumps([question, said], sort_keys=True)


def _places(access: Access) -> list[str]:
    return [name for name in type(access.settings).model_fields if name.endswith("_url")]
