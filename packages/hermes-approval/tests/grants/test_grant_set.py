"""A set permits a whole call or nothing, counts every use, and gives children at most what it has."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from hermes_approval.grants.grant import Grant, GrantRequest
from hermes_approval.grants.grant_set import GrantSet
from hermes_approval.grants.grant_store import FILE, GrantStore
from hermes_core.errors import ConfigError


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def grant(id: str = "g", **changes: Any) -> Grant:
    facts: dict[str, Any] = {"tool": "t", "rule": "r", "args": {}, "scope": "always", "by": "me", "at": 0}
    return Grant(id=id, **{**facts, **changes})


def ask(rule: str = "r", tool: str = "t", session: str = "s1", **args: Any) -> GrantRequest:
    return GrantRequest(tool=tool, rule=rule, args=args, session_id=session)


def test_an_empty_set_permits_only_a_call_that_asks_for_nothing() -> None:
    assert GrantSet().permit([ask()]) is None
    assert GrantSet().permit([]) == ()
    assert GrantSet(None).permit([ask()]) is None


def test_a_call_is_permitted_as_a_whole_or_not_at_all() -> None:
    grants = GrantSet([grant("a", uses=1), grant("b", rule="q", uses=1)])
    assert grants.permit([ask(), ask("missing")]) is None
    assert grants.permit([ask("missing"), ask()]) is None
    assert [each.uses for each in grants.list()] == [1, 1]
    permitted = grants.permit([ask("q"), ask()])
    assert permitted is not None
    assert [each.id for each in permitted] == ["b", "a"]
    assert grants.list() == ()


def test_a_grant_that_answers_two_findings_of_a_call_is_used_once() -> None:
    grants = GrantSet([grant(uses=2)])
    assert grants.permit([ask(), ask()]) is not None
    assert grants.list()[0].uses == 1


def test_once_is_once() -> None:
    grants = GrantSet([grant(scope="once")])
    assert grants.peek([ask()]) == grants.peek([ask()]) == grants.list()
    assert grants.permit([ask()]) is not None
    assert grants.permit([ask()]) is None
    assert grants.list() == ()


def test_a_used_up_or_revoked_grant_cannot_be_added_again() -> None:
    grants, one = GrantSet(), grant(scope="once")
    grants.add(one)
    grants.permit([ask()])
    with pytest.raises(ConfigError, match="used up or revoked"):
        grants.add(one)
    grants.add(grant("h"))
    assert grants.revoke("h") is True
    assert grants.revoke("h") is False
    with pytest.raises(ConfigError, match="used up or revoked"):
        grants.add(grant("h"))
    assert grants.permit([ask()]) is None


def test_two_grants_cannot_have_one_id() -> None:
    with pytest.raises(ConfigError, match="already"):
        GrantSet([grant(), grant(rule="q")])
    grants = GrantSet([grant()])
    with pytest.raises(ConfigError, match="already"):
        grants.add(grant(uses=5))


def test_an_expired_grant_permits_nothing() -> None:
    clock = Clock()
    grants = GrantSet([grant(expires=1010)], clock=clock)
    child = grants.child()
    clock.now = 1009.999
    assert child.permit([ask()]) is not None
    clock.now = 1010
    assert grants.permit([ask()]) is None
    assert child.permit([ask()]) is None
    assert grants.list() == child.list() == ()


def test_a_grant_without_a_limit_is_used_before_one_with_a_limit() -> None:
    grants = GrantSet([grant("few", uses=1), grant("once", scope="once"), grant("free"), grant("more", uses=9)])
    for expected in ("free", "free"):
        permitted = grants.permit([ask()])
        assert permitted is not None
        assert permitted[0].id == expected
    grants.revoke("free")
    permitted = grants.permit([ask()])
    assert permitted is not None
    assert permitted[0].id == "more"


def test_a_child_has_at_most_what_its_parent_has() -> None:
    parent = GrantSet([grant("p", args={"path": {"under": "/srv"}})])
    child = parent.child([grant("c", args={"path": {"under": "/"}}), grant("d", rule="q")])
    assert child.permit([ask(path="/srv/x")]) is not None
    assert child.permit([ask(path="/etc/x")]) is None
    assert child.permit([ask("q")]) is None
    child.add(grant("everything", args={"*": {"any": True}}))
    assert child.permit([ask(path="/etc/x")]) is None
    assert parent.child([]).permit([ask(path="/srv/x")]) is None


def test_a_child_without_grants_of_its_own_has_everything_of_its_parent() -> None:
    parent = GrantSet([grant("p")])
    child = parent.child().child()
    assert child.list() == parent.list()
    assert child.permit([ask()]) == parent.list()
    child.add(grant("more", rule="q"))
    assert child.permit([ask("q")]) is None
    assert child.permit([ask()]) is not None
    parent.revoke("p")
    assert child.permit([ask()]) is None


def test_children_share_the_counters_of_their_ancestors() -> None:
    root = GrantSet([grant("p", uses=3)])
    one, two = root.child(), root.child([grant("c", uses=2)]).child()
    assert two.permit([ask()]) is not None
    assert two.permit([ask()]) is not None
    assert two.permit([ask()]) is None, "its parent has used up its own"
    assert root.list()[0].uses == 1
    assert one.permit([ask()]) is not None
    assert root.permit([ask()]) is None


def test_a_set_speaks_for_its_session() -> None:
    root = GrantSet([grant("a", scope="session", session="s1")])
    assert root.permit([ask(session="s1")]) is not None
    assert root.permit([ask(session="s2")]) is None
    parent = root.child(session="s1")
    own = grant("b", scope="session", session="s2")
    sub_agent = GrantSet([grant("x", scope="session", session="s1")], session="s1").child([own], session="s2")
    assert sub_agent.permit([ask(session="s2")]) == (own,), "it may use what was allowed for who started it"
    assert parent.permit([ask(session="s1")]) is not None
    root.end_session("s1")
    assert parent.permit([ask(session="s1")]) is None
    assert root.list() == ()


def test_always_grants_go_to_the_store_and_others_stay_in_memory(home: Path) -> None:
    first = GrantSet(store=GrantStore(home))
    first.add(grant("kept"))
    first.add(grant("session", rule="q", scope="session", session="s1"))
    first.add(grant("once", rule="o", scope="once"))
    second = GrantSet(store=GrantStore(home))
    assert [each.id for each in second.list()] == ["kept"]
    assert sorted(each.id for each in first.list()) == ["kept", "once", "session"]
    assert second.revoke("kept") is True
    assert first.permit([ask()]) is None, "at once"
    assert first.permit([ask("q"), ask("o")]) is not None
    with pytest.raises(ConfigError, match="used up or revoked"):
        first.add(grant("kept"))


def test_a_child_never_writes_to_the_store(home: Path) -> None:
    child = GrantSet(store=GrantStore(home)).child([])
    child.add(grant())
    assert not (home / FILE).exists()
    with pytest.raises(ConfigError, match="parent"):
        GrantSet(parent=child, store=GrantStore(home))


def test_uses_of_a_stored_grant_are_counted_for_all_sets(home: Path) -> None:
    one, two = GrantSet(store=GrantStore(home)), GrantSet(store=GrantStore(home)).child()
    one.add(grant("a", uses=3))
    one.add(grant("b", rule="q", uses=1))
    assert two.permit([ask(), ask("q")]) is not None
    assert one.permit([ask(), ask("q")]) is None
    assert [(each.id, each.uses) for each in one.list()] == [("a", 2)]
    assert one.permit([ask()]) is not None
    assert two.permit([ask()]) is not None
    assert one.permit([ask()]) is two.permit([ask()]) is None


def test_a_broken_store_permits_nothing(home: Path) -> None:
    grants = GrantSet([grant()], store=GrantStore(home))
    home.mkdir()
    (home / FILE).write_text("{")
    for act in (grants.permit, grants.peek):
        with pytest.raises(ConfigError, match=FILE):
            act([ask()])


@pytest.mark.parametrize("stored", [False, True])
def test_threads_that_race_use_a_grant_as_often_as_it_says(home: Path, stored: bool) -> None:
    root = GrantSet(store=GrantStore(home) if stored else None)
    root.add(grant("a", uses=25))
    root.add(grant("b", rule="q", scope="session", session="s1", uses=1000))
    sets = [root, root.child(), root.child([grant("c"), grant("d", rule="q")]), root.child().child()]
    start = threading.Barrier(8)
    permitted: list[str] = []

    def work(mine: GrantSet) -> None:
        start.wait()
        for _ in range(10):
            if mine.permit([ask(), ask("q")]) is not None:
                permitted.append("yes")

    threads = [threading.Thread(target=work, args=(sets[index % 4],)) for index in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(permitted) == 25
    assert [(each.id, each.uses) for each in root.list()] == [("b", 975)], "a refused call used nothing"
