"""Who is asked: the user's choice, then the best that can be used."""

from __future__ import annotations

from typing import Any

import pytest

from hermes_core import ToolUnavailableError
from hermes_tools_web.providers.protocol import EXTRACT, SEARCH, Setup
from hermes_tools_web.providers.selection import choose, provider_factories, survey

SEARCHERS = {name: make() for name, make in provider_factories()[SEARCH].items()}
READERS = {name: make() for name, make in provider_factories()[EXTRACT].items()}
KEYS = {f"{name}_api_key": "k1" for name in ("tavily", "exa", "parallel", "firecrawl", "brave")}
ALL = {**KEYS, "searxng_url": "http://localhost:8080"}


class Another:
    """A provider of somebody else."""

    setup = Setup(title="Another", about="", url="https://another.example.org")

    def __init__(self, missing: Any = None) -> None:
        self._missing = missing

    def missing(self, access: Any) -> Any:
        if isinstance(self._missing, Exception):
            raise self._missing
        return self._missing


def names(choice: Any) -> list[str]:
    return [candidate.name for candidate in choice.candidates]


def refusal(point: str, access: Any, **options: Any) -> ToolUnavailableError:
    ours, others = (SEARCHERS, READERS) if point == SEARCH else (READERS, SEARCHERS)
    with pytest.raises(ToolUnavailableError) as caught:
        choose(point, {**ours, **options}, access, others=others)
    return caught.value


def test_without_any_settings_there_is_always_somebody(access: Any) -> None:
    assert names(choose(SEARCH, SEARCHERS, access())) == ["ddgs"]
    assert names(choose(EXTRACT, READERS, access())) == ["direct"]


def test_those_with_keys_come_in_one_order(access: Any) -> None:
    opened = access(**ALL)
    assert names(choose(SEARCH, SEARCHERS, opened)) == [
        "tavily",
        "exa",
        "parallel",
        "firecrawl",
        "searxng",
        "brave",
        "ddgs",
    ]
    assert names(choose(EXTRACT, READERS, opened)) == ["tavily", "exa", "parallel", "firecrawl", "direct"]


def test_providers_of_others_come_before_those_that_need_nothing(access: Any) -> None:
    both = {**SEARCHERS, "zebra": Another(), "apple": Another()}
    assert names(choose(SEARCH, both, access(brave_api_key="k1"))) == ["brave", "apple", "zebra", "ddgs"]


@pytest.mark.parametrize("setting", ["backend", "search_backend"])
def test_the_users_choice_wins_and_nobody_comes_after_it(access: Any, setting: str) -> None:
    choice = choose(SEARCH, SEARCHERS, access(**ALL, **{setting: " Brave "}), others=READERS)
    assert names(choice) == ["brave"]
    assert choice.explicit


def test_the_own_setting_wins_over_that_for_both(access: Any) -> None:
    opened = access(**ALL, backend="exa", search_backend="brave")
    assert choose(SEARCH, SEARCHERS, opened).name == "brave"
    assert choose(EXTRACT, READERS, opened).name == "exa"


@pytest.mark.parametrize(("old", "new"), [("brave-free", "brave"), ("duckduckgo", "ddgs")])
def test_old_names_are_understood(access: Any, old: str, new: str) -> None:
    assert choose(SEARCH, SEARCHERS, access(**ALL, search_backend=old)).name == new


def test_a_choice_that_cannot_be_used_says_what_it_needs(access: Any) -> None:
    error = refusal(SEARCH, access(search_backend="tavily", exa_api_key="k1"))
    assert error.message == (
        "web.search_backend is tavily, which cannot be used: web.tavily_api_key (or TAVILY_API_KEY) is not set."
    )
    assert error.hint == (
        "Ask the user to run 'hermes config set web.tavily_api_key -', or to set TAVILY_API_KEY; "
        "see https://app.tavily.com."
    )


def test_a_choice_that_does_not_exist_is_told_with_the_nearest(access: Any) -> None:
    error = refusal(SEARCH, access(backend="tavilly"))
    assert error.message == ("web.backend is 'tavilly', which is not a provider. Did the user mean tavily?")
    assert "tavily, exa, parallel, firecrawl, searxng, brave, ddgs" in (error.hint or "")
    assert "Did the user mean" not in refusal(SEARCH, access(backend="qqqqq")).message


def test_one_that_only_searches_cannot_be_chosen_for_pages(access: Any) -> None:
    error = refusal(EXTRACT, access(extract_backend="brave", brave_api_key="k1"))
    assert error.message == "web.extract_backend is brave, which does not extract pages."
    assert refusal(SEARCH, access(search_backend="direct")).message == (
        "web.search_backend is direct, which does not search."
    )


def test_one_that_only_searches_leaves_pages_to_the_best(access: Any) -> None:
    choice = choose(EXTRACT, READERS, access(backend="brave", brave_api_key="k1"), others=SEARCHERS)
    assert names(choice) == ["direct"]
    assert choice.notes == ("web.backend is brave, which does not extract pages. direct is used instead.",)


def test_where_nobody_can_that_is_told(access: Any) -> None:
    with pytest.raises(ToolUnavailableError, match="No provider can search") as caught:
        choose(SEARCH, {"tavily": SEARCHERS["tavily"]}, access())
    assert "hermes web providers" in (caught.value.hint or "")


@pytest.mark.parametrize("odd", [RuntimeError("boom"), 7, False])
def test_a_provider_that_cannot_tell_cannot_be_used(access: Any, odd: Any) -> None:
    assert names(choose(SEARCH, {**SEARCHERS, "odd": Another(odd)}, access())) == ["ddgs"]
    error = refusal(SEARCH, access(search_backend="odd"), odd=Another(odd))
    assert "odd failed to report its status" in error.message


def test_a_survey_says_who_does_what_and_what_the_rest_needs(access: Any) -> None:
    found = survey(SEARCHERS, READERS, access(exa_api_key="k1"))
    rows = {each.name: each for each in found.providers}
    assert list(rows) == ["tavily", "exa", "parallel", "firecrawl", "searxng", "brave", "ddgs", "direct"]
    assert rows["exa"].chosen_for == (SEARCH, EXTRACT)
    assert rows["exa"].ready
    assert not rows["tavily"].ready
    assert rows["tavily"].missing == "web.tavily_api_key (or TAVILY_API_KEY) is not set."
    assert (rows["ddgs"].searches, rows["ddgs"].extracts) == (True, False)
    assert (rows["direct"].searches, rows["direct"].extracts) == (False, True)
    assert found.problems == ()


def test_a_survey_says_what_is_wrong_with_the_choice(access: Any) -> None:
    found = survey(SEARCHERS, READERS, access(search_backend="exa"))
    assert found.problems == (
        "web.search_backend is exa, which cannot be used: web.exa_api_key (or EXA_API_KEY) is not set. "
        "Ask the user to run 'hermes config set web.exa_api_key -', or to set EXA_API_KEY; "
        "see https://dashboard.exa.ai/api-keys.",
    )
    assert {each.name: each.chosen_for for each in found.providers}["direct"] == (EXTRACT,)


def test_a_provider_that_does_not_introduce_itself_is_shown_by_its_name(access: Any) -> None:
    class Silent(Another):
        @property
        def setup(self) -> Setup:  # type: ignore[override]
            raise RuntimeError

    found = survey({"silent": Silent()}, {}, access())
    assert found.providers[0].setup == Setup(title="silent", about="")
