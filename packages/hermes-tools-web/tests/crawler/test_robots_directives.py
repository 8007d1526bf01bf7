"""What one page asks of robots."""

from __future__ import annotations

import pytest

from hermes_tools_web.crawler.robots import parse_directives


@pytest.mark.parametrize(
    ("header", "meta", "found"),
    [
        ("", (), set()),
        ("noindex", (), {"noindex"}),
        ("NOINDEX, NoFollow", (), {"noindex", "nofollow"}),
        ("none", (), {"none", "noindex", "nofollow"}),
        ("", ("Nofollow ",), {"nofollow"}),
        ("otherbot: noindex, nofollow", (), set()),
        ("otherbot: noindex, hermes-tools-web: nofollow", (), {"nofollow"}),
        ("nofollow, otherbot: noindex", (), {"nofollow"}),
        (
            "unavailable_after: 25 Jun 2030 15:00:00 PST, noindex",
            (),
            {"unavailable_after: 25 jun 2030 15:00:00 pst", "noindex"},
        ),
        ("max-snippet: 5, nofollow", (), {"max-snippet: 5", "nofollow"}),
    ],
)
def test_what_counts_for_us_is_found(header: str, meta: tuple[str, ...], found: set[str]) -> None:
    assert parse_directives(header, meta) == found
