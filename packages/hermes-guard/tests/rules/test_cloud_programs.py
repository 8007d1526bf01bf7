"""Command lines of clouds, platforms, clusters and containers: deletions, and daily use."""

from pathlib import Path

import pytest

from hermes_guard.guard import Guard
from hermes_guard.rules import cloud, cluster, containers

GUARD = Guard()
OWN = {rule.id for family in (cloud, cluster, containers) for rule in family.FAMILY.rules}
COMMANDS = Path(__file__).parent / "commands"


def _commands(name: str) -> list[str]:
    return (COMMANDS / name).read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("command", _commands("cloud_asked.txt"))
def test_what_deletes_stops_or_opens_is_asked_about(command: str) -> None:
    found = GUARD.judge(command, home="/home/u")
    assert not found.allowed
    assert OWN & set(found.rules)


@pytest.mark.parametrize("command", _commands("cloud_unasked.txt"))
def test_reads_and_deploys_run_unasked(command: str) -> None:
    assert not OWN & set(GUARD.judge(command, home="/home/u").rules)
