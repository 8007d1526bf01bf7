"""A rule reads each long word only once."""

import time

import pytest

from hermes_guard import judge


def _sum() -> float:
    started = time.process_time()
    sum(number * number for number in range(100_000))
    return time.process_time() - started


BOUND = 24 * min(_sum() for _ in range(5))
"""Seconds of the processor, counted in sums that this machine has done, as everywhere in these tests."""

SIZE = 32_000
LONG = {
    "services that are named again and again": "busctl " + "login1" * (SIZE // 6),
    "users of users": "scp x " + "a@" * (SIZE // 2),
    "users and brackets": "scp x " + "a@[" * (SIZE // 3),
    "many places": "rsync " + ("a@" * 2000 + " ") * 8,
    "flags of a file": "chattr +" + "A" * SIZE + "1 f",
    "folders of git": "rm /" + ".git/" * (SIZE // 5),
    "orders of lftp": "lftp " + ("'" + "mirror " * 550 + "' ") * 8,
    "clauses of a mode": "chmod " + "a+r," * (SIZE // 4 - 200) + "! " + "f " * 300,
    "folders of tar": "tar --remove-files " + "-C a " * (SIZE // 5),
    "members of tar": "tar --remove-files -C " + "a/" * 8000 + " " + "x " * 7900,
}


@pytest.mark.parametrize("name", LONG)
def test_a_long_word_is_judged_at_once(name: str) -> None:
    text = LONG[name]
    judge("ls")
    took: list[float] = []
    for _ in range(3):
        started = time.process_time()
        judge(text, cwd="/home/dev/project", home="/home/dev")
        took.append(time.process_time() - started)
    assert min(took) < BOUND
