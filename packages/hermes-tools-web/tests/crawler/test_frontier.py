"""What is visited next: never twice, never too deep, never elsewhere."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hermes_tools_web.crawler.frontier import FoundLink, Frontier, Visit
from hermes_tools_web.crawler.page_urls import PageUrl, parse_page_url
from hermes_tools_web.crawler.relevance import Relevance


def _address(url: str) -> PageUrl:
    found = parse_page_url(url)
    assert found is not None
    return found


def _frontier(
    start: str = "http://example.org/docs/", *, depth: int = 3, pages: int = 100, wanted: str = ""
) -> Frontier:
    return Frontier(_address(start), depth=depth, pages=pages, relevance=Relevance(wanted))


def _first(frontier: Frontier) -> Visit:
    visit = frontier.take()
    assert visit is not None
    return visit


def _rest(frontier: Frontier) -> list[str]:
    found = []
    while (visit := frontier.take()) is not None:
        found.append(visit.address.url.removeprefix("http://example.org"))
        frontier.done(visit)
    return found


def _offers(*urls: str) -> list[FoundLink]:
    return [FoundLink(url=f"http://example.org{url}") for url in urls]


_LINKS = st.lists(
    st.builds(
        FoundLink,
        url=st.one_of(
            st.builds(
                "http://{}/{}".format,
                st.sampled_from(["example.org", "www.example.org", "other.example"]),
                st.integers(0, 30),
            ),
            st.sampled_from(
                ["http://example.org/a.zip", "http://example.org/logout", "nonsense", "http://example.org/?p=1"]
            ),
        ),
        text=st.sampled_from(["", "prices", "news"]),
        nofollow=st.booleans(),
        listed=st.booleans(),
    ),
    max_size=12,
)


@given(
    pages=st.lists(_LINKS, max_size=40),
    depth=st.integers(0, 4),
    at_once=st.integers(1, 4),
    retried=st.sets(st.integers(0, 40)),
)
def test_no_page_is_visited_twice_nor_too_deep_nor_elsewhere(
    pages: list[list[FoundLink]], depth: int, at_once: int, retried: set[int]
) -> None:
    frontier = _frontier(depth=depth, wanted="prices")
    under_way: list[Visit] = []
    taken: list[Visit] = []
    waiting = iter(pages)
    while True:
        while len(under_way) < at_once and (visit := frontier.take()) is not None:
            under_way.append(visit)
            taken.append(visit)
        if not under_way:
            break
        visit = under_way.pop(0)
        if len(taken) in retried:
            frontier.retry(visit)
            continue
        frontier.add_links(next(waiting, []), depth=visit.depth + 1)
        frontier.done(visit)

    first_visits = [visit.address.key for visit in taken if not visit.is_retry]
    assert len(first_visits) == len(set(first_visits))
    assert len([visit for visit in taken if visit.is_retry]) <= len(retried)
    assert all(visit.depth <= depth for visit in taken)
    assert all(visit.address.site == "example.org" for visit in taken)
    assert [visit.depth for visit in taken] == sorted(visit.depth for visit in taken)  # nearest first
    assert not {"/a.zip", "/logout"} & {visit.address.path for visit in taken}
    assert len(frontier) == 0


def test_within_a_depth_come_first_those_that_fit_then_those_nearby() -> None:
    frontier = _frontier(wanted="How much does shipping cost?")
    start = _first(frontier)
    frontier.add_links(_offers("/elsewhere", "/docs/list?page=2", "/docs/install"), depth=1)
    frontier.add_links([FoundLink(url="http://example.org/docs/listed", listed=True)], depth=1)
    frontier.add_links([FoundLink(url="http://example.org/x", text="Shipping costs")], depth=1)
    frontier.done(start)

    assert _rest(frontier) == ["/x", "/docs/install", "/docs/list?page=2", "/elsewhere", "/docs/listed"]


def test_a_depth_begins_when_the_one_before_is_done() -> None:
    frontier = _frontier()
    frontier.done(_first(frontier))
    frontier.add_links(_offers("/a", "/b"), depth=1)
    one, other = _first(frontier), _first(frontier)
    frontier.add_links(_offers("/deep"), depth=2)
    frontier.done(one)

    assert frontier.take() is None
    assert len(frontier) == 1
    frontier.done(other)
    assert _rest(frontier) == ["/deep"]


def test_a_page_is_tried_again_once_and_behind_the_others() -> None:
    frontier = _frontier()
    frontier.done(_first(frontier))
    frontier.add_links(_offers("/a", "/b", "/c"), depth=1)
    refused = _first(frontier)
    frontier.retry(refused)

    assert [(visit.address.path, visit.is_retry) for visit in (_first(frontier), _first(frontier))] == [
        ("/b", False),
        ("/c", False),
    ]
    is_retry = _first(frontier)
    assert (is_retry.address.path, is_retry.is_retry) == ("/a", True)
    frontier.retry(is_retry)
    assert frontier.take() is None


def test_reasons_are_counted_once_for_each_url() -> None:
    frontier = _frontier(depth=1)
    links = [
        *_offers("/a.zip", "/logout"),
        FoundLink(url="http://other.example/"),
        FoundLink(url="http://example.org/n", nofollow=True),
    ]
    for _ in range(3):
        frontier.add_links(links, depth=1)

    assert frontier.skipped == {"file": 1, "action": 1, "other site": 1, "nofollow": 1}
    assert not frontier.deeper


def test_it_is_known_that_there_is_more_beyond_the_depth() -> None:
    frontier = _frontier(depth=1)
    frontier.add_links([FoundLink(url="http://other.example/"), *_offers("/a.zip", "/docs/")], depth=2)
    assert not frontier.deeper

    frontier.add_links(_offers("/more"), depth=2)
    assert frontier.deeper


def test_links_without_an_end_are_not_all_kept() -> None:
    frontier = _frontier(pages=1000)
    for page in range(3):
        frontier.add_links(_offers(*(f"/{page}/{number}" for number in range(6000))), depth=1)

    assert len(frontier) <= 10_000
    assert frontier.skipped["too many links"] > 0


def test_old_links_in_the_open_are_followed_encrypted_where_the_first_page_is() -> None:
    frontier = _frontier("https://example.org/")
    frontier.done(_first(frontier))
    frontier.add_links(
        [*_offers("/a", "/b?x=http://example.org/"), FoundLink(url="http://example.org:8080/c")], depth=1
    )

    assert [_first(frontier).address.url, _first(frontier).address.url] == [
        "https://example.org/a",
        "https://example.org/b?x=http://example.org/",
    ]
    assert frontier.skipped == {"other site": 1}
