"""Cutting text into words, and words down to what their forms share."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_search.ranking.postings import SYNONYM, TOPIC, groups
from hermes_search.ranking.stems import stem
from hermes_search.ranking.words import FILLERS, STOP_WORDS, Spelling, cut, is_misspelling, split


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("create_issue", ["create", "issue"]),
        ("createPullRequestReview", ["create", "pull", "request", "review"]),
        ("HTTPServerError", ["http", "server", "error"]),
        ("mcp__git-hub__list.all", ["mcp", "git", "hub", "list", "all"]),
        ("GitHub", ["github", "git", "hub"]),
        ("k8s", ["k8s", "8"]),
        ("list URLs", ["list", "url"]),
        ("my To-Do list, to-dos", ["my", "todo", "list", "todos"]),
        ("what to do, into-do", ["what", "to", "do", "into", "do"]),
        ("café Ünter", ["cafe", "unter"]),
        ("東京の天気", ["東京", "京の", "の天", "天気"]),
        ("", []),
        ("!?.,", []),
    ],
)
def test_text_and_identifiers_are_cut_where_a_reader_would(text: str, words: list[str]) -> None:
    assert split(text) == words


def test_a_word_that_was_cut_comes_with_what_it_was_cut_out_of() -> None:
    assert list(cut("lock GitHub")) == [(None, ["lock"]), ("github", ["git", "hub"])]


def test_a_run_that_no_word_is_as_long_as_is_left_out() -> None:
    assert split("find " + "x" * 500) == ["find"]


@given(st.text())
def test_any_text_is_cut_into_short_lower_case_words(text: str) -> None:
    for word in split(text):
        assert word
        assert len(word) <= 40
        assert word == word.lower() or not word.isascii()


@pytest.mark.parametrize(
    "forms",
    [
        "create creates created creating creation creator",
        "translate translates translating translation translator translations",
        "calculate calculator calculation",
        "delete deletes deleted deleting deletion",
        "recommend recommends recommendation recommender",
        "city cities",
        "pay pays paying paid payment",
        "run runs running runner",
        "notify notifies notification notifications",
        "convert converts converter conversion",
        "file files filing",
        "summarize summarise summary summaries summarizing",
        "address addresses",
    ],
)
def test_the_forms_of_a_word_share_a_stem(forms: str) -> None:
    assert len({stem(form) for form in forms.split()}) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("car", "care"),
        ("news", "new"),
        ("general", "generate"),
        ("policy", "police"),
        ("user", "use"),
        ("add", "ad"),
        ("customers", "custom"),
        ("university", "universe"),
        ("comments", "com"),
        ("commented", "com"),
        ("business", "busy"),
        ("settings", "set"),
        ("production", "products"),
        ("departments", "depart"),
    ],
)
def test_different_words_keep_different_stems(one: str, other: str) -> None:
    assert stem(one) != stem(other)


def test_a_word_that_only_looks_like_a_form_of_another_still_shares_a_stem_with_its_own_forms() -> None:
    assert stem("commented") == stem("comments") == stem("comment")
    assert stem("customers") == stem("customer")


def test_a_stem_is_never_empty() -> None:
    assert all(stem(word) for word in [*STOP_WORDS, *FILLERS, "s", "ing", "ed", "ies", "ation", "ment"])


def test_stop_words_and_fillers_are_different_words() -> None:
    assert not STOP_WORDS & FILLERS


def test_words_of_one_topic_and_synonyms_are_in_a_common_group() -> None:
    known = groups()
    assert {it for it in known[stem("umbrella")] if it[0] == TOPIC} & set(known[stem("weather")])
    assert {it for it in known[stem("remove")] if it[0] == SYNONYM} & set(known[stem("delete")])


@pytest.mark.parametrize("typed", ["isue", "issues", "isssue", "sisue", "ixsue", "issu"])
def test_one_mistake_is_a_letter_missing_added_wrong_or_swapped(typed: str) -> None:
    assert is_misspelling(typed, "issue")


@pytest.mark.parametrize("typed", ["isu", "eussi", "tissues", "axsuq", ""])
def test_two_mistakes_are_too_many(typed: str) -> None:
    assert not is_misspelling(typed, "issue")


@given(st.text("ab", max_size=6), st.text("ab", max_size=6))
def test_it_does_not_matter_which_of_two_words_has_the_mistake(one: str, other: str) -> None:
    assert is_misspelling(one, other) == is_misspelling(other, one)


def test_a_beginning_stands_for_the_words_that_begin_so() -> None:
    spelling = Spelling(["repository", "report", "issue"])
    assert spelling.near("repo") == ["report", "repository"]
    assert spelling.near("isue") == ["issue"]
    assert spelling.near("zebra") == []


def test_a_beginning_of_too_many_words_stands_for_none() -> None:
    assert Spelling(f"con{letter}" for letter in "abcdefghij").near("con") == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Straße", "STRASSE"),
        ("Łódź", "lodz"),
        ("smørrebrød", "smorrebrod"),
        ("e\u00admail", "email"),
        ("\u200fissue", "issue"),
        ("☔\ufe0f", "☔"),
        ("हिन्दी", "हिंन्दी"),
    ],
)
def test_what_comes_and_goes_with_who_writes_makes_no_other_word(one: str, other: str) -> None:
    assert split(one) == split(other)
    assert len(split(one)) == 1


def test_vowel_signs_do_not_cut_a_word() -> None:
    assert len(split("मौसम की जानकारी")) == 3


def test_scripts_without_blanks_are_cut_into_pairs_to_their_end() -> None:
    assert set(split("อาหาร")) <= set(split("ค้นหาร้านอาหารใกล้เคียง"))
    assert "气好" in split("查询" * 30 + "天气好")


def test_each_emoji_is_a_word() -> None:
    assert split("☔☔ rain🚀") == ["☔", "☔", "rain", "🚀"]


@pytest.mark.parametrize("short", ["msg", "msgs", "MSG"])
def test_a_short_form_is_the_word_it_stands_for(short: str) -> None:
    assert [stem(it) for it in split(short)] == [stem("message")]


def test_the_article_of_arabic_is_no_part_of_the_word() -> None:
    assert stem("المطاعم") == stem("مطاعم")
    assert stem("الم") == "الم"


def test_a_mistake_anywhere_is_found() -> None:
    spelling = Spelling(["kubernetes", "mail", "issue", "tables"])
    for known in ("kubernetes", "mail", "issue", "tables"):
        for at in range(len(known)):
            assert spelling.near(known[:at] + "q" + known[at + 1 :]) == [known]
            assert known in spelling.near(known[:at] + "q" + known[at:])
            if len(known) > 4:
                assert known in spelling.near(known[:at] + known[at + 1 :])
            if at and known[at] != known[at - 1]:
                assert spelling.near(known[: at - 1] + known[at] + known[at - 1] + known[at + 1 :]) == [known]


def test_forms_that_differ_in_their_ends_are_akin() -> None:
    spelling = Spelling(["авиабилетов", "авиация", "factura"])
    assert spelling.akin("авиабилеты") == ["авиабилетов"]
    assert spelling.akin("facturación") == []
    assert spelling.akin("avia") == []


@pytest.mark.parametrize(
    "forms",
    [
        "deliver delivers delivered delivery deliveries",
        "discover discovery discoverer",
        "history historical historic",
        "decide decision decisions",
        "compare comparison",
        "finance financial",
        "statistics statistical stats",
        "color colour colours",
        "math mathematics",
        "pr PRs prs",
        "repository repo repos",
    ],
)
def test_nouns_and_adjectives_of_a_word_are_one_with_it_though_they_end_otherwise(forms: str) -> None:
    assert len({stem(word) for word in split(forms)}) == 1
