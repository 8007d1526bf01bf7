"""A process that is killed at any moment loses nothing that it has acknowledged, and leaves nothing broken behind."""

from __future__ import annotations

import json
import os
import random
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any

from hermes_approval import Approval, Audit
from hermes_approval.audit.reader import read_entries
from hermes_approval.grants.grant_set import GrantSet
from hermes_approval.grants.grant_store import GrantStore
from hermes_core import Finding, Hermes, Tool, tool

HOMES, KILLS_EACH = 10, 20
"""200 kills. Each home is used for some of them, because every grant makes the file longer that is rewritten."""

MAX_CALLS, SECONDS = 4, 0.01
"""A process is killed up to so long after one of its first calls: some before the first, most in the middle of one."""

WARM = (
    "hermes_approval.approval",
    "hermes_approval.audit.writer",
    "hermes_approval.grants.offered_grants",
    "hermes_core.calls.dispatcher",
)


def make_tool() -> Tool:
    asks = Finding(rule="test.rule", severity="ask", reason="it asks")

    @tool(toolset="kills", assess=lambda args, ctx: asks)
    def act(number: int) -> int:
        """Take a number."""
        return number

    return act


# -- the process that is killed, and the one that kills it ------------------------------------------------------------


def work(home: Path, first: int, act: Tool, acknowledge: int) -> None:
    """Call for ever: each number is approved for always, then used again by its grant."""
    approval = Approval(grants=GrantSet(store=GrantStore(home)), approver=lambda request: "always")
    hermes = Hermes(tools=[act], home=home, plugins=[approval, Audit()])
    for number in count(first):
        for _ in range(2):
            record = hermes.run("act", {"number": number})
            assert record.decision is not None
            done = {"id": record.call.id, "number": number, "status": record.status, "by": record.decision.by}
            os.write(acknowledge, (json.dumps(done) + "\n").encode())


def kill_one(home: Path, first: int, act: Tool, dice: random.Random) -> list[dict[str, Any]]:
    """Fork a process, which saves it the imports, kill it after a while, and return what it acknowledged."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reading)
            work(home, first, act, writing)
        finally:
            os._exit(1)
    os.close(writing)
    said, calls, deadline = b"", dice.randint(0, MAX_CALLS), time.monotonic() + 20
    while said.count(b"\n") < calls and select.select([reading], [], [], deadline - time.monotonic())[0]:
        heard = os.read(reading, 10_000)
        if not heard:
            break
        said += heard
    time.sleep(dice.uniform(0, SECONDS))  # the moment of the kill is the test
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status):
        raise RuntimeError("the process ended before it was killed")
    with os.fdopen(reading, "rb") as pipe:
        said += pipe.read()
    return [json.loads(line) for line in said.split(b"\n")[:-1]]


def kill_many(folder: Path, seed: int) -> Iterator[dict[str, Any]]:
    for name in WARM:
        import_module(name)
    act, dice = make_tool(), random.Random(seed)
    for home in (folder / str(number) for number in range(HOMES)):
        home.mkdir()
        for kill in range(KILLS_EACH):
            done = kill_one(home, kill * 1000, act, dice)
            yield {"home": home.name, "done": done, "torn": torn_lines(home)}


def torn_lines(home: Path) -> int:
    """How many lines of the log are no entries right after a kill; the grants can be read at any time.

    A system that is told to kill a process between two pages of one `write` leaves the first of them in the file.
    """
    GrantStore(home).grants()
    entries = read_entries(home / "audit.jsonl")
    for _ in entries:
        pass
    return entries.skipped


# -- the test --------------------------------------------------------------------------------------------------------


def test_nothing_acknowledged_is_lost_by_200_kills_and_nothing_is_broken(tmp_path: Path) -> None:
    seed = random.randrange(2**32)
    ran = subprocess.run(
        [sys.executable, __file__, str(tmp_path), str(seed)],
        capture_output=True,
        encoding="utf-8",
        timeout=85,
        check=False,
    )
    assert ran.returncode == 0, f"seed {seed}: {ran.stderr[-2000:]}"
    assert "cannot be used" not in ran.stderr
    kills = [json.loads(line) for line in ran.stdout.splitlines()]
    assert len(kills) == HOMES * KILLS_EACH
    torn = {kill["home"]: kill["torn"] for kill in kills}
    assert sum(torn.values()) <= 3, f"seed {seed}: a kill tears a line, which readers skip, once in thousands of times"
    assert sum(len(kill["done"]) for kill in kills) > len(kills), "they were killed before they could do anything"

    for number in range(HOMES):
        home = tmp_path / str(number)
        done = [each for kill in kills if kill["home"] == home.name for each in kill["done"]]
        assert {each["status"] for each in done} <= {"ok"}

        found = list(read_entries(home / "audit.jsonl"))
        entries = {entry["id"]: entry for entry in found}
        assert len(entries) == len(found), "a call is there twice"
        for each in done:
            entry = entries[each["id"]]
            assert (entry["args"], entry["decision"]["by"]) == ({"number": each["number"]}, each["by"])

        kept = {grant.args["number"]["equals"]: grant.id for grant in GrantStore(home).grants()}
        approved = [each for each in done if each["by"] == "the application"]
        assert {each["number"] for each in approved} <= set(kept), f"seed {seed}"
        for each in done:
            assert each["by"] in ("the application", f"grant {kept[each['number']]}")


if __name__ == "__main__":
    for kill in kill_many(Path(sys.argv[1]), int(sys.argv[2])):
        print(json.dumps(kill), flush=True)
