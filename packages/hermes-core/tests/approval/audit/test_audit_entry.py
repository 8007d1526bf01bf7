"""An entry says who, what, decided how and why, and how long; it is always one valid line of limited size."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NoReturn

import pytest

from hermes_core import Deny, Hermes, hookimpl, tool
from hermes_core.approval.audit.entry import MAX_BYTES, entry_of, line_of
from hermes_core.approval.finding import Decision, Finding
from hermes_core.calls.call import CallRecord

MakeRecord = Callable[..., CallRecord]


@tool(toolset="shed", effects=["delete"])
def burn(path: str, times: int = 1) -> str:
    """Burn something."""
    return path * times


class Fireman:
    @hookimpl
    def hermes_pre_tool_call(self, call: Any) -> Deny | None:
        return Deny("no fire in here") if call.args["path"] == "house" else None


def test_an_entry_tells_who_did_what_and_what_was_decided(host: Callable[..., Hermes]) -> None:
    hermes = host()
    hermes.register(burn)
    hermes.add_plugin(Fireman(), "fireman")
    with hermes.session(kind="cron", id="night") as session:
        record = session.run("burn", {"path": "house", "times": "2"}, task_id="task-7")
    entry = entry_of(record, source="plugin shed", user="ann", at=1_772_366_400.1234)
    assert entry == {
        "v": 1,
        "at": "2026-03-01T12:00:00.123Z",
        "id": record.call.id,
        "session": "night",
        "session_kind": "cron",
        "origin": "direct",
        "task": "task-7",
        "user": "ann",
        "tool": "burn",
        "toolset": "shed",
        "effects": ["delete"],
        "source": "plugin shed",
        "args": {"path": "house", "times": 2},
        "status": "blocked",
        "code": "denied",
        "decision": {"outcome": "denied-by-policy", "by": "fireman", "reason": "no fire in here"},
        "findings": [],
        "repairs": [{"path": "times", "kind": record.call.repairs[0].kind}],
        "seconds": pytest.approx(record.seconds, abs=1e-6),
        "result_chars": len(record.result),
    }


def test_the_result_is_never_in_the_entry(record: MakeRecord) -> None:
    line = line_of(entry_of(record({"a": 1}, result='"the whole diary"'), source=None))
    assert b"diary" not in line
    assert json.loads(line)["result_chars"] == 17


def test_a_call_that_ran_where_nobody_judges_was_allowed(record: MakeRecord) -> None:
    assert entry_of(record(), source=None)["decision"]["outcome"] == "allowed"
    assert entry_of(record(status="error", code="unknown_tool"), source=None)["decision"] is None


def test_findings_are_told_with_rule_severity_and_reason(record: MakeRecord) -> None:
    finding = Finding(rule="delete.recursive", severity="ask", reason="Removes ./build", span="rm -r build")
    decision = Decision(outcome="denied-by-human", by="terminal", reason="not now", findings=(finding,))
    entry = entry_of(record(status="blocked", code="denied", decision=decision), source=None)
    assert entry["findings"] == [{"rule": "delete.recursive", "severity": "ask", "reason": "Removes ./build"}]


def test_a_long_text_is_cut_and_its_length_noted(record: MakeRecord) -> None:
    kept = entry_of(record({"text": "word " * 10_000}), source=None)["args"]["text"]
    assert kept.startswith("word word")
    assert kept.endswith("… [50000 chars]")
    assert len(kept) < 2_100


class Odd:
    def __str__(self) -> NoReturn:
        raise RuntimeError("not even this")

    __repr__ = __str__


class Trap(Mapping[str, Any]):
    """A mapping whose every method raises."""

    def __getitem__(self, key: str) -> NoReturn:
        raise RuntimeError(key)

    def __iter__(self) -> Iterator[str]:
        raise RuntimeError("iter")

    def __len__(self) -> int:
        raise RuntimeError("len")


def nested(levels: int) -> Any:
    value: Any = "bottom"
    for number in range(levels):
        value = [value] if number % 2 else {"in": value}
    return value


LOOP: dict[str, Any] = {"number": 1}
LOOP["self"] = [LOOP, LOOP]

HOSTILE: dict[str, Any] = {
    "newlines": {"text": 'a\nb\r\nc\x85d\u2028e\u2029f"}\n{"v":1,"at":"forged"'},
    "surrogates": {"\ud800key": "lone \udfff and \ud83d"},
    "controls": {"text": "\x00\x1b[2J\x1b]0;title\x07\x7f\x9b31m"},
    "50 MB": {"text": "x y " * 12_500_000},
    "50 MB without a gap": {"text": "x" * 50_000_000},
    "a long key": {"k" * 5_000_000: 1},
    "many": {str(number): number for number in range(100_000)},
    "many items": {"list": list(range(1_000_000)), "after": "lost"},
    "many masked": {"tokens": ["secret"] * 100_000},
    "many empty": {"list": [{}] * 100_000, "lists": [[[]]] * 1_000},
    "wide characters": {"text": ["😀" * 2_000] * 50},
    "deep": nested(100_000),
    "a loop": LOOP,
    "odd objects": {"odd": Odd(), "class": Odd, "trap": Trap(), "bytes": b"\xff" * 9, "set": {1}, "complex": 1j},
    "odd keys": {1: 1, None: 2, (1, 2): 3, 1.5: 4, False: 5, b"k": 6},
    "numbers": {"nan": float("nan"), "inf": -float("inf"), "huge": 10**6_000, "float": 1e300},
    "not an object": "just text",
    "a list": [1, 2, {"a": None}],
}


@pytest.mark.parametrize("args", HOSTILE.values(), ids=HOSTILE.keys())
def test_whatever_the_arguments_are_the_entry_is_one_valid_line(record: MakeRecord, args: object) -> None:
    def refuse(constant: str) -> NoReturn:
        raise AssertionError(constant)

    line = line_of(entry_of(record(args), source="x"))
    assert len(line) <= MAX_BYTES
    assert line.isascii()
    assert len(line.decode().splitlines()) == 1
    entry = json.loads(line, parse_constant=refuse)
    assert entry["v"] == 1
    assert entry["decision"]["outcome"] == "allowed"  # what is said about the call is there, however big it was
    json.dumps(entry, ensure_ascii=False).encode("utf-8")  # no half characters


@pytest.mark.parametrize("args", HOSTILE.values(), ids=HOSTILE.keys())
def test_an_entry_that_was_not_prepared_is_one_valid_line_as_well(args: object) -> None:
    line = line_of({"v": 1, "at": "now", "id": "1", "tool": "look", "args": args})
    assert len(line) <= MAX_BYTES
    assert len(line.decode("ascii").splitlines()) == 1
    assert json.loads(line)["tool"] == "look"


def test_an_entry_stays_small_when_every_part_of_it_is_big(record: MakeRecord) -> None:
    big = "😀" * 100_000
    findings = tuple(Finding(rule=big, severity="ask", reason=big) for _ in range(500))
    decision = Decision(outcome="refused", by=big, reason=big, findings=findings)
    made = record({big: big}, name=big, status="blocked", code=big, decision=decision)
    made.call._id = made.call._task_id = made.call._origin = big
    entry = entry_of(made, source=big, user=big)
    line = line_of(entry)
    assert len(line) <= MAX_BYTES
    assert json.loads(line) == entry


def test_writing_needs_neither_pydantic_nor_logging() -> None:
    code = "import sys; import hermes_core.approval.audit.writer, hermes_core.approval.audit.reader"
    code += "; print([name for name in ('pydantic', 'logging', 'asyncio', 'datetime', 'click') if name in sys.modules])"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=30)
    assert said.stdout == "[]\n"
