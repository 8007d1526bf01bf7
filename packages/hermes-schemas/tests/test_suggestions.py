"""Names that are meant by misspelt ones."""

from __future__ import annotations

import pytest

from hermes_schemas import nearest

NAMES = ["create_issue", "close_issue", "read_mail", "Search"]


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("create_isue", "create_issue"),
        ("issue_create", "create_issue"),
        ("mail-read", "read_mail"),
        ("serch", "Search"),
    ],
)
def test_a_name_with_a_mistake_or_its_words_in_another_order_is_recognised(name: str, meant: str) -> None:
    assert nearest(name, NAMES)[0] == meant


def test_nothing_is_near_a_name_that_is_like_none_and_never_more_than_wanted() -> None:
    assert nearest("xyzzy", NAMES) == []
    assert len(nearest("a_b", [f"a_b{number}" for number in range(50)] + ["b_a"], 2)) == 2
    assert nearest("a_b", ["b_a", *(f"a_b{number}" for number in range(50))], 2)[0] == "b_a"
