"""A large site with everything at once, against a plain reckoning of what a crawl should find there."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from hermes_tools_web.crawler.report import CrawlReport

Run = Callable[..., CrawlReport]
_KINDS = ("page", "moved", "away", "copy", "gone", "broken", "noindex", "nofollow", "private", "logout", "file", "slow")
_ODDS = (70, 5, 3, 4, 4, 3, 4, 4, 4, 2, 3, 2)
_PAGES = 260


@dataclass(frozen=True, slots=True)
class Place:
    """One URL of the site: what it is, and where it leads."""

    path: str
    kind: str
    links: tuple[str, ...]


def _site(seed: int) -> dict[str, Place]:
    """A made-up site: a tree, so that all is reached, with links across it in circles."""
    chance = random.Random(seed)
    kinds = ["page", *chance.choices(_KINDS, _ODDS, k=_PAGES - 1)]
    paths = [_path(number, kind) for number, kind in enumerate(kinds)]
    links: dict[str, list[str]] = {path: [] for path in paths}
    for number in range(1, _PAGES):
        parent = paths[(number - 1) // 4]
        links[parent].append(paths[number])
    for path in paths:
        links[path] += chance.choices(paths, k=3)
    return {path: Place(path, kind, tuple(links[path])) for path, kind in zip(paths, kinds, strict=True)}


def _path(number: int, kind: str) -> str:
    if number == 0:
        return "/"
    folder = {"private": "/private", "logout": f"/{number}"}.get(kind, "")
    return f"{folder}/{'logout' if kind == 'logout' else number}{'.zip' if kind == 'file' else ''}"


def _serve(site: Any, places: dict[str, Place], elsewhere: str) -> None:
    site.text("/robots.txt", "User-agent: *\nDisallow: /private\n")
    heads = {kind: f'<meta name="robots" content="{kind}">' for kind in ("noindex", "nofollow")}
    for place in places.values():
        match place.kind:
            case "moved":
                site.redirect(place.path, place.links[-1])
            case "away":
                site.redirect(place.path, f"{elsewhere}/stolen")
            case "copy":
                site.page(place.path, place.links, title="Copy", text="All copies have these very words in common.")
            case "gone" | "broken":
                site.page(place.path, place.links, status=404 if place.kind == "gone" else 500)
            case kind:
                seconds = 0.1 if kind == "slow" else 0.0
                site.page(place.path, place.links, head=heads.get(kind, ""), seconds=seconds)


def _reckoned(places: dict[str, Place], copy: str) -> set[str]:
    """What is found by following every link that may be followed, one after the other."""
    waiting, known, found = deque(["/"]), {"/"}, set()
    while waiting:
        place = places[waiting.popleft()]
        seen = {place.path}
        while place.kind == "moved" and places[place.links[-1]].path not in seen:
            place = places[place.links[-1]]
            seen.add(place.path)
        known.add(place.path)
        if place.kind not in ("page", "slow", "noindex", "nofollow", "copy") or (
            place.kind == "copy" and place.path != copy
        ):
            continue
        if place.kind != "noindex":
            found.add(place.path)
        if place.kind != "nofollow":
            waiting.extend(link for link in place.links if link not in known)
            known.update(place.links)
    return found


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_crawl_finds_what_may_be_found_and_nothing_else(site: Any, new_server: Any, run: Run, seed: int) -> None:
    places, other = _site(seed), new_server()
    _serve(site, places, other.url)

    report = run(site.url, depth=20, limit=_PAGES, concurrency=4)

    found = ["/" + page.url.partition("://")[2].partition("/")[2] for page in report.pages]
    copies = [path for path in found if places[path].kind == "copy"]
    assert len(copies) <= 1
    assert set(found) == _reckoned(places, copies[0] if copies else "")
    assert len(found) == len(set(found)) > 120
    assert report.stopped == "complete"
    assert other.asked == []
    forbidden = [path for path in site.paths if places[path].kind in ("private", "logout", "file")]
    assert forbidden == []
    assert len(report.failed) == len({page.url for page in report.failed})
    targets = {place.links[-1] for place in places.values() if place.kind == "moved"}
    assert all(site.times(path) == 1 for path in set(site.paths) - targets)
    assert set(report.skipped) <= {"action", "duplicate", "file", "nofollow", "noindex", "other site", "robots.txt"}
