"""What scripts call goes the way of any other call: scope, policy, approval, audit and limits are the same."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

from hermes_approval import Audit
from hermes_core import CallRecord, Deny, ToolCall, ToolContext, hookimpl, tool
from hermes_kit import FakeApprover

Make = Callable[..., Any]

SEARCH = "from hermes_tools import web_search\nprint(web_search('x'))"


class Watcher:
    """Sees every call, and can deny some."""

    def __init__(self, denied: str = "") -> None:
        self.denied = denied
        self.records: list[CallRecord] = []

    @hookimpl
    def hermes_pre_tool_call(self, call: ToolCall) -> Any:
        """Deny what is to be denied."""
        return Deny("not today") if call.name == self.denied else None

    @hookimpl
    def hermes_post_tool_call(self, record: CallRecord) -> None:
        """Keep what was seen."""
        self.records.append(record)


def test_a_call_answers_with_what_the_tool_says(coder: Make) -> None:
    found = coder().run(
        "from hermes_tools import web_search\nprint(web_search('a', limit=2), web_search(limit=1, query='b'))"
    )
    assert found["output"] == "{'query': 'a', 'limit': 2} {'query': 'b', 'limit': 1}\n"
    assert found["tool_calls_made"] == 2


def test_a_failed_call_is_a_dict_with_an_error(coder: Make) -> None:
    said = coder().says("from hermes_tools import web_search\nprint(web_search(limit='many'))")
    assert "Invalid arguments for web_search" in said


def test_a_path_is_its_text_and_what_json_cannot_say_is_told(coder: Make) -> None:
    code = (
        "import pathlib\nfrom hermes_tools import web_search\nprint(web_search(pathlib.Path('a/b')))\nweb_search(b'x')"
    )
    found = coder().run(code)
    assert "'query': 'a/b'" in found["output"]
    assert "a tool cannot be given bytes" in found["error"]


def test_a_tool_that_is_not_there_is_told_without_a_folder_that_is_gone(coder: Make) -> None:
    found = coder().run("from hermes_tools import read_file")
    assert found["error"].splitlines()[-1] == (
        "ImportError: cannot import name 'read_file' from 'hermes_tools' (hermes_tools.py)"
    )


def test_calls_are_seen_as_nested_ones_of_the_same_session_and_task(coder: Make) -> None:
    watcher = Watcher()
    me = coder(plugins=[watcher])
    with me.hermes.session() as session:
        json.loads(session.call("execute_code", {"code": SEARCH}, task_id="t"))
        inner, outer = watcher.records
        assert (inner.call.name, inner.call.origin, inner.call.task_id) == ("web_search", "nested", "t")
        assert inner.call.session_id == outer.call.session_id == session.id
        assert outer.call.name == "execute_code"


def test_a_rule_that_denies_a_tool_denies_it_to_scripts(coder: Make) -> None:
    watcher = Watcher("web_search")
    said = coder(plugins=[watcher]).says(SEARCH)
    assert "not today" in said
    assert watcher.records[0].status == "blocked"


def test_a_tool_out_of_scope_is_not_found(coder: Make) -> None:
    me = coder()
    code = "import hermes_tools\nprint(hasattr(hermes_tools, 'terminal'), hermes_tools.__all__)\n" + _raw(
        "terminal", {"command": "id"}
    )
    said = me.says(code, enabled=["code_execution", "web"])
    assert said.startswith("False ['json_parse', 'retry', 'shell_quote', 'web_search']\n")
    assert "'code': 'unknown_tool'" in said


@pytest.mark.parametrize("name", ["execute_code", "process", "nonsense", "hermes_tools"])
def test_what_is_not_offered_is_not_found_though_the_caller_may_use_it(coder: Make, name: str) -> None:
    assert "unknown_tool" in coder().says("import hermes_tools\n" + _raw(name, {"action": "list", "code": "1"}))


def test_an_empty_selection_offers_nothing(coder: Make) -> None:
    me = coder()
    said = me.says(
        "import hermes_tools\nprint(hermes_tools.__all__)\n" + _raw("web_search", {"query": "x"}),
        enabled=["code_execution"],
    )
    assert said.startswith("['json_parse', 'retry', 'shell_quote']\n")
    assert "unknown_tool" in said


def test_a_dangerous_command_is_asked_about_and_only_once(coder: Make, tmp_path: Path) -> None:
    approver = FakeApprover().deny()
    me = coder(plugins=[approver])
    (tmp_path / "project" / "src").mkdir()
    said = me.says("from hermes_tools import terminal\nprint(terminal(command='rm -rf src'))")
    assert "denied" in said
    assert (tmp_path / "project" / "src").exists()
    assert [request.tool for request in approver.requests] == ["terminal"]


def test_a_dangerous_script_is_asked_about_before_it_runs(coder: Make, tmp_path: Path) -> None:
    target = tmp_path / "project" / "src"
    code = f"import shutil\nshutil.rmtree({str(target)!r})"
    approver = FakeApprover().deny()
    me = coder(plugins=[approver])
    target.mkdir()
    assert me.run(code)["code"] == "denied"
    assert target.exists()
    assert "shutil.rmtree" in str(approver.requests[0].findings)
    assert coder().run(code)["decision"] == "no-approver"
    assert coder(approver=lambda request: True).run(code)["status"] == "success"
    assert not target.exists()


def test_calls_are_in_the_audit_log(coder: Make, home: Path) -> None:
    me = coder(plugins=[Audit()])
    me.run(SEARCH)
    me.hermes.close()
    entries = [json.loads(line) for path in home.rglob("audit*.jsonl") for line in path.read_text().splitlines()]
    assert {"web_search", "execute_code"} <= {entry.get("tool") for entry in entries}


def test_no_more_calls_are_made_than_may_be(coder: Make) -> None:
    watcher = Watcher()
    me = coder(plugins=[watcher], code={"max_tool_calls": 50})
    code = """
