"""Windows of time: within a day, over midnight, on some days."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from hermes_approval.matchers.rule_error import RuleError
from hermes_approval.policy.call_facts import Subject, ToolFacts
from hermes_approval.policy.time_windows import compile_time

FRIDAY = datetime(2024, 5, 3)


@pytest.mark.parametrize(
    ("window", "hour", "expected"),
    [
        ({"after": "09:00", "before": "17:00"}, 9.0, True),
        ({"after": "09:00", "before": "17:00"}, 16.99, True),
        ({"after": "09:00", "before": "17:00"}, 17.0, False),
        ({"after": "9:00"}, 23.9, True),
        ({"after": "9:00"}, 8.9, False),
        ({"before": "09:00"}, 0.0, True),
        ({"before": "09:00"}, 9.0, False),
        ({"after": "12:00", "before": "24:00"}, 23.99, True),
        ({"after": "22:00", "before": "06:00"}, 22.0, True),
        ({"after": "22:00", "before": "06:00"}, 5.99, True),
        ({"after": "22:00", "before": "06:00"}, 6.0, False),
        ({"after": "22:00", "before": "06:00"}, 12.0, False),
        ({"days": ["fri"]}, 12.0, True),
        ({"days": "Friday"}, 12.0, True),
        ({"days": ["mon", "THU"]}, 12.0, False),
        ({"after": "22:00", "before": "06:00", "days": ["fri"]}, 23.0, True),
        ({"after": "22:00", "before": "06:00", "days": ["fri"]}, 24 + 5.0, True),  # Saturday, early
        ({"after": "22:00", "before": "06:00", "days": ["fri"]}, 5.0, False),  # belongs to Thursday
        ({"after": "22:00", "before": "06:00", "days": ["thu"]}, 5.0, True),
        ({"after": "22:00", "before": "06:00", "days": ["sun"]}, 72 + 1.0, True),  # Monday, early
    ],
)
def test_a_window_holds_from_its_beginning_until_before_its_end(
    window: dict[str, Any], hour: float, expected: bool
) -> None:
    assert compile_time(window)(FRIDAY + timedelta(hours=hour)) is expected


@pytest.mark.parametrize(
    ("window", "words"),
    [
        ({}, "not a time window"),
        ("22:00", "not a time window"),
        ({"after": "25:00"}, "not a time of day"),
        ({"after": 1320}, "put it in quotes"),
        ({"after": True}, "not a time of day"),
        ({"before": "6 am"}, "not a time of day"),
        ({"after": "06:00", "before": "06:00"}, "never applies"),
        ({"days": ["frid"]}, "is not a day"),
        ({"days": [5]}, "is not a day"),
        ({"days": []}, "names no day"),
        ({"until": "06:00"}, "no such key"),
    ],
)
def test_what_is_no_window_is_refused(window: object, words: str) -> None:
    with pytest.raises(RuleError, match=words):
        compile_time(window)


def test_a_time_with_a_zone_is_read_on_the_local_clock() -> None:
    elsewhere = datetime(2024, 5, 3, 12, 0, tzinfo=timezone(timedelta(hours=7)))
    subject = Subject(ToolFacts("x"), {}, when=elsewhere)
    assert subject.when == elsewhere.astimezone().replace(tzinfo=None)
    assert subject.when.tzinfo is None
