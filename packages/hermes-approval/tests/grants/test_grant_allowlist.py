"""Upstream's `command_allowlist` goes on working, and allows no more than it says."""

from __future__ import annotations

import pytest

from hermes_approval.grants.allowlist import allowlist_grants
from hermes_approval.grants.grant import GrantRequest
from hermes_approval.grants.grant_set import GrantSet


def permitted(
    entries: object, command: str, rule: str = "some.rule", tool: str = "terminal", beside: str = "timeout"
) -> bool:
    grants, problems = allowlist_grants(entries)
    assert problems == []
    request = GrantRequest(tool=tool, rule=rule, args={"command": command, beside: 1}, session_id="s")
    return GrantSet(grants).permit([request]) is not None


def test_the_name_of_a_rule_allows_that_rule_of_the_terminal() -> None:
    assert permitted(["recursive delete"], "rm -rf x", "recursive delete")
    assert not permitted(["recursive delete"], "rm -rf x", "delete in root path")
    assert not permitted(["recursive delete"], "rm -rf x", "recursive delete", tool="execute_code")


def test_a_command_allows_exactly_itself() -> None:
    for entries in (["git push"], ["git push", " git push "], ["git push *", "git push"]):
        assert permitted(entries, "git push")
        assert not permitted(entries, "git pushy")
        assert not permitted(entries, "sudo git push")
    assert not permitted(["git push"], "git push --force origin")
    assert not permitted(["rm -rf /tmp/x"], "rm -rf /tmp/x /etc")


def test_a_star_is_any_text_of_the_command() -> None:
    assert permitted(["git push *"], "git push --force origin")
    assert not permitted(["git push *"], "git push")
    assert permitted(["git push*"], "git push")
    assert permitted(["git * origin"], "git push origin")
    assert not permitted(["git push ?"], "git push x")  # only a star is special


@pytest.mark.parametrize("beside", ["background", "notify_on_complete", "pty", "timeout", "watch_patterns", "workdir"])
def test_how_and_where_the_terminal_runs_it_does_not_matter(beside: str) -> None:
    assert permitted(["git push"], "git push", beside=beside)


@pytest.mark.parametrize("beside", ["force", "env", "host", "Command"])
def test_other_arguments_were_never_allowed(beside: str) -> None:
    assert not permitted(["git push", "git push*"], "git push", beside=beside)


@pytest.mark.parametrize("tail", ["; rm -rf ~", " x && rm y", " x | sh", " $(x)", " `x`", "\nrm x", " > ~/.bashrc"])
def test_what_begins_with_a_command_cannot_hide_another(tail: str) -> None:
    assert not permitted(["git push", "git push *"], "git push" + tail)


def test_grants_have_the_same_ids_every_time() -> None:
    first, second = (allowlist_grants(["git push", "find -delete"])[0] for _ in range(2))
    assert [each.id for each in first] == [each.id for each in second]
    assert len({each.id for each in first}) == len(first) == 4
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
    assert len(grants) == 2
    assert len(problems) == 1
    assert problems[0].startswith("entry 2 is ignored: ")


def test_what_is_wrong_with_an_entry_is_said_in_words() -> None:
    _, problems = allowlist_grants([5, None, True])
    assert problems == [
        "entry 1 is ignored: it is a number, not the name of a rule or a command.",
        "entry 2 is ignored: it is nothing, not the name of a rule or a command.",
        "entry 3 is ignored: it is a yes or no, not the name of a rule or a command.",
    ]


def test_old_keys_that_are_regular_expressions_are_names_of_rules() -> None:
    key = r"\brm\s+(-[^\s]*\s+)*/"
    assert permitted([key], "rm /x", rule=key)
    assert not permitted([key], "rm /x")
