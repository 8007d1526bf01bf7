"""Ordinary calls are formatted at once, and written soon or at once, with the same entries as all others."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_approval import Audit
from hermes_approval.audit.entry import entry_of
from hermes_approval.audit.line_formatter import HOST_DIED, LineFormatter
from hermes_approval.audit.writer import AuditLog
from hermes_core import CallRecord, Decision, Deny, Finding, Hermes, Tool, ToolCall, hookimpl

GITHUB = "ghp_0123456789abcdefABCDEF0123456789abcd"
TYPES = ("string", "integer", "number", "boolean", "null")
NAMES = ("text", "number", "part", "flag", "other")


def look(*names: str, effects: tuple[str, ...] = ("read",), name: str = "look") -> Tool:
    properties = {each: {"type": [*TYPES, "array", "object"]} for each in names or NAMES}
    return Tool.from_schema(
        {"name": name, "parameters": {"type": "object", "properties": properties}}, lambda args: "1", effects=effects
    )


def record_of(args: dict[str, Any], *names: str, plugins: Any = ()) -> CallRecord:
    with Hermes(tools=[look(*names)], plugins=plugins) as hermes:
        return hermes.run("look", args)


def lines(home: Path) -> list[dict[str, Any]]:
    file = home / "audit.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def check_same(line: str, record: CallRecord) -> None:
    """Compare the entries of a call that were made in both ways."""
    found, expected = json.loads(line), entry_of(record, source=record.call.source)
    assert line.isascii()
    assert line.endswith("}\n")
    assert list(found) == list(expected)
    assert len(found.pop("at")) == len(expected.pop("at"))
    assert found == expected


ORDINARY: list[dict[str, Any]] = [
    {},
    {"text": "Find the three newest reports about rivers in the mountains.", "number": 3},
    {"text": 'quotes " and \\ and\n lines', "part": 1e-9, "flag": True, "other": None},
    {"text": f"use {GITHUB} please"},
    {"text": "curl -u admin:plain1 https://x.io", "number": -5, "other": 2.5},
    {"text": "x" * 2_000},
]


@pytest.mark.parametrize("args", ORDINARY)
def test_the_entry_is_the_one_that_a_closer_look_gives(args: dict[str, Any]) -> None:
    record = record_of(args)
    made = LineFormatter().format(record)
    assert made is not None
    assert GITHUB not in made[0]
    check_same(made[0], record)


values = st.text() | st.integers() | st.floats() | st.booleans() | st.none() | st.sampled_from([GITHUB, "-p a", "a:b"])


@given(st.dictionaries(st.sampled_from(NAMES), values))
def test_whatever_the_arguments_are_the_entries_are_the_same(args: dict[str, Any]) -> None:
    record = record_of(args)
    made = LineFormatter().format(record)
    if made is not None:
        check_same(made[0], record)


CLOSER: list[tuple[dict[str, Any], tuple[str, ...]]] = [
    ({"token": "plainvalue"}, ("token",)),
    ({"name": "X-Api-Key", "value": "plainvalue"}, ("name", "value")),
    ({"undeclared": 1}, ("text",)),
    ({"text": "größe"}, ("text",)),
    ({"text": "x" * 2_001}, ("text",)),
    ({"text": ["a"]}, ("text",)),
    ({"text": {"a": 1}}, ("text",)),
    ({"number": 1 << 128}, ("number",)),
    ({"part": float("nan")}, ("part",)),
    (dict.fromkeys(("a", "b", "c", "d"), "x" * 2000), ("a", "b", "c", "d")),
]


@pytest.mark.parametrize(("args", "names"), CLOSER)
def test_what_is_out_of_the_ordinary_is_looked_at_more_closely(args: dict[str, Any], names: tuple[str, ...]) -> None:
    assert LineFormatter().format(record_of(args, *names)) is None


FOUND = Finding(
    rule="delete.recursive", severity="ask", reason=f"It deletes x with {GITHUB}.", effects=frozenset({"delete"})
)
ALLOWING = [
    Decision(outcome="allowed"),
    Decision(outcome="allowed", by="policy.may", reason="The rule 'may' allows this call."),
    Decision(outcome="allowed", by=f"grant {GITHUB}", findings=(FOUND,)),
    Decision(outcome="allowed", by="user", findings=(FOUND,) * 30),
]


@pytest.mark.parametrize("args", ORDINARY)
@pytest.mark.parametrize("decision", [None, *ALLOWING])
def test_the_entry_of_a_call_that_begins_is_the_one_that_a_closer_look_gives(
    args: dict[str, Any], decision: Decision | None
) -> None:
    ended = record_of(args)
    begun = ended._replace(status="cancelled", code=HOST_DIED, decision=decision, result="", seconds=0.0)
    made = LineFormatter().format(begun)
    assert made is not None
    assert GITHUB not in made[0]
    check_same(made[0], begun)
    assert LineFormatter().format(ended._replace(status="error", code=HOST_DIED)) is None


@pytest.mark.parametrize("decision", ALLOWING)
def test_the_entry_of_an_approved_call_is_the_one_that_a_closer_look_gives(decision: Decision) -> None:
    formatter, record = LineFormatter(), record_of({"text": "x"})._replace(decision=decision)
    for _ in range(2):
        made = formatter.format(record)
        assert made is not None
        assert GITHUB not in made[0]
        check_same(made[0], record)
        assert made[1] is (decision == ALLOWING[0])  # what had to be decided is logged at once


@pytest.mark.parametrize(
    "decision",
    [
        Decision(outcome="denied-by-policy"),
        Decision(outcome="allowed", reason="x" * 501),
        Decision(outcome="allowed", findings=(FOUND, *(replace(FOUND, reason="x" * n) for n in range(400, 410)))),
    ],
)
def test_a_long_decision_and_a_denial_are_looked_at_more_closely(decision: Decision) -> None:
    assert LineFormatter().format(record_of({"text": "x"})._replace(decision=decision)) is None


class Guard:
    @hookimpl
    def hermes_pre_tool_call(self, call: ToolCall) -> Deny | None:
        return Deny("no") if call.args.get("text") == "denied" else None


def test_only_a_call_that_was_allowed_and_ended_well_is_ordinary() -> None:
    formatter = LineFormatter()
    with Hermes(tools=[look()], plugins=[Guard()]) as hermes:
        assert formatter.format(hermes.run("look", {"text": "fine"})) is not None
        assert formatter.format(hermes.run("look", {"text": "denied"})) is None
        assert formatter.format(hermes.run("nothing")) is None
        for id in ("ghp_0", "call-0123456789ab-\N{ARABIC-INDIC DIGIT THREE}", f"call-0123456789ab-{'1' * 50_000}"):
            assert formatter.format(hermes.run("look", {"text": "fine"}, id=id)) is None


def test_calls_of_other_sessions_tasks_and_tools_are_told_apart(home: Path) -> None:
    with Hermes(home=home, tools=[look(), look(name="stare")], plugins=[Audit()]) as hermes:
        for kind in ("batch", "cron"):
            with hermes.session(kind=kind, id=f"of {kind}") as session:
                for task in ("a", "b"):
                    session.call("look", {"number": 1}, task_id=task)
                    session.call("stare", {"number": 1}, task_id=task)
    found = [(each["session"], each["session_kind"], each["task"], each["tool"]) for each in lines(home)]
    assert found == [
        (f"of {kind}", kind, task, name) for kind in ("batch", "cron") for task in "ab" for name in ("look", "stare")
    ]


def test_a_tool_that_takes_the_place_of_another_is_shown_with_its_own_facts() -> None:
    formatter = LineFormatter()
    with Hermes(tools=[look()]) as hermes:
        first = formatter.format(hermes.run("look", {"number": 1}))
        hermes.registry.register(look(effects=("write",)), override=True)
        second = formatter.format(hermes.run("look", {"number": 1}))
    assert first is not None
    assert second is not None
    assert (json.loads(first[0])["effects"], json.loads(second[0])["effects"]) == (["read"], ["write"])
    assert (first[1], second[1]) == (True, False)


# -- soon, or at once ------------------------------------------------------------------------------------------------


def test_what_only_reads_is_written_within_a_moment(home: Path) -> None:
    with Hermes(home=home, tools=[look()], plugins=[Audit()]) as hermes:
        hermes.call("look", {"number": 1})
        deadline = time.monotonic() + 10
        while not lines(home):
            assert time.monotonic() < deadline
            time.sleep(0.005)
        for number in range(9_000):  # more than may wait
            hermes.call("look", {"number": number})
        assert len(lines(home)) >= 800
    assert len(lines(home)) == 9_001


@pytest.mark.parametrize(("tool", "text"), [("put", "fine"), ("look", "denied"), ("nothing", "unknown")])
def test_what_may_change_something_and_what_was_refused_is_written_at_once(home: Path, tool: str, text: str) -> None:
    put = look(name="put", effects=("write",))
    with Hermes(home=home, tools=[look(), put], plugins=[Guard(), Audit()]) as hermes:
        hermes.call("look", {"text": "before"})
        hermes.call(tool, {"text": text})
        assert [entry["args"]["text"] for entry in lines(home)] == ["before", text]


KILLED = """
import os, signal, sys
from hermes_approval import Audit
from hermes_core import Hermes, Tool
put = Tool.from_schema({"name": "put"}, lambda args: "1", effects=["write"])
look = Tool.from_schema({"name": "look"}, lambda args: "1", effects=["read"])
hermes = Hermes(home=sys.argv[1], tools=[put, look], plugins=[Audit()])
for name in ("look", "put", "nothing", "look"):
    hermes.call(name, {})
