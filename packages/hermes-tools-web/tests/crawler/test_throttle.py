"""The time between requests, with a clock that the test moves."""

from __future__ import annotations

from collections.abc import Callable

import anyio
import pytest

from hermes_tools_web.crawler.throttle import Pace


class Clock:
    """A time that passes when somebody sleeps, and calls somebody who is due meanwhile."""

    def __init__(self) -> None:
        self.now = 100.0
        self.meanwhile: list[Callable[[], object]] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        """Let time pass."""
        await anyio.lowlevel.checkpoint()
        self.now += seconds
        if self.meanwhile:
            self.meanwhile.pop(0)()


@pytest.fixture
def clock() -> Clock:
    """The time of the test."""
    return Clock()


def _turns(pace: Pace, clock: Clock, count: int) -> list[float]:
    async def take() -> list[float]:
        begun = []
        for _ in range(count):
            await pace.turn()
            begun.append(clock.now - 100)
        return begun

    return anyio.run(take)


def test_the_first_request_does_not_wait_and_the_others_do(clock: Clock) -> None:
    assert _turns(Pace(0.5, clock=clock, sleep=clock.sleep), clock, 4) == [0, 0.5, 1.0, 1.5]


def test_a_site_may_ask_for_more_time_but_not_for_all_of_it(clock: Clock) -> None:
    pace = Pace(0.5, clock=clock, sleep=clock.sleep)
    pace.ask_for(0.1)
    assert pace.seconds == 0.5
    pace.ask_for(2)
    assert pace.seconds == 2
    pace.ask_for(86_400)
    assert pace.seconds == 10
    pace.ask_for(None)
    assert pace.seconds == 10


def test_requests_that_do_not_wait_make_the_next_wait_longer(clock: Clock) -> None:
    pace = Pace(1, clock=clock, sleep=clock.sleep)
    assert _turns(pace, clock, 1) == [0]
    pace.begun()
    pace.begun()
    assert _turns(pace, clock, 1) == [3]


def test_a_pause_counts_for_who_waits_already(clock: Clock) -> None:
    pace = Pace(1, clock=clock, sleep=clock.sleep)
    _turns(pace, clock, 1)
    clock.meanwhile.append(lambda: pace.refused(20, begun=100))

    assert _turns(pace, clock, 2) == [21, 23]  # and it goes on at half the speed


def test_a_site_that_refuses_three_times_in_a_row_is_left_alone(clock: Clock) -> None:
    pace = Pace(1, clock=clock, sleep=clock.sleep)
    answers = []
    for _ in range(3):
        clock.now += 100
        answers.append(pace.refused(None, begun=clock.now))

    assert answers == [False, False, True]


def test_an_answer_in_between_counts_as_good_will(clock: Clock) -> None:
    pace = Pace(1, clock=clock, sleep=clock.sleep)
    for _ in range(10):
        clock.now += 100
        assert not pace.refused(1, begun=clock.now)
        pace.accepted()

    assert pace.seconds == 10


def test_refusals_of_requests_under_way_count_as_one(clock: Clock) -> None:
    pace = Pace(0, clock=clock, sleep=clock.sleep)
    clock.now += 5

    assert [pace.refused(1, begun=101) for _ in range(8)] == [False] * 8
    assert pace.seconds == 0.5


def test_who_wants_a_long_pause_is_left_alone(clock: Clock) -> None:
    assert Pace(1, clock=clock, sleep=clock.sleep).refused(31, begun=100)


def test_a_server_that_only_fails_is_given_a_pause_but_is_not_asked_more_slowly(clock: Clock) -> None:
    pace = Pace(1, clock=clock, sleep=clock.sleep)
    assert not pace.refused(None, begun=100, is_asked_too_often=False)

    assert _turns(pace, clock, 3) == [2, 3, 4]
