"""Upstream's `command_allowlist` goes on working, and allows no more than it says."""

from __future__ import annotations

import pytest

from hermes_core.approval.grants.allowlist import allowlist_grants
from hermes_core.approval.grants.grant import GrantRequest
from hermes_core.approval.grants.grant_set import GrantSet


def permitted(entries: object, command: str, rule: str = "some.rule", tool: str = "terminal") -> bool:
    grants, problems = allowlist_grants(entries)
    assert problems == []
    request = GrantRequest(tool=tool, rule=rule, args={"command": command, "timeout": 5}, session_id="s")
    return GrantSet(grants).permit([request]) is not None


def test_the_name_of_a_rule_allows_that_rule_of_the_terminal() -> None:
    assert permitted(["recursive delete"], "rm -rf x", "recursive delete")
    assert not permitted(["recursive delete"], "rm -rf x", "delete in root path")
    assert not permitted(["recursive delete"], "rm -rf x", "recursive delete", tool="execute_code")


def test_a_command_allows_itself_and_what_begins_with_it() -> None:
    for entries in (["git push"], ["git push", " git push "], ["git push *", "git push"]):
        assert permitted(entries, "git push")
        assert permitted(entries, "git push --force origin")
        assert not permitted(entries, "git pushy")
        assert not permitted(entries, "sudo git push")
    assert not permitted(["git push *"], "git push")


@pytest.mark.parametrize("tail", ["; rm -rf ~", " x && rm y", " x | sh", " $(x)", " `x`", "\nrm x", " > ~/.bashrc"])
def test_what_begins_with_a_command_cannot_hide_another(tail: str) -> None:
    assert not permitted(["git push", "git push *"], "git push" + tail)


def test_grants_have_the_same_ids_every_time() -> None:
    first, second = (allowlist_grants(["git push", "find -delete"])[0] for _ in range(2))
    assert [each.id for each in first] == [each.id for each in second]
    assert len({each.id for each in first}) == len(first) == 6
    assert all("command_allowlist" in each.reason for each in first)


def test_nothing_is_nothing() -> None:
    assert allowlist_grants(None) == allowlist_grants([]) == ([], [])


@pytest.mark.parametrize("entries", ["git push", {"git": "push"}, 5, True])
def test_what_is_no_list_is_a_problem(entries: object) -> None:
    grants, problems = allowlist_grants(entries)
    assert grants == []
    assert "list of texts" in problems[0]


@pytest.mark.parametrize("entry", ["*", "* push", "***", "", "  ", None, 5, ["git"], "a*" * 101])
def test_an_entry_that_cannot_be_meant_is_named_and_the_others_count(entry: object) -> None:
    grants, problems = allowlist_grants(["git push", entry])
    assert len(grants) == 3
    assert len(problems) == 1
    assert problems[0].startswith("command_allowlist[1]: ")
    assert problems[0].endswith("This entry is not used.")


def test_old_keys_that_are_regular_expressions_are_names_of_rules() -> None:
    key = r"\brm\s+(-[^\s]*\s+)*/"
    assert permitted([key], "rm /x", rule=key)
    assert not permitted([key], "rm /x")