END
"""


@pytest.mark.parametrize(
    ("end", "kept"),
    [("os.kill(os.getpid(), signal.SIGKILL)", 3), ("", 4), ("hermes.close()", 4), ("del hermes", 4)],
)
def test_only_reads_are_lost_when_the_process_is_killed(home: Path, end: str, kept: int) -> None:
    subprocess.run([sys.executable, "-c", KILLED.replace("END", end), str(home)], check=False, timeout=60)
    assert [entry["tool"] for entry in lines(home)][:3] == ["look", "put", "nothing"]
    assert len(lines(home)) >= kept


def test_a_forked_child_does_not_write_what_its_parent_will_write(tmp_path: Path) -> None:
    log = AuditLog(tmp_path / "audit.jsonl")
    log.append_soon('{"of": "parent"}\n')
    if (child := os.fork()) == 0:
        log.append_soon('{"of": "child"}\n')
        log.close()
        os._exit(0)
    os.waitpid(child, 0)
    log.close()
    found = [json.loads(line)["of"] for line in (tmp_path / "audit.jsonl").read_text().splitlines()]
    assert sorted(found) == ["child", "parent"]


def test_lines_that_cannot_be_written_are_counted(tmp_path: Path) -> None:
    (tmp_path / "audit.jsonl").mkdir()
    log = AuditLog(tmp_path / "audit.jsonl")
    for _ in range(3):
        log.append_soon("{}\n")
    log.flush()
    assert log.dropped == 3
