"""Processes share the file: they lose nothing, count together, and may be killed at any moment."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hermes_approval.grants.grant import Grant, GrantRequest
from hermes_approval.grants.grant_set import GrantSet
from hermes_approval.grants.grant_store import FILE, GrantStore

HEAD = """
import sys
from pathlib import Path
from hermes_approval.grants.grant import Grant, GrantRequest
from hermes_approval.grants.grant_set import GrantSet
from hermes_approval.grants.grant_store import GrantStore
home, name = Path(sys.argv[1]), sys.argv[2]
def grant(id, **facts):
    return Grant(id=id, **{**dict(tool="t", rule="r", args={}, scope="always", by="me", at=0), **facts})
request = GrantRequest(tool="t", rule="r", args={}, session_id="s")
print("ready", flush=True)
sys.stdin.readline()
"""
RACE = """
grants = GrantSet(store=GrantStore(home)).child()
also = GrantRequest(tool="t", rule="also", args={}, session_id="s")
print(sum(grants.permit([also, request]) is not None for _ in range(10)))
"""
WRITE = """
for number in range(15):
    GrantStore(home).add(grant(f"{name}-{number}"))
"""
WRITE_UNTIL_KILLED = """
store = GrantStore(home)
for number in range(100_000):
    id = f"{name}-{number}"
    store.add(grant(id, uses=2))
    print("added", id, flush=True)
    if number % 3 == 1:
        store.consume(id)
        print("used", id, flush=True)
    if number % 3 == 2:
        store.revoke(id)
        print("revoked", id, flush=True)
"""
FOLLOW = """
grants = GrantSet(store=GrantStore(home))
for line in sys.stdin:
    print(grants.peek([request]) is not None, flush=True)
"""


def start(script: str, home: Path, name: str = "x") -> subprocess.Popen[str]:
    command = [sys.executable, "-c", HEAD + script, str(home), name]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def go_all(processes: Sequence[subprocess.Popen[str]]) -> list[str]:
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    outputs = [process.communicate(timeout=60)[0] for process in processes]
    assert [process.returncode for process in processes] == [0] * len(processes)
    return outputs


def grant(id: str = "g", **changes: Any) -> Grant:
    facts: dict[str, Any] = {"tool": "t", "rule": "r", "args": {}, "scope": "always", "by": "me", "at": 0}
    return Grant(id=id, **{**facts, **changes})


REQUEST = GrantRequest(tool="t", rule="r", args={}, session_id="s")


def test_processes_that_race_for_a_grant_use_it_exactly_as_often_as_it_says(home: Path) -> None:
    GrantStore(home).add(grant(uses=23))
    GrantStore(home).add(grant("also", rule="also", uses=1000))
    outputs = go_all([start(RACE, home) for _ in range(6)])
    assert sum(map(int, outputs)) == 23
    assert [each.uses for each in GrantStore(home).grants()] == [977], "a call that was refused used nothing"
    assert GrantSet(store=GrantStore(home)).permit([REQUEST]) is None
    assert sum(map(int, go_all([start(RACE, home)]))) == 0, "and never again"


def test_processes_that_write_together_lose_nothing(home: Path) -> None:
    go_all([start(WRITE, home, f"p{number}") for number in range(6)])
    expected = {f"p{process}-{number}" for process in range(6) for number in range(15)}
    assert {each.id for each in GrantStore(home).grants()} == expected


def test_another_process_sees_grants_and_revocations_at_once(home: Path) -> None:
    mine = GrantSet(store=GrantStore(home))
    process = start(FOLLOW, home)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("go\n")

    def other_permits() -> bool:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("look\n")
        process.stdin.flush()
        return process.stdout.readline() == "True\n"

    try:
        for turn in range(30):
            assert not other_permits()
            mine.add(grant(f"g{turn}", uses=1))
            assert other_permits()
            if turn % 2:
                mine.revoke(f"g{turn}")
            else:
                mine.permit([REQUEST])
    finally:
        process.communicate(timeout=60)


def test_a_process_killed_at_any_moment_leaves_a_whole_file_with_everything_it_was_told_of(home: Path) -> None:
    dice = random.Random(7)
    GrantStore(home).add(grant("first"))
    told: dict[str, set[str]] = {"added": {"first"}, "used": set(), "revoked": set()}
    for batch in range(11):
        processes = [start(WRITE_UNTIL_KILLED, home, f"k{batch}.{each}") for each in range(6)]
        for process in processes:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        lines = lines_until_a_revocation(processes[0])
        for process in processes:
            time.sleep(dice.uniform(0, 0.03))  # the moment is what is varied
            process.kill()
            json.loads((home / FILE).read_bytes())
        for process in processes:
            with process:
                assert process.stdout is not None
                lines += process.stdout.readlines()
        for line in lines:
            if line.endswith("\n"):
                act, id = line.split()
                told[act].add(id)
        check(home, **told)
    assert all(len(told[act]) > 10 for act in told), "they did work before they died"


def lines_until_a_revocation(process: subprocess.Popen[str]) -> list[str]:
    assert process.stdout is not None
    lines = [process.stdout.readline()]
    while lines[-1] and not lines[-1].startswith("revoked"):
        lines.append(process.stdout.readline())
    return lines


def check(home: Path, added: set[str], used: set[str], revoked: set[str]) -> None:
    """Everything acknowledged is there; what was under way when the process died may have happened or not."""
    left = {each.id: each.uses for each in GrantStore(home).grants()}
    for id in added - revoked:
        under_way = int(id.rpartition("-")[2]) % 3 == 2 if id != "first" else False
        assert id in left or under_way, id
    assert not revoked & set(left)
    assert all(left[id] == 1 for id in used)
