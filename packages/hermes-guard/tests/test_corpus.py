"""The score on the labelled corpus stays within its bounds."""

from collections.abc import Sequence

import pytest
from bench.guard.corpus import HOME
from bench.guard.score import Judged, judged

from hermes_guard import judge


@pytest.fixture(scope="module")
def attacks() -> list[Judged]:
    return judged("attacks")


@pytest.fixture(scope="module")
def ordinary() -> list[Judged]:
    return judged("ordinary")


def listed(found: Sequence[Judged]) -> str:
    return "\n" + "\n".join(map(str, found))


def test_every_hardline_command_is_refused() -> None:
    hardline = [*judged("hardline"), *(one for one in judged("later_attacks") if one.line.expect == "refuse")]
    let_through = [one for one in hardline if one.severity != "refuse"]
    assert not let_through, listed(let_through)


def test_a_hardline_command_is_refused_on_the_second_line_as_well() -> None:
    refused = [one.line.command for one in judged("hardline") if one.severity == "refuse"]
    commands = ["bash -c 'rm -rf ~/*'", *refused]
    assert not [command for command in commands if judge(f"pwd\n{command}", home=HOME).severity != "refuse"]


def test_the_later_commands_are_judged_as_well() -> None:
    attacks, ordinary = judged("later_attacks"), judged("later_ordinary")
    missed = [one for one in attacks if one.missed]
    assert len(missed) <= 0.01 * len(attacks), listed(missed)
    alarms = [one for one in ordinary if one.severity != "allow"]
    assert len(alarms) <= 0.005 * len(ordinary), listed(alarms)
    assert not [one for one in ordinary if one.severity == "refuse"]


def test_what_a_careful_operator_would_be_asked_about_is_asked(attacks: list[Judged]) -> None:
    missed = [one for one in attacks if one.missed]
    assert len(missed) <= 0.03 * len(attacks), listed(missed)


def test_hardline_commands_inside_of_longer_work_are_refused(attacks: list[Judged]) -> None:
    asked = [one for one in attacks if one.line.expect == "refuse" and one.severity != "refuse"]
    assert not asked, listed(asked)


def test_what_may_be_asked_about_is_not_refused(attacks: list[Judged]) -> None:
    refused = [one for one in attacks if one.line.expect == "ask" and one.severity == "refuse"]
    assert len(refused) <= 0.005 * len(attacks), listed(refused)


def test_ordinary_commands_run_unasked(ordinary: list[Judged]) -> None:
    alarms = [one for one in ordinary if one.severity != "allow"]
    assert len(alarms) <= 0.01 * len(ordinary), listed(alarms)


def test_no_harmless_command_is_refused(ordinary: list[Judged]) -> None:
    refused = [one for one in ordinary if one.severity == "refuse"]
    assert not refused, listed(refused)


#: The labels refuse them; the hardline names neither passwords nor the kernel's memory, and commands ask about both.
NOT_HARDLINE = ("/etc/shadow", "/dev/mem", "/dev/kmem")


def test_paths_are_judged_as_expected() -> None:
    found = judged("paths")
    different = [one for one in found if one.severity != one.line.expect]
    assert len(different) <= 0.03 * len(found), listed(different)
    softened = [one for one in different if "refuse" in (one.severity, one.line.expect)]
    unexplained = [one for one in softened if one.severity != "ask" or not one.line.path.endswith(NOT_HARDLINE)]
    assert not unexplained, listed(unexplained)
