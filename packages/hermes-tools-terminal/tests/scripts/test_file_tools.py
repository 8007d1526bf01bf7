"""Scripts work with the files of the task by the same tools as the model."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

Make = Callable[..., Any]

CODE = """
import inspect
from hermes_tools import patch, read_file, search_files, terminal, write_file

print(write_file(file_path="a.txt", content="one\\ntwo\\n").get("error"))
print(patch(mode="replace", file_path="a.txt", old_string="two", new_string="three").get("error"))
print("three" in read_file("a.txt")["content"], "three" in read_file(path="a.txt", offset=2)["content"])
print("a.txt" in str(search_files(pattern="thr.e")))
print(terminal("cat a.txt")["output"] == open("a.txt").read() == "one\\nthree\\n")
print("error" in read_file("missing.txt"))
for each in (patch, read_file, search_files, terminal, write_file):
    assert inspect.getdoc(each) and inspect.signature(each).parameters, each
"""


def test_a_script_writes_changes_reads_and_finds(agent: Make, tmp_path: Path) -> None:
    me = agent(terminal={"cwd": str(tmp_path)})
    found = me.call("execute_code", {"code": CODE})
    assert found["status"] == "success", found
    assert found["output"] == "None\nNone\nTrue True\nTrue\nTrue\nTrue\n"
    assert found["tool_calls_made"] == 7
    assert (tmp_path / "a.txt").read_text() == "one\nthree\n"


def test_the_model_hears_of_all_of_them(agent: Make) -> None:
    shown = {each["function"]["name"]: each["function"] for each in agent().hermes.definitions()}
    tools = "patch, read_file, search_files, terminal, write_file"
    assert shown["execute_code"]["description"].endswith(f"Tools that it can call here: {tools}.")
