"""Crawls of sites that list their pages."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from typing import Any

from hermes_tools_web.crawler.report import CrawlReport

Run = Callable[..., CrawlReport]
Urls = Callable[[CrawlReport], list[str]]


def _listing(*urls: str) -> str:
    return "<urlset>" + "".join(f"<url><loc>{url}</loc></url>" for url in urls) + "</urlset>"


def test_pages_that_nobody_links_to_are_found_in_the_sitemap(site: Any, run: Run, urls: Urls) -> None:
    site.page("/", ["/linked"])
    site.page("/linked")
    site.page("/orphan", ["/behind"])
    site.page("/behind")
    site.text("/sitemap.xml", _listing(f"{site.url}/orphan", f"{site.url}/linked", "http://elsewhere.example/x"))

    report = run(site.url)

    assert urls(report) == ["/", "/linked", "/orphan", "/behind"]
    assert [page.depth for page in report.pages] == [0, 1, 1, 2]
    assert report.skipped == {"other site": 1}


def test_robots_txt_names_sitemaps_of_all_kinds(site: Any, run: Run, urls: Urls) -> None:
    site.page("/")
    names = ("plain", "packed", "indexed", "default")
    for name in names:
        site.page(f"/{name}")
    site.text("/robots.txt", f"Sitemap: {site.url}/list.txt\nSitemap: {site.url}/index.xml\n")
    site.text("/list.txt", f"{site.url}/plain\nno url\n")
    index = f"<sitemapindex><sitemap><loc>{site.url}/deep.xml.gz</loc></sitemap></sitemapindex>"
    site.text("/index.xml", index, "application/xml")
    packed = gzip.compress(_listing(f"{site.url}/packed", f"{site.url}/indexed").encode())
    site.text("/deep.xml.gz", packed, "application/gzip")
    site.text("/sitemap.xml", _listing(f"{site.url}/default"), "application/xml")

    assert sorted(urls(run(site.url))) == ["/", *sorted(f"/{name}" for name in names)]


def test_instructions_choose_among_the_pages_of_a_sitemap(site: Any, run: Run, urls: Urls) -> None:
    site.page("/", [f"/{number}" for number in range(30)])
    site.page("/warranty-terms", text="The warranty lasts two years.")
    site.text(
        "/sitemap.xml", _listing(*(f"{site.url}/x{number}" for number in range(50)), f"{site.url}/warranty-terms")
    )

    assert urls(run(site.url, limit=2, instructions="How long is the warranty?")) == ["/", "/warranty-terms"]


def test_a_sitemap_is_not_asked_for_when_it_could_change_nothing(site: Any, run: Run) -> None:
    site.page("/", [f"/{number}" for number in range(30)])
    for number in range(30):
        site.page(f"/{number}")

    run(site.url, limit=3)
    run(site.url, depth=0)

    assert site.times("/sitemap.xml") == 0


def test_broken_and_forbidden_sitemaps_are_passed_over(site: Any, run: Run, urls: Urls) -> None:
    site.page("/", ["/a"])
    site.page("/a")
    site.page("/secret")
    site.page("/named-in-part")
    named = (
        "/part.txt",
        "/broken.xml",
        "/packed.gz",
        f"{site.url}/no/listing.txt",
        "http://[::1",
        "http://169.254.169.254/s.xml",
    )
    site.text("/robots.txt", "User-agent: *\nDisallow: /no/\n" + "".join(f"Sitemap: {url}\n" for url in named))
    site.text("/broken.xml", "<urlset><url><loc>")
    site.text("/packed.gz", b"\x1f\x8bnot really")
    site.text("/no/listing.txt", f"{site.url}/secret")
    site.text("/part.txt", f"{site.url}/named-in-part")

    report = run(site.url)

    assert urls(report) == ["/", "/a", "/named-in-part"]
    assert "/no/listing.txt" not in site.paths


def test_sitemaps_that_name_each_other_come_to_an_end(site: Any, run: Run, urls: Urls) -> None:
    site.page("/", ["/a"])
    site.page("/a")

    def endless(path: str) -> Any:
        index = f"<sitemapindex><sitemap><loc>{site.url}/more{len(site.asked)}.xml</loc></sitemap></sitemapindex>"
        site.text("/scratch", index)
        return site.pages["/scratch"]

    site.pages["/sitemap.xml"] = endless
    site.otherwise = lambda path: endless(path) if path.startswith("/more") else site.pages["/a"]
    site.text("/robots.txt", "")

    assert urls(run(site.url)) == ["/", "/a"]
    assert sum(path.startswith("/more") for path in site.paths) < 10


def test_a_sitemap_on_another_site_is_asked_for_as_that_site_allows(site: Any, run: Run, urls: Urls) -> None:
    site.page("/")
    site.page("/listed")
    site.page("/unlisted")
    sitemaps = "Sitemap: http://open.example/s.txt\nSitemap: http://closed.example/s.txt\n"
    site.text("shop.example/robots.txt", sitemaps)
    site.text("open.example/robots.txt", "User-agent: *\nAllow: /\n")
    site.text("closed.example/robots.txt", "User-agent: *\nDisallow: /\n")
    site.text("open.example/s.txt", "http://shop.example/listed\n")
    site.text("closed.example/s.txt", "http://shop.example/unlisted\n")

    assert urls(run("http://shop.example/", named=site)) == ["/", "/listed"]
    assert [each.host for each in site.asked if each.path == "/s.txt"] == ["open.example"]
