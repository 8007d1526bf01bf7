"""Whole crawls of real sites on this machine: how far they go, in which order, and how they end."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import anyio
import pytest

from hermes_core import ToolError
from hermes_net import NetPolicy, WebsiteBlocklist
from hermes_tools_web.crawler.crawl import crawl
from hermes_tools_web.crawler.report import CrawlError, CrawlPlan, CrawlProgress, CrawlReport
from hermes_tools_web.fetcher.errors import UrlDeniedError
from hermes_tools_web.providers.protocol import Access

Run = Callable[..., CrawlReport]
Urls = Callable[[CrawlReport], list[str]]


def test_a_site_of_many_pages_is_read_whole(site: Any, run: Run, urls: Urls) -> None:
    site.page("/", [f"/part{part}/" for part in range(15)])
    for part in range(15):
        site.page(f"/part{part}/", ["/", *(f"/part{part}/page{number}" for number in range(15))])
        for number in range(15):
            site.page(f"/part{part}/page{number}", ["/", f"/part{part}/", f"page{(number + 1) % 15}"])

    report = run(site.url, limit=500)

    assert report.stopped == "complete"
    assert len(report.pages) == 1 + 15 + 15 * 15
    assert len(set(urls(report))) == len(report.pages)
    assert sorted(site.paths) == sorted(urls(report))  # each was asked for once, and nothing else
    assert [page.depth for page in report.pages] == sorted(page.depth for page in report.pages)
    assert "nothing else has its words" in report.pages[-1].content


def test_a_crawl_takes_as_many_pages_as_it_may_and_not_one_more(site: Any, run: Run) -> None:
    site.page("/", [f"/{number}" for number in range(50)])
    for number in range(50):
        site.page(f"/{number}")

    report = run(site.url, limit=7, concurrency=5)

    assert len(report.pages) == 7
    assert len(site.paths) == 7
    assert report.stopped == "limit"
    assert report.waiting == 44


def test_failures_do_not_use_up_the_limit(site: Any, run: Run, urls: Urls) -> None:
    site.page("/", [f"/gone{number}" for number in range(5)] + ["/a", "/b"])
    site.page("/a")
    site.page("/b")

    report = run(site.url, limit=3, concurrency=2)

    assert urls(report) == ["/", "/a", "/b"]
    assert sorted(page.url.rpartition("/")[2] for page in report.failed) == [f"gone{number}" for number in range(5)]
    assert "404" in report.failed[0].error
    assert report.stopped == "complete"


def test_pages_farther_than_the_depth_are_not_asked_for(site: Any, run: Run, urls: Urls) -> None:
    site.page("/", ["/1"])
    site.page("/1", ["/2"])
    site.page("/2", ["/3"])
    site.page("/3")

    assert urls(shallow := run(site.url, depth=0)) == ["/"]
    assert shallow.stopped == "depth"
    assert urls(deeper := run(site.url, depth=2)) == ["/", "/1", "/2"]
    assert deeper.stopped == "depth"
    assert urls(whole := run(site.url, depth=3)) == ["/", "/1", "/2", "/3"]
    assert whole.stopped == "complete"
    assert site.times("/3") == 1


def test_a_page_is_as_near_as_its_nearest_link(site: Any, run: Run) -> None:
    site.page("/", ["/slow", "/b"])
    site.page("/slow", ["/target"], seconds=0.3)
    site.page("/b", ["/c"])
    site.page("/c", ["/target"])
    site.page("/target")

    report = run(site.url, concurrency=2)

    assert {page.title: page.depth for page in report.pages}["/target"] == 2


def test_pages_that_fit_to_the_instructions_come_first(site: Any, run: Run, urls: Urls) -> None:
    site.page("/", ["/team", "/news", "/imprint", "/pricing-plans", "/jobs"])
    for name in ("team", "news", "imprint", "jobs"):
        site.page(f"/{name}")
    site.page("/pricing-plans", text="The price of every plan.")

    report = run(site.url, limit=2, instructions="Find the prices of all plans")

    assert urls(report) == ["/", "/pricing-plans"]
    assert report.pages[1].relevance_score > report.pages[0].relevance_score


def test_progress_tells_what_is_done_what_waits_and_what_is_next(site: Any, run: Run) -> None:
    site.page("/", ["/a", "/b"])
    site.page("/a")
    site.page("/b")
    told: list[CrawlProgress] = []

    run(site.url, told=told, concurrency=1)

    assert [(step.done, step.queued, step.url.removeprefix(site.url)) for step in told] == [
        (0, 1, "/"),
        (1, 1, "/a"),
        (2, 0, "/b"),
    ]


def test_when_the_time_is_over_what_was_read_is_returned(site: Any, run: Run, urls: Urls) -> None:
    site.page("/", ["/a", "/held", "/b"])
    site.page("/a")
    site.page("/held", held=True)
    site.page("/b", held=True)
    began = time.monotonic()

    report = run(site.url, seconds=1.5, concurrency=2)

    assert report.stopped == "time"
    assert urls(report) == ["/", "/a"]
    assert report.waiting == 2
    assert time.monotonic() - began < 15


def test_a_crawl_that_is_cancelled_ends_at_once(site: Any, access: Access) -> None:
    site.page("/", ["/a", "/b"])
    site.page("/a", held=True)
    site.page("/b", held=True)

    async def cancel_in_the_middle() -> bool:
        async with anyio.create_task_group() as tasks:

            async def tell(progress: CrawlProgress) -> None:
                if progress.url.endswith("/b"):
                    tasks.cancel_scope.cancel()

            await crawl(CrawlPlan(url=site.url), access, tell=tell)
        return tasks.cancel_scope.cancelled_caught

    assert anyio.run(cancel_in_the_middle)
    assert site.times("/b") == 0


def test_a_first_page_that_does_not_come_in_time_is_an_error(site: Any, run: Run) -> None:
    site.page("/", held=True)

    with pytest.raises(CrawlError, match="did not arrive within the time"):
        run(site.url, seconds=0.5)


def test_a_server_that_dies_ends_the_crawl(site: Any, run: Run) -> None:
    site.page("/", [f"/{number}" for number in range(40)])
    for number in range(40):
        site.page(f"/{number}", hangs_up=True)

    report = run(site.url, concurrency=1)

    assert report.stopped == "errors"
    assert len(report.failed) == 5
    assert "closed the connection" in report.failed[0].error


def test_single_pages_that_do_not_answer_do_not_end_a_crawl(site: Any, run: Run) -> None:
    site.page("/", [f"/{number}" for number in range(14)])
    for number in range(14):
        site.page(f"/{number}", hangs_up=number % 2 == 0)

    report = run(site.url, concurrency=1)

    assert report.stopped == "complete"
    assert (len(report.pages), len(report.failed)) == (8, 7)


def test_a_site_of_nothing_but_failures_is_not_asked_for_ever(site: Any, run: Run) -> None:
    site.page("/", [f"/{number}" for number in range(200)])

    report = run(site.url, limit=2)

    assert report.stopped == "requests"
    assert len(site.paths) < 80


# -- the first page --------------------------------------------------------------------------------------------------


def test_a_first_page_that_fails_is_a_clear_error(site: Any, run: Run) -> None:
    with pytest.raises(ToolError, match="404"):
        run(f"{site.url}/nowhere")
    with pytest.raises(ToolError, match="not ftp"):
        run("ftp://example.org/")
    with pytest.raises(CrawlError, match="not the URL of a page"):
        run(f"http://example.org/{'a' * 3000}")
    site.text("/picture", b"\x89PNG\r\n\x1a\n", "image/png")
    with pytest.raises(CrawlError, match="is a file, not a page"):
        run(f"{site.url}/picture")
    with pytest.raises(CrawlError, match="would trigger an action"):
        run(f"{site.url}/logout")


def test_a_server_that_is_not_there_is_a_clear_error(new_server: Any, run: Run) -> None:
    server = new_server()
    port = server.port
    server.close()

    with pytest.raises(CrawlError, match=r"cannot be reached"):
        run(f"http://127.0.0.1:{port}/")


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/?api_key=abcdef0123456789",
        "http://example.org/?api%5Fkey=abcdef0123456789",
        "http://sk-proj-abcdefghijklmnopqrstuvwxyz0123456789.example.org/",
        "http://user:word@example.org/",
    ],
)
def test_a_url_that_carries_a_key_is_refused_before_anybody_is_asked(site: Any, run: Run, url: str) -> None:
    site.page("/")

    with pytest.raises(ToolError) as refused:
        run(url, named=site)

    assert refused.value.code == "url_refused"
    assert site.asked == []


def test_private_addresses_are_not_crawled(site: Any, run: Run) -> None:
    site.page("/")

    with pytest.raises(UrlDeniedError) as refused:
        run(site.url, policy=NetPolicy())

    assert refused.value.verdict.code == "private"
    assert site.asked == []


def test_sites_on_the_block_list_are_not_crawled(site: Any, run: Run) -> None:
    site.page("/", ["/a"])
    policy = NetPolicy(blocklist=WebsiteBlocklist(["blocked.example"]))

    with pytest.raises(UrlDeniedError) as refused:
        run("http://www.blocked.example/", named=site, policy=policy)

    assert refused.value.verdict.code == "blocked_site"
    assert site.asked == []


# -- redirects -------------------------------------------------------------------------------------------------------


def test_a_page_that_redirects_to_another_site_is_not_followed(
    site: Any, new_server: Any, run: Run, urls: Urls
) -> None:
    other = new_server()
    other.page("/")
    site.page("/", ["/away", "/refreshed", "/a"])
    site.redirect("/away", f"{other.url}/")
    site.page("/refreshed", head=f'<meta http-equiv="refresh" content="0; url={other.url}/">')
    site.page("/a")

    report = run(site.url)

    assert urls(report) == ["/", "/a"]
    assert report.skipped == {"other site": 2}
    assert other.asked == []


def test_a_redirect_within_the_site_counts_once(site: Any, run: Run, urls: Urls) -> None:
    site.page("/", ["/old", "/older", "/new"])
    site.redirect("/old", "/new", 301)
    site.redirect("/older", "/old", 301)
    site.page("/new")

    report = run(site.url, concurrency=1)

    assert urls(report) == ["/", "/new"]
    assert report.failed == ()
    assert site.times("/new") == 2  # each redirect led there; nobody went there once more


def test_where_a_redirect_led_is_not_asked_for_again(site: Any, run: Run) -> None:
    site.page("/", ["/moved"])
    site.redirect("/moved", "/hidden")
    site.page("/hidden", ["/more"], head='<meta name="robots" content="noindex">')
    site.page("/more", ["/hidden"])

    report = run(site.url)

    assert report.skipped == {"noindex": 1}
    assert site.times("/hidden") == 1


def test_the_site_is_where_the_first_page_is_found(site: Any, run: Run) -> None:
    site.redirect("example.org/", "http://www.example.org/start")
    site.page("www.example.org/start", ["/a", "http://example.org/b", "http://sub.example.org/c"])
    site.page("www.example.org/a")
    site.page("example.org/b")
    site.page("sub.example.org/c")

    report = run("http://example.org/", named=site)

    assert report.url == "http://www.example.org/start"
    assert [page.url for page in report.pages] == [
        "http://www.example.org/start",
        "http://www.example.org/a",
        "http://example.org/b",
    ]
    assert report.skipped == {"other site": 1}


def test_a_site_that_moved_is_crawled_where_it_is_now(site: Any, run: Run) -> None:
    site.redirect("short.example/x", "http://moved.example/docs/")
    site.page("moved.example/docs/", ["/docs/a", "http://short.example/b"])
    site.page("moved.example/docs/a")

    report = run("http://short.example/x", named=site)

    assert [page.url for page in report.pages] == ["http://moved.example/docs/", "http://moved.example/docs/a"]
    robots = [asked.host for asked in site.asked if asked.path == "/robots.txt"]
    assert robots == ["short.example", "moved.example"]  # each was asked what it allows before anything else


def test_a_first_page_that_leads_from_site_to_site_is_an_error(site: Any, run: Run) -> None:
    for number in range(6):
        site.redirect(f"site{number}.example/", f"http://site{number + 1}.example/")

    with pytest.raises(CrawlError, match="from site to site"):
        run("http://site0.example/", named=site)


# -- what is no page -------------------------------------------------------------------------------------------------


def test_files_are_not_asked_for_and_not_downloaded(site: Any, run: Run, urls: Urls) -> None:
    site.page("/", ["/a.zip", "/b.PNG", "/video", "/paper.txt"])
    site.text("/video", b"\0" * 3_000_000, "video/mp4")
    site.text("/paper.txt", "A plain paper.")

    report = run(site.url)

    assert urls(report) == ["/", "/paper.txt"]
    assert report.skipped == {"file": 3}
    assert sorted(site.paths) == ["/", "/paper.txt", "/video"]


def test_links_that_do_something_are_never_followed(site: Any, run: Run, urls: Urls) -> None:
    actions = [
        "/logout",
        "/user/sign-out/",
        "/item/7/delete",
        "/item/delete/7",
        "/p?action=delete",
        "/cart?add-to-cart=3",
    ]
    site.page("/", [*actions, "/out", "/docs/delete.html"])
    site.redirect("/out", "/logout")
    site.page("/docs/delete.html")
    for path in actions:
        site.page(path)

    report = run(site.url)

    assert urls(report) == ["/", "/docs/delete.html"]
    assert sorted(site.paths) == ["/", "/docs/delete.html", "/out"]
    assert report.skipped == {"action": 7}


def test_frames_are_links(site: Any, run: Run, urls: Urls) -> None:
    frames = '<frameset cols="1,2"><frame src="/menu"><frame src="/main"></frameset>'
    frames = f"<html><head><title>Old</title></head>{frames}</html>"
    site.text("/", frames, "text/html")
    site.page("/menu", ["/deep"])
    site.page("/main", body='<iframe src="/inner"></iframe>')
    site.page("/inner")
    site.page("/deep")

    report = run(site.url)

    assert set(urls(report)) >= {"/menu", "/main", "/deep", "/inner"}


def test_feeds_are_no_pages_but_lead_to_some(site: Any, run: Run, urls: Urls) -> None:
    site.page("/", ["/feed"])
    entry = f"<item><title>One</title><link>{site.url}/one</link><description>About one.</description></item>"
    feed = f'<?xml version="1.0"?><rss version="2.0"><channel><title>F</title>{entry}</channel></rss>'
    site.text("/feed", feed, "application/rss+xml")
    site.page("/one")

    report = run(site.url)

    assert urls(report) == ["/", "/one"]
    assert report.skipped == {"feed": 1}


# -- what pages ask for ----------------------------------------------------------------------------------------------


def test_what_pages_ask_of_robots_is_respected(site: Any, run: Run, urls: Urls) -> None:
    site.page("/", ["/hidden", "/dead-end", "/none", "/by-header", "/for-others"])
    site.page("/hidden", ["/behind-hidden"], head='<meta name="robots" content="NOINDEX">')
    site.page("/dead-end", ["/behind-dead-end"], head='<meta name="robots" content="nofollow">')
    site.page("/none", ["/behind-none"], head='<meta name="robots" content="none">')
    site.page("/by-header", ["/behind-header"], headers={"X-Robots-Tag": "noindex, nofollow"})
    site.page("/for-others", headers={"X-Robots-Tag": "otherbot: noindex"})
    site.page("/behind-hidden")

    report = run(site.url)

    assert urls(report) == ["/", "/dead-end", "/for-others", "/behind-hidden"]
    assert report.skipped == {"noindex": 3, "nofollow": 3}


def test_links_marked_nofollow_are_followed_only_if_others_are_not(site: Any, run: Run, urls: Urls) -> None:
    site.page("/", ["/a"], body='<a rel="nofollow" href="/spam">spam</a><a rel="nofollow" href="/b">b</a>')
    site.page("/a", ["/b"])
    site.page("/b")
    site.page("/spam")

    report = run(site.url)

    assert urls(report) == ["/", "/a", "/b"]
    assert report.skipped["nofollow"] == 2


def test_a_user_can_decide_not_to_obey_robots(site: Any, run: Run, urls: Urls) -> None:
    site.text("/robots.txt", "User-agent: *\nDisallow: /\nCrawl-delay: 9\n")
    site.page("/", ["/a"])
    site.page("/a", head='<meta name="robots" content="noindex">')

    report = run(site.url, obey_robots=False)

    assert urls(report) == ["/", "/a"]


# -- the same page twice ---------------------------------------------------------------------------------------------


def test_the_same_text_under_several_urls_counts_once(site: Any, run: Run, urls: Urls) -> None:
    site.page("/", ["/a", "/copy?of=a", "/b"])
    site.page("/a", text="The very same text stands on both of these pages.", title="Same")
    site.page(
        "/copy?of=a", ["/only-from-the-copy"], text="The very same text stands on both of these pages.", title="Same"
    )
    site.page("/b")

    report = run(site.url, concurrency=1)

    assert urls(report) == ["/", "/a", "/b"]
    assert report.skipped == {"duplicate": 1}
    assert "/only-from-the-copy" not in site.paths  # what a copy leads to was found before


def test_spellings_of_one_url_are_asked_for_once(site: Any, run: Run, urls: Urls) -> None:
    spellings = [
        "/a#part",
        "/a?utm_source=x",
        "/./a",
        "/b/../a",
        "/a/",
        "/%61",
        f"{site.url.upper()}/a",
        "/a?PHPSESSID=1",
    ]
    site.page("/", spellings)
    site.page("/a")

    report = run(site.url)

    assert urls(report) == ["/", "/a"]
    assert site.paths == ["/", "/a"]


def test_a_page_that_names_another_as_itself_counts_once(site: Any, run: Run, urls: Urls) -> None:
    story = " ".join(f"word{number}" for number in range(100))
    site.page("/", ["/story", "/story?view=print"])
    site.page("/story", text=story, title="Story")
    canonical = '<link rel="canonical" href="/story">'
    site.page("/story?view=print", text=f"{story} Printed today.", title="Story", head=canonical)

    report = run(site.url, concurrency=1)

    assert urls(report) == ["/", "/story"]
    assert report.skipped == {"duplicate": 1}


def test_pages_that_all_call_themselves_the_first_one_are_still_read(site: Any, run: Run, urls: Urls) -> None:
    canonical = '<link rel="canonical" href="/">'
    site.page("/", ["/apples", "/pears"], head=canonical, text="Welcome to the shop for fruit of all kinds.")
    site.page("/apples", head=canonical, text="Apples grow on trees; they are red when autumn comes.")
    site.page("/pears", head=canonical, text="Nobody eats a pear before it has lain some days.")

    assert urls(run(site.url)) == ["/", "/apples", "/pears"]


# -- traps -----------------------------------------------------------------------------------------------------------


def test_a_calendar_without_an_end_does_not_take_the_place_of_pages(site: Any, run: Run, urls: Urls) -> None:
    site.page("/", ["/calendar/2024/1", "/about", "/team"])
    site.page("/about", ["/history"])
    site.page("/team")
    site.page("/history")

    def month(path: str) -> Any:
        year, number = map(int, path.split("/")[2:])
        following = f"/calendar/{year + number // 12}/{number % 12 + 1}"
        site.page("/scratch", [following, "/"], text=f"Nothing happens in month {number} of {year}.")
        return site.pages["/scratch"]

    site.otherwise = lambda path: month(path) if path.startswith("/calendar/") else type(site.pages["/"])(status=404)

    report = run(site.url, depth=50, limit=40)

    assert {"/about", "/team", "/history"} < set(urls(report))
    assert report.stopped == "complete"
    assert report.skipped == {"trap": 1}
    assert len(report.pages) < 20


def test_endless_sites_come_to_an_end(site: Any, run: Run) -> None:
    def endless(path: str) -> Any:
        """Relative links that lead into themselves, a calendar, filters, and a number that grows."""
        here = path.partition("?")[0]
        day = len(site.asked)
        links = [
            f"{here.rstrip('/')}/deeper/",
            f"/calendar/2{day % 900:03}/{day % 12 + 1}/",
            f"/shop?color={day}&size={day}&sort{day}=1",
            f"/next?page={day}",
        ]
        site.page("/scratch", links, text=f"Page number {day} of very many.")
        return site.pages["/scratch"]

    site.otherwise = endless
    site.text("/robots.txt", "")
    site.text("/sitemap.xml", "")

    report = run(site.url, depth=20, limit=40)

    assert len(report.pages) <= 40
    assert report.skipped["trap"] > 0
    assert len(site.asked) < 40 * 4 + 60