import threading
from hermes_tools import web_search
made, refused, lock = [], [], threading.Lock()
def work():
    for number in range(50):
        answer = web_search(str(number))
        with lock: (refused if 'error' in answer else made).append(answer)
threads = [threading.Thread(target=work) for _ in range(20)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(len(made), len(refused), refused[0]['error'])
"""
    found = me.run(code)
    assert found["output"].startswith("50 950 It was not called: a script may call 50 tools")
    assert found["tool_calls_made"] == 50
    assert sum(record.call.name == "web_search" for record in watcher.records) == 50


def test_calls_of_threads_run_side_by_side(coder: Make) -> None:
    together = threading.Barrier(8)

    @tool(toolset="web")
    def web_search(query: str) -> dict[str, Any]:
        """Wait for the others."""
        return {"query": query, "waited": together.wait(30) >= 0}

    code = (
        "from concurrent.futures import ThreadPoolExecutor\nfrom hermes_tools import web_search\n"
        "with ThreadPoolExecutor(8) as pool: print([a['query'] for a in pool.map(web_search, 'abcdefgh')])"
    )
    assert coder(tools=[web_search]).says(code) == f"{list('abcdefgh')}\n"


def test_arguments_of_ten_megabytes_arrive_and_longer_ones_are_refused(coder: Make) -> None:
    @tool(toolset="web")
    def web_search(query: str) -> dict[str, Any]:
        """Say how long it is."""
        return {"size": len(query)}

    code = (
        "from hermes_tools import web_search\nprint(web_search('x' * 10_000_000))\n"
        "print(web_search('x' * 20_000_000))\nprint(web_search('y'))"
    )
    first, second, third = coder(tools=[web_search]).says(code).splitlines()
    assert (first, third) == ("{'size': 10000000}", "{'size': 1}")
    assert "Send less at once" in second


def test_a_tool_that_waits_on_an_event_loop_can_be_called(coder: Make) -> None:
    @tool(toolset="web")
    async def web_search(query: str, ctx: ToolContext) -> dict[str, Any]:
        """Wait a little."""
        await anyio.sleep(0)
        return {"query": query, "parent": ctx.call.origin}

    assert coder(tools=[web_search]).says(SEARCH) == "{'query': 'x', 'parent': 'nested'}\n"


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_script_can_be_run_from_an_event_loop(coder: Make, backend: str) -> None:
    pytest.importorskip(backend)
    me = coder()

    async def call() -> list[str]:
        answers = []
        async with anyio.create_task_group() as tasks:

            async def one() -> None:
                answers.append(json.loads(await me.hermes.acall("execute_code", {"code": SEARCH}))["output"])

            for _ in range(3):
                tasks.start_soon(one)
        return answers

    assert anyio.run(call, backend=backend) == ["{'query': 'x', 'limit': 5}\n"] * 3


def test_terminal_works_in_the_shell_of_the_task(coder: Make) -> None:
    me = coder()
    me.hermes.call("terminal", {"command": "export COLOUR=blue"}, task_id="t")
    code = "from hermes_tools import terminal\nprint(terminal(command='echo $COLOUR')['output'])"
    assert me.says(code, task_id="t") == "blue\n\n"


@pytest.mark.parametrize("name", ["background", "pty", "notify_on_complete", "watch_patterns"])
def test_what_would_outlive_a_script_cannot_be_asked_for(coder: Make, name: str) -> None:
    said = coder().says(f"from hermes_tools import terminal\nprint(terminal('true', **{{{name!r}: True}}))")
    assert f"cannot be called with {name}" in said


def test_the_helpers_help(coder: Make) -> None:
    code = """
from hermes_tools import json_parse, retry, shell_quote
import subprocess
print(json_parse('{"a": "line\\nbreak"}'))
word = "it's $HOME `x` \\\\ \\n"
print(subprocess.check_output('printf %s ' + shell_quote(word), shell=True, text=True) == word)
tries = []
def third():
    tries.append(1)
    if len(tries) < 3: raise ValueError('not yet')
    return 'done'
print(retry(third, delay=0), len(tries))
try: retry(lambda: 1 / 0, max_attempts=2, delay=0)
except ZeroDivisionError: print('raised')
"""
    assert coder().says(code) == "{'a': 'line\\nbreak'}\nTrue\ndone 3\nraised\n"


def test_the_objects_of_the_host_are_out_of_reach(coder: Make) -> None:
    code = """
import gc, os, sys
print(os.getppid() != os.getpid(), 'hermes_core' in sys.modules, 'hermes_tools_terminal' in sys.modules)
import hermes_tools
print('hermes_core' in sys.modules)
print([type(o).__module__ for o in gc.get_objects() if type(o).__module__.startswith('hermes_core')])
"""
    assert coder(approvals="off").says(code) == "True False False\nFalse\n[]\n"


def test_nothing_of_the_host_can_be_called_but_tools(coder: Make) -> None:
    said = coder().says("import hermes_tools\n" + _raw("__import__", {"name": "os"}) + _raw("session.close", {}))
    assert said.count("unknown_tool") == 2


def test_only_tools_that_passed_are_named_to_the_model(coder: Make) -> None:
    me = coder()

    def told(**selection: Any) -> str:
        shown = {each["function"]["name"]: each["function"] for each in me.hermes.definitions(**selection)}
        return str(shown["execute_code"]["description"])

    assert told().endswith("Tools that it can call here: terminal, web_search.")
    assert told(enabled=["code_execution", "web"]).endswith("Tools that it can call here: web_search.")
    assert told(enabled=["code_execution"]).endswith("It can call no other tool here.")


def _raw(name: str, args: dict[str, Any]) -> str:
    """Code that calls any name at all, by the line that the module itself uses."""
    return f"print(hermes_tools._tool({name!r})(lambda: None)(**{args!r}))\n"
