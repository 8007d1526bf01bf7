"""The file of grants is private, whole, and never overwritten when it cannot be read."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hermes_approval.grants.grant import Grant
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


def test_a_store_without_a_file_is_empty_and_makes_none(home: Path) -> None:
    store = GrantStore(home)
    assert (store.grants(), store.export(), store.revoke("x"), store.consume("x")) == ((), [], False, False)
    assert not home.exists()


def test_a_stored_grant_is_the_same_in_the_next_process(home: Path) -> None:
    odd = grant(args={"a": {"equals": ["é", "\ud800", 1.5, {"b": None}]}, "*": {"any": True}}, uses=3, reason="\u2028")
    GrantStore(home).add(odd)
    assert GrantStore(home).grants() == (odd,)
    assert GrantStore(home).export() == [odd.as_dict()]


def test_the_file_is_for_its_owner_only(home: Path) -> None:
    before = os.umask(0)
    try:
        GrantStore(home).add(grant())
    finally:
        os.umask(before)
    assert stat.S_IMODE((home / FILE).stat().st_mode) == 0o600
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert os.listdir(home) == [FILE]


@pytest.mark.parametrize("scope", ["once", "session"])
def test_only_always_is_stored(home: Path, scope: str) -> None:
    with pytest.raises(ConfigError, match="only grants for 'always'"):
        GrantStore(home).add(grant(scope=scope, session="s1"))
    assert not home.exists()


def test_uses_are_counted_on_disk_until_the_grant_is_gone(home: Path) -> None:
    GrantStore(home).add(grant(uses=2))
    assert GrantStore(home).consume("g")
    assert GrantStore(home).grants()[0].uses == 1
    assert GrantStore(home).consume("g")
    assert not GrantStore(home).consume("g")
    assert GrantStore(home).grants() == ()
    with pytest.raises(ConfigError, match="used up or revoked"):
        GrantStore(home).add(grant(uses=2))


def test_several_uses_are_counted_together_or_not_at_all(home: Path) -> None:
    store = GrantStore(home)
    for each in (grant("a", uses=5), grant("b", uses=1), grant("c")):
        store.add(each)
    assert store.consume("a", "b", "c", "a")
    assert not store.consume("a", "b", "c")
    assert not store.consume("a", "nobody")
    assert [(each.id, each.uses) for each in store.grants()] == [("a", 4), ("c", None)]


def test_a_grant_without_a_limit_is_used_without_writing(home: Path) -> None:
    store = GrantStore(home)
    store.add(grant())
    before = (home / FILE).stat()
    assert store.consume("g")
    assert os.path.samestat(before, (home / FILE).stat())


def test_adding_a_grant_again_gives_no_uses_back(home: Path) -> None:
    store = GrantStore(home)
    store.add(grant(uses=3))
    store.consume("g")
    store.add(grant(uses=3))
    assert store.grants()[0].uses == 2
    with pytest.raises(ConfigError, match="another grant with this id"):
        store.add(grant(rule="q", uses=3))
    with pytest.raises(ConfigError, match="another grant with this id"):
        store.add(grant(args={"x": {"equals": True}}))


def test_expired_grants_do_not_hold_and_are_forgotten_after_a_week(home: Path) -> None:
    clock = Clock()
    store = GrantStore(home, clock)
    store.add(grant(expires=1010, uses=2))
    clock.now = 1010
    assert store.grants() == ()
    assert not store.consume("g")
    store.add(grant("h"))
    assert [each["id"] for each in store.export()] == ["g", "h"]
    clock.now += 8 * 24 * 3600
    store.add(grant("i"))
    assert [each["id"] for each in store.export()] == ["h", "i"]


def test_two_stores_see_each_others_changes_at_once(home: Path) -> None:
    one, two = GrantStore(home), GrantStore(home)
    for turn in range(100):
        id = f"g{turn}"
        one.add(grant(id, uses=2))
        assert [each.id for each in two.grants()] == [id]
        assert two.consume(id)
        assert [each.uses for each in one.grants()] == [1]
        assert two.revoke(id)
        assert one.grants() == ()
        assert not one.consume(id)


def test_a_file_that_did_not_change_is_not_read_again(home: Path) -> None:
    store = GrantStore(home)
    store.add(grant())
    os.utime(home / FILE, (1, 1))
    assert store.grants()[0] is store.grants()[0]
    (home / FILE).unlink()
    assert store.grants() == ()


def test_an_edit_by_hand_counts_at_once(home: Path) -> None:
    store = GrantStore(home)
    store.add(grant())
    assert len(store.grants()) == 1
    data = json.loads((home / FILE).read_text())
    data["grants"] = []
    (home / FILE).write_text(json.dumps(data))
    assert store.grants() == ()


def test_edits_in_quick_succession_that_keep_the_size_are_all_seen(home: Path) -> None:
    store = GrantStore(home)
    store.add(grant("g0000"))
    text = (home / FILE).read_text()
    for turn in range(300):
        (home / FILE).write_text(text.replace("g0000", f"g{turn:04}"))
        assert [each.id for each in store.grants()] == [f"g{turn:04}"]


def file_of(*grants: object, **changes: object) -> str:
    return json.dumps({"version": 1, "grants": list(grants), "gone": [], **changes})


BROKEN = {
    "empty": "",
    "half": file_of(grant().as_dict())[:-20],
    "nothing": "null",
    "a list": "[]",
    "no version": '{"grants": []}',
    "a later version": file_of(version=3),
    "an unknown part": file_of(extra=1),
    "no grants": '{"version": 1}',
    "grants that are no list": '{"version": 1, "grants": {}}',
    "gone that is no list": file_of(gone="x"),
    "gone that are no ids": file_of(gone=[1]),
    "gone at no time": file_of(gone={"x": "y"}),
    "forgotten at no time": file_of(forgotten=True),
    "no grant": file_of(1),
    "a grant with a wrong part": file_of({**grant().as_dict(), "uses": -1}),
    "a grant with an unknown part": file_of({**grant().as_dict(), "extra": 1}),
    "a wrong pattern": file_of({**grant().as_dict(), "args": {"x": {"regex": ".*"}}}),
    "a session grant": file_of(grant(scope="session", session="s").as_dict()),
    "one id twice": file_of(grant().as_dict(), grant(rule="q").as_dict()),
    "a revoked id": file_of(grant().as_dict(), gone=["g"]),
    "a key twice": file_of(grant().as_dict())[:-1] + ', "grants": []}',
    "a constant": file_of({**grant().as_dict(), "at": float("nan")}),
    "depth": "[" * 100_000,
    "no text": "\udcff\udcfe\udc80",
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_refused_with_a_remedy_and_never_overwritten(home: Path, name: str) -> None:
    home.mkdir()
    file = home / FILE
    file.write_bytes(BROKEN[name].encode("utf-8", "surrogateescape"))
    before = file.read_bytes()
    store = GrantStore(home)
    acts: list[Callable[[], object]] = [
        store.grants,
        store.export,
        lambda: store.add(grant("new")),
        lambda: store.revoke("g"),
        lambda: store.consume("g"),
    ]
    for act in acts:
        with pytest.raises(ConfigError, match="move (it|the file) away") as caught:
            act()
        assert caught.value.file == str(file)
    assert file.read_bytes() == before
    assert os.listdir(home) == [FILE]


def test_the_place_of_a_wrong_part_is_named(home: Path) -> None:
    home.mkdir()
    bad = {**grant("h").as_dict(), "args": {"path": {"under": "relative"}}}
    (home / FILE).write_text(file_of(grant().as_dict(), bad))
    with pytest.raises(ConfigError, match=r"grants\[1\]\.args\.path: .*not an absolute path"):
        GrantStore(home).grants()


def test_what_is_no_file_is_refused(home: Path) -> None:
    home.mkdir()
    os.mkfifo(home / FILE)
    with pytest.raises(ConfigError, match="not a file"):
        GrantStore(home).grants()
    (home / FILE).unlink()
    (home / FILE).mkdir()
    with pytest.raises(ConfigError, match="not a file"):
        GrantStore(home).add(grant())
    (home / "text").write_text("")
    with pytest.raises(ConfigError, match="cannot be read"):
        GrantStore(home / "text").grants()


def test_a_mended_file_is_used_again(home: Path) -> None:
    home.mkdir()
    store = GrantStore(home)
    (home / FILE).write_text("{")
    with pytest.raises(ConfigError):
        store.grants()
    (home / FILE).write_text(file_of(grant().as_dict()))
    assert len(store.grants()) == 1


# -- what is gone stays gone -------------------------------------------------------------------------------------


def with_gone(home: Path, number: int, **more: object) -> GrantStore:
    """A store in which so many grants were used up, one each second from 1,000 on."""
    home.mkdir(exist_ok=True)
    gone = {f"g{turn}": 1000.0 + turn for turn in range(number)}
    (home / FILE).write_text(file_of(gone=gone, **more))
    return GrantStore(home, Clock())


def test_no_number_of_others_brings_a_used_up_grant_back(home: Path) -> None:
    store = with_gone(home, 10_000)
    store.add(grant("last", uses=1, at=20_000))
    assert store.consume("last")
    data = json.loads((home / FILE).read_text())
    assert (len(data["gone"]), data["forgotten"]) == (10_000, 1000)  # the file does not grow
    for each in (grant("g0", at=1000), grant("g1", at=1001), grant("last", uses=1, at=20_000)):
        with pytest.raises(ConfigError, match="used up or revoked"):
            GrantStore(home).add(each)


def test_the_oldest_are_forgotten_first_whenever_they_went(home: Path) -> None:
    store = with_gone(home, 10_000)
    store.add(grant("old", uses=1, at=5))
    assert store.consume("old")
    assert json.loads((home / FILE).read_text())["forgotten"] == 5
    with pytest.raises(ConfigError, match="so old that it may have been used up"):
        store.add(grant("old", uses=1, at=5))
    store.add(grant("other", at=6))


def test_a_clock_that_goes_back_brings_nothing_back(home: Path) -> None:
    clock = Clock()
    clock.now = 50_000
    store = GrantStore(with_gone(home, 10_000).file.parent, clock)
    store.add(grant("late", uses=1, at=clock.now))
    assert store.consume("late")
    clock.now = 10
    for each in (grant("late", uses=1, at=50_000), grant("g0", at=1000)):
        with pytest.raises(ConfigError, match="used up or revoked"):
            store.add(each)
    with pytest.raises(ConfigError, match="Make a new one"):
        store.add(grant("new", at=clock.now))  # nobody can tell it from one that is forgotten
    store.add(grant("newer", at=1001))


def test_a_grant_that_expired_and_is_forgotten_does_not_hold_again_when_the_clock_goes_back(home: Path) -> None:
    clock = Clock()
    store = GrantStore(home, clock)
    store.add(grant(expires=1010, uses=2))
    assert store.consume("g")
    clock.now += 9 * 24 * 3600
    store.add(grant("h"))
    clock.now = 1000
    with pytest.raises(ConfigError, match="used up or revoked"):
        store.add(grant(expires=1010, uses=2))


def test_ids_of_an_older_file_are_never_forgotten(home: Path) -> None:
    home.mkdir()
    old = [f"old{turn}" for turn in range(10)]
    (home / FILE).write_text(file_of(gone=old))
    store = GrantStore(home)
    store.add(grant("g", uses=1, at=7))
    assert store.consume("g")
    assert json.loads((home / FILE).read_text())["gone"] == {**dict.fromkeys(old), "g": 7}
    with pytest.raises(ConfigError, match="used up or revoked"):
        store.add(grant("old3", at=99))


# -- whose file it is --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666, 0o777])
def test_a_file_that_others_may_write_to_permits_nothing(home: Path, mode: int) -> None:
    store = GrantStore(home)
    store.add(grant())
    assert len(store.grants()) == 1
    (home / FILE).chmod(mode)
    before = (home / FILE).read_bytes()
    for act in (store.grants, store.export, lambda: store.add(grant("new")), lambda: store.consume("g")):
        with pytest.raises(ConfigError, match="chmod 600"):
            act()
    assert (home / FILE).read_bytes() == before
    (home / FILE).chmod(0o600)
    assert len(store.grants()) == 1


def test_a_file_that_others_may_read_is_used(home: Path) -> None:
    store = GrantStore(home)
    store.add(grant())
    (home / FILE).chmod(0o644)
    assert len(store.grants()) == 1


def test_a_file_of_another_user_permits_nothing(home: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    store = GrantStore(home)
    store.add(grant())
    os.chown(home / FILE, 65534, 65534)
    with pytest.raises(ConfigError, match="belongs to another user"):
        store.grants()


def test_a_link_is_followed_kept_and_judged_by_what_it_leads_to(home: Path, tmp_path: Path) -> None:
    target = tmp_path / "elsewhere" / "grants.json"
    home.mkdir()
    (home / FILE).symlink_to(target)
    store = GrantStore(home)
    store.add(grant(uses=3))
    assert store.consume("g")
    assert (home / FILE).is_symlink()
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert json.loads(target.read_text())["grants"][0]["uses"] == 2
    assert [each.uses for each in GrantStore(home).grants()] == [2]
    target.chmod(0o666)
    with pytest.raises(ConfigError, match="chmod 600"):
        store.grants()


def test_links_in_a_circle_are_no_file(home: Path) -> None:
    home.mkdir()
    (home / FILE).symlink_to(FILE)
    for act in (GrantStore(home).grants, lambda: GrantStore(home).add(grant())):
        with pytest.raises(ConfigError, match="cannot be read"):
            act()
