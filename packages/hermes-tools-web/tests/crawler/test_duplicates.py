"""Pages that are there already."""

from __future__ import annotations

from hermes_tools_web.crawler.report import DuplicateDetector

_STORY = " ".join(f"word{number}" for number in range(200))


def test_the_same_text_is_there_whatever_its_spaces_and_capitals() -> None:
    known = DuplicateDetector()

    assert known.add("a", "", "The same  text.\n")
    assert not known.add("b", "", "the same text.")
    assert known.add("c", "", "Another text.")


def test_a_page_is_there_under_its_own_key() -> None:
    known = DuplicateDetector()
    known.add("a", "", _STORY)

    assert known.has("a")
    assert not known.has("b")
    assert not known.add("a", "", "Other words by now.")


def test_an_address_that_a_page_calls_its_own_is_believed_if_the_texts_are_alike() -> None:
    known = DuplicateDetector()

    assert known.add("print", "story", f"{_STORY} printed")
    assert not known.add("story", "story", _STORY)
    assert not known.add("mobile", "story", f"Menu {_STORY}")


def test_two_pages_that_call_each_other_their_own_are_one() -> None:
    known = DuplicateDetector()

    assert known.add("a", "b", _STORY)
    assert not known.add("b", "a", f"{_STORY} more")


def test_an_address_that_all_pages_share_is_not_believed() -> None:
    known = DuplicateDetector()

    assert known.add("home", "home", "Welcome to all of our pages.")
    assert known.add("a", "home", _STORY)
    assert known.add("b", "home", "Something else entirely, with its own words.")
