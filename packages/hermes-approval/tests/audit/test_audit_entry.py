"""An entry says who, what, decided how and why, and how long; it is always one valid line of limited size."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from types import SimpleNamespace
from typing import Any, NoReturn

import pytest

from hermes_approval.audit.entry import MAX_BYTES, cut_arguments, entry_of, line_of
from hermes_approval.audit.reader import parse
from hermes_core import Deny, Hermes, Tool, hookimpl, tool
from hermes_core.calls.call import CallRecord
from hermes_core.findings import Decision, Finding

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
    hermes.registry.register(burn)
    hermes.add_plugin(Fireman(), "fireman")
    with hermes.session(kind="cron", id="night") as session:
        record = session.run("burn", {"path": "house", "times": "2"}, task_id="task-7")
    entry = entry_of(record, source="plugin shed", at=1_772_366_400.1234)
    assert entry == {
        "v": 1,
        "at": "2026-03-01T12:00:00.123Z",
        "id": record.call.id,
        "session": "night",
        "session_kind": "cron",
        "origin": "direct",
        "task": "task-7",
        "user": None,
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
    made.call.given_id = made.call.given_task_id = made.call.given_origin = big
    entry = entry_of(made, source=big)
    line = line_of(entry)
    assert len(line) <= MAX_BYTES
    assert json.loads(line) == entry


PADDING: dict[str, Any] = {
    "a long text": {"note": "😀" * 2_000, "command": "rm -rf /"},
    "behind it": {"command": "rm -rf /", "note": "😀" * 100_000},
    "many long texts": {**{f"note{number}": "😀" * 9_000 for number in range(50)}, "command": "rm -rf /"},
    "a long name": {"😀" * 5_000: 1, "command": "rm -rf /"},
    "many long names": {**{"😀" * 500 + str(number): 1 for number in range(40)}, "command": "rm -rf /"},
    "a deep value": {"note": nested(100), "command": "rm -rf /"},
    "a wide value": {"note": {str(number): ["😀" * 100] * 9 for number in range(999)}, "command": "rm -rf /"},
    "a long list": {"note": ["😀" * 100] * 9_999, "command": "rm -rf /"},
    "an odd object": {"note": Trap(), "odd": Odd(), "command": "rm -rf /"},
}


@pytest.mark.parametrize("args", PADDING.values(), ids=PADDING.keys())
def test_a_big_argument_hides_neither_another_one_nor_its_own_name(record: MakeRecord, args: dict[str, Any]) -> None:
    big = "😀" * 600
    findings = tuple(Finding(rule=big, severity="ask", reason=big) for _ in range(50))
    made = record(args, status="blocked", decision=Decision(outcome="refused", reason=big, findings=findings))
    for entry in (entry_of(record(args), source=None), entry_of(made, source=None)):
        assert entry["args"]["command"] == "rm -rf /"
        assert len(entry["args"]) == len(args)
        assert cut_arguments(entry)
        assert "command" not in cut_arguments(entry)
        assert len(line_of(entry)) <= MAX_BYTES
        assert json.loads(line_of(entry)) == entry


def test_arguments_that_are_not_kept_in_full_are_named(record: MakeRecord) -> None:
    def cut(args: object) -> object:
        return entry_of(record(args), source=None).get("args_cut")

    assert cut({"command": "ls", "number": 5, "list": [1, {"a": None}], "empty": {}}) is None
    assert cut({"command": "ls", "text": "word " * 1_000}) == ["text"]
    assert cut({"command": "ls", "list": [{"deep": "word " * 1_000}]}) == ["list"]
    assert cut({"data": b"abc", "odd": Odd(), "number": 10**6_000}) == ["number", "data", "odd"]
    assert cut({"x" * 500: 1}) == ["*"]
    assert cut({str(number): "some words" for number in range(5_000)}) == ["*"]
    assert cut({str(number) * 30: "word " * 1_000 for number in range(60)}) == ["*"]
    assert cut("word " * 1_000) == ["*"]
    assert cut("word") is None


def test_every_value_gets_a_share_and_small_ones_all_they_need(record: MakeRecord) -> None:
    args = {"a": "x" * 1_900, "b": "y" * 1_900, "c": "z" * 1_900, "small": "w" * 200}
    assert entry_of(record(args), source=None)["args"] == args
    wide = {f"text{number}": f"{number} " + "word " * 400 for number in range(30)} | {"small": "w" * 200}
    kept = entry_of(record(wide), source=None)["args"]
    assert list(kept) == list(wide)
    assert kept["small"] == "w" * 200
    assert min(len(text) for text in kept.values()) >= 200


def test_names_that_are_the_same_when_they_are_cut_stay_apart(record: MakeRecord) -> None:
    args = {"x" * 300 + "1": "first", "x" * 300 + "2": "second", "…": "third"}
    kept = entry_of(record(args), source=None)["args"]
    assert list(kept.values()) == ["first", "second", "third"]


def test_of_too_many_arguments_those_are_kept_that_the_tool_knows(host: Callable[..., Hermes]) -> None:
    parameters = {"type": "object", "properties": {"command": {"type": "string"}}, "additionalProperties": True}
    hermes = host()
    hermes.registry.register(Tool.from_schema({"name": "sh", "parameters": parameters}, lambda args: "{}"))
    record = hermes.run("sh", {**{f"pad{number}": number for number in range(20_000)}, "command": "rm -rf /"})
    entry = entry_of(record, source=None)
    assert len(line_of(entry)) <= MAX_BYTES
    assert entry["args"]["command"] == "rm -rf /"
    assert entry["args"]["…"].endswith(" more")
    assert entry["args_cut"] == ["*"]


def test_a_record_of_wrong_types_is_written_as_text(record: MakeRecord) -> None:
    finding = SimpleNamespace(rule=5, severity="ask", reason=None)
    odd = SimpleNamespace(rule=Odd(), severity="ask", reason=ValueError("no fire"))
    decision: Any = SimpleNamespace(outcome="refused", by=7, reason=None, findings=(finding, odd))
    made = record({"a": 1}, name=5, status="blocked", code=9, decision=decision)
    made.call.given_id, made.call.given_task_id, made.call.given_origin = 5, 6, 7  # type: ignore[assignment]
    entry = entry_of(made, source=8)  # type: ignore[arg-type]
    assert {key: entry[key] for key in ("id", "task", "origin", "tool", "code", "source")} == {
        "id": "5",
        "task": "6",
        "origin": "7",
        "tool": "5",
        "code": "9",
        "source": "8",
    }
    assert entry["findings"] == [
        {"rule": "5", "severity": "ask", "reason": "None"},
        {"rule": "<Odd>", "severity": "ask", "reason": "no fire"},
    ]
    assert json.loads(line_of(entry)) == entry


@pytest.mark.parametrize("wrong", [{"seconds": "long"}, {"result": None}, {"decision": 5}, {"call": None}])
def test_a_record_that_cannot_be_read_is_a_line_all_the_same(record: MakeRecord, wrong: dict[str, Any]) -> None:
    entry = entry_of(record({"a": 1})._replace(**wrong), source=None)
    assert json.loads(line_of(entry)) == entry
    assert parse(line_of(entry).rstrip()) == entry
    assert "cannot be read" in entry["problem"]
    assert entry["tool"] == ("?" if "call" in wrong else "look")


def test_writing_needs_neither_pydantic_nor_an_event_loop() -> None:
    code = "import sys; import hermes_approval.audit.host_audit, hermes_approval.audit.reader"
    code += "; print([name for name in ('pydantic', 'asyncio', 'datetime', 'click', 'rich') if name in sys.modules])"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=30)
    assert said.stdout == "[]\n"
