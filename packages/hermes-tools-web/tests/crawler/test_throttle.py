"""The time between requests, with a clock that the test moves."""

from __future__ import annotations

from collections.abc import Callable

import anyio
import pytest

from hermes_tools_web.crawler.throttle import Throttle


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


def _turns(throttle: Throttle, clock: Clock, count: int) -> list[float]:
    async def take() -> list[float]:
        begun = []
        for _ in range(count):
            await throttle.wait_turn()
            begun.append(clock.now - 100)
        return begun

    return anyio.run(take)


def test_the_first_request_does_not_wait_and_the_others_do(clock: Clock) -> None:
    assert _turns(Throttle(0.5, clock=clock, sleep=clock.sleep), clock, 4) == [0, 0.5, 1.0, 1.5]


def test_a_site_may_ask_for_more_time_but_not_for_all_of_it(clock: Clock) -> None:
    throttle = Throttle(0.5, clock=clock, sleep=clock.sleep)
    throttle.raise_delay(0.1)
    assert throttle.seconds == 0.5
    throttle.raise_delay(2)
    assert throttle.seconds == 2
    throttle.raise_delay(86_400)
    assert throttle.seconds == 10
    throttle.raise_delay(None)
    assert throttle.seconds == 10


def test_requests_that_do_not_wait_make_the_next_wait_longer(clock: Clock) -> None:
    throttle = Throttle(1, clock=clock, sleep=clock.sleep)
    assert _turns(throttle, clock, 1) == [0]
    throttle.begun()
    throttle.begun()
    assert _turns(throttle, clock, 1) == [3]


def test_a_pause_counts_for_who_waits_already(clock: Clock) -> None:
    throttle = Throttle(1, clock=clock, sleep=clock.sleep)
    _turns(throttle, clock, 1)
    clock.meanwhile.append(lambda: throttle.refused(20, begun=100))

    assert _turns(throttle, clock, 2) == [21, 23]  # and it goes on at half the speed


def test_a_site_that_refuses_three_times_in_a_row_is_left_alone(clock: Clock) -> None:
    throttle = Throttle(1, clock=clock, sleep=clock.sleep)
    answers = []
    for _ in range(3):
        clock.now += 100
        answers.append(throttle.refused(None, begun=clock.now))

    assert answers == [False, False, True]


def test_an_answer_in_between_counts_as_good_will(clock: Clock) -> None:
    throttle = Throttle(1, clock=clock, sleep=clock.sleep)
    for _ in range(10):
        clock.now += 100
        assert not throttle.refused(1, begun=clock.now)
        throttle.accepted()

    assert throttle.seconds == 10


def test_refusals_of_requests_under_way_count_as_one(clock: Clock) -> None:
    throttle = Throttle(0, clock=clock, sleep=clock.sleep)
    clock.now += 5

    assert [throttle.refused(1, begun=101) for _ in range(8)] == [False] * 8
    assert throttle.seconds == 0.5


def test_who_wants_a_long_pause_is_left_alone(clock: Clock) -> None:
    assert Throttle(1, clock=clock, sleep=clock.sleep).refused(31, begun=100)


def test_a_server_that_only_fails_is_given_a_pause_but_is_not_asked_more_slowly(clock: Clock) -> None:
    throttle = Throttle(1, clock=clock, sleep=clock.sleep)
    assert not throttle.refused(None, begun=100, is_asked_too_often=False)

    assert _turns(throttle, clock, 3) == [2, 3, 4]
