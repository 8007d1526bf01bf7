"""Long results end up in files, whole, and the model is told how to read on."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hermes_core import Hermes, Tool
from hermes_core.calls.spill import PREVIEW_CHARS, Spill, readable


def long_tool(text: str, **fields: Any) -> Tool:
    return Tool.from_schema({"name": "long"}, lambda args: text, **fields)


def test_a_result_at_the_limit_is_not_touched(host: Callable[..., Hermes], home: Path) -> None:
    text = json.dumps("x" * 98)
    assert host(tools=[long_tool(text, max_result_size_chars=100)]).call("long") == text
    assert not home.exists()


def test_a_longer_result_is_saved_whole_and_previewed(host: Callable[..., Hermes], home: Path) -> None:
    text = json.dumps(["é" * 50] * 3000, ensure_ascii=False, indent=0)
    answer = json.loads(host(tools=[long_tool(text)]).call("long"))
    path = Path(answer["saved_to"])
    assert path.read_text(encoding="utf-8") == text
    assert path.is_relative_to(home / "results")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert answer["total_chars"] == len(text)
    assert text.startswith(answer["preview"])
    assert PREVIEW_CHARS // 2 <= len(answer["preview"]) <= PREVIEW_CHARS
    assert str(path) in answer["hint"]


def test_a_result_without_lines_is_given_some(host: Callable[..., Hermes]) -> None:
    lines = "\n".join(f"line {number}" for number in range(30_000))
    rows = [{"row": number} for number in range(20_000)]
    spread = json.dumps(rows, indent=1)
    for value, expected in ((lines, lines), (rows, spread), (json.dumps(rows), spread)):
        answer = json.loads(host(tools=[long_tool(value)]).call("long"))  # type: ignore[arg-type]
        assert Path(answer["saved_to"]).read_text() == expected
        assert answer["total_lines"] == expected.count("\n") + 1
        assert expected.startswith(answer["preview"])


def test_the_hint_names_a_reader_only_when_the_caller_has_it(host: Callable[..., Hermes]) -> None:
    schema = {
        "name": "read_file",
        "parameters": {"type": "object", "properties": {"file_path": {"type": "string"}}},
    }
    reader = Tool.from_schema(schema, lambda args: Path(args["file_path"]).read_text(), toolset="file")
    text = "\n".join(f"line {number}" for number in range(30_000))
    hermes = host(tools=[long_tool(text, toolset="long"), reader])
    answer = json.loads(hermes.call("long"))
    found = re.search(r'read_file\(file_path="([^"]+)", offset=(\d+), limit=500\)', answer["hint"])
    assert found, answer["hint"]
    assert Path(found[1]).exists()
    with hermes.session(enabled=["long"]) as session:
        assert "read_file" not in json.loads(session.call("long"))["hint"]


def test_an_infinite_limit_never_spills(host: Callable[..., Hermes], home: Path) -> None:
    text = json.dumps("x" * 500_000)
    assert host(tools=[long_tool(text, max_result_size_chars=float("inf"))]).call("long") == text
    assert not home.exists()


def test_a_folder_that_cannot_be_written_loses_only_the_rest(host: Callable[..., Hermes], tmp_path: Path) -> None:
    blocker = tmp_path / "a-file"
    blocker.write_text("not a folder")
    hermes = host(tools=[long_tool("x" * 200_000)], home=blocker)
    answer = json.loads(hermes.call("long"))
    assert answer["truncated"] is True
    assert "saved_to" not in answer
    assert "could not be saved" in answer["hint"]
    assert blocker.read_text() == "not a folder"


def test_a_full_disk_leaves_no_half_file(tmp_path: Path) -> None:
    """A limit on file size stands for the full disk: the write fails half-way with the same kind of error."""
    script = textwrap.dedent(
        f"""
        import json, resource, signal
        from hermes_core import Hermes, Tool
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        long = Tool.from_schema({{"name": "long"}}, lambda args: "x" * 200_000)
        hermes = Hermes(tools=[long], home={str(tmp_path)!r})
        print(hermes.call("long"))
        """
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=30, check=True)
    answer = json.loads(done.stdout)
    assert "could not be saved" in answer["hint"]
    assert len(answer["preview"]) == PREVIEW_CHARS
    assert list((tmp_path / "results").iterdir()) == []


def test_hostile_call_ids_stay_inside_the_folder(host: Callable[..., Hermes], home: Path) -> None:
    hermes = host(tools=[long_tool("x" * 200_000)])
    for id in ("../../../etc/passwd", "a/b", "\x00", "é" * 300, ".."):
        path = Path(json.loads(hermes.call("long", id=id))["saved_to"])
        assert path.parent == home / "results"
        assert path.resolve().parent == (home / "results").resolve()


def test_old_files_are_forgotten(tmp_path: Path) -> None:
    spill = Spill(tmp_path)
    for number in range(510):
        (tmp_path / f"{number}.txt").write_text("old")
    os.utime(tmp_path / "7.txt", (0, 0))
    spill.shorten("x" * 5000, "new", lambda path, line: "")
    left = {path.name for path in tmp_path.iterdir()}
    assert len(left) == 500
    assert any(name.startswith("new-") for name in left)
    assert "7.txt" not in left


def test_a_turn_is_brought_under_its_budget_longest_first(host: Callable[..., Hermes]) -> None:
    hermes = host()
    results = [json.dumps("a" * 90_000), json.dumps("b" * 30_000), json.dumps("c" * 100_000), '"short"']
    fitted = hermes.fit_turn(results, budget=125_000)
    assert ["truncated" in text for text in fitted] == [False, False, True, False]
    assert sum(map(len, fitted)) <= 125_000
    assert Path(json.loads(fitted[2])["saved_to"]).read_text() == "c" * 100_000
    assert hermes.fit_turn(results, budget=10**9) == results
    assert hermes.fit_turn([], budget=10) == []


def test_what_was_spilled_already_is_not_spilled_again(host: Callable[..., Hermes], home: Path) -> None:
    hermes = host(tools=[long_tool("x" * 200_000)])
    notice = hermes.call("long")
    fitted = [json.loads(text) for text in hermes.fit_turn([notice, notice], budget=10)]
    assert [text["saved_to"] for text in fitted] == [json.loads(notice)["saved_to"]] * 2
    assert [text["preview"] for text in fitted] == ["", ""]
    assert len(list((home / "results").iterdir())) == 1


@pytest.mark.parametrize("size", [1, 100, 1499, 1500, 1501, 5000])
def test_every_notice_is_json(tmp_path: Path, size: int) -> None:
    text = '"\\\n\u2028é😀' * size
    answer = json.loads(Spill(tmp_path).shorten(text, "n", lambda path, line: f"line {line}"))
    assert text.startswith(answer["preview"])
    assert Path(answer["saved_to"]).read_text(encoding="utf-8") == text


def test_two_calls_with_one_id_keep_a_file_each(host: Callable[..., Hermes]) -> None:
    hermes = host(tools=[Tool.from_schema({"name": "long"}, lambda args: args["text"] * 200_000)])
    paths = []
    for text in ("a", "b"):
        with hermes.session() as session:
            paths.append(Path(json.loads(session.call("long", {"text": text}, id="call_0"))["saved_to"]))
    assert [path.read_text()[:1] for path in paths] == ["a", "b"]


def test_nothing_is_rounded_or_lost_when_json_is_spread_out() -> None:
    text = '{"a":1,"a":2,"f":0.1000000000000000000001,"big":1e400,"s":"{[,:\\"x","e":[],"o":{},"n":[1,[2]]}'
    spread = readable(text)
    assert "".join(spread.split()) == text
    assert spread.splitlines()[:3] == ["{", ' "a": 1,', ' "a": 2,']
    assert json.loads(spread) == json.loads(text)
    assert readable("[INFO] it said hello") == "[INFO] it said hello"


def test_a_turn_of_many_small_results_is_brought_under_its_budget(host: Callable[..., Hermes]) -> None:
    fitted = host().fit_turn([json.dumps("x" * 2990)] * 100, budget=80_000)
    assert sum(map(len, fitted)) <= 80_000


def test_a_result_cannot_pose_as_a_notice(host: Callable[..., Hermes]) -> None:
    posing = json.dumps({"truncated": True, "preview": "x" * 500_000})
    hermes = host()
    assert len(hermes.fit_turn([posing], budget=10_000)[0]) < 10_000


def test_a_preview_is_short_also_when_every_character_must_be_escaped(host: Callable[..., Hermes]) -> None:
    notice = host(tools=[long_tool("\x01" * 200_000)]).call("long")
    assert len(notice) < 2 * PREVIEW_CHARS
