"""A host starts within seconds, whatever one of its plugins does while it is imported."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from hermes_core.plugins.import_probe import ENDED, _find_place
from hermes_core.plugins.plugin_import import load_all
from hermes_core.plugins.plugin_sources import HOME_FILE, file_candidate

if TYPE_CHECKING:
    from plugins.conftest import Shop

BACKTRACKING = 'import re\n\nre.match(r"(a+)+$", "a" * 60 + "b")\n'
LOOP_IN_C = "import collections, itertools\ncollections.deque(itertools.count(), maxlen=0)\n"
HANGS = {
    "a regex": BACKTRACKING,
    "a loop in C": LOOP_IN_C,
    "a loop": "while True: pass\n",
    "a sleep": "import time\ntime.sleep(600)\n",
    "a child": "import subprocess\nsubprocess.run(['sleep', '600'])\n",
    "signals that are ignored": "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(600)\n",
}
ENDS = {
    "closes every file": "import os\nos.closerange(3, 256)\nraise SystemExit\n",
    "exits": "import os\nos._exit(0)\n",
    "is killed": "import os\nos.kill(os.getpid(), 9)\n",
    "crashes": "import ctypes\nctypes.string_at(0)\n",
}
GOOD = """
from hermes_core import hookimpl, tool

@tool(toolset="files")
def NAME() -> str:
    '''Answer.'''
    return "NAME"

@hookimpl
def hermes_tools():
    return [NAME]
"""


@pytest.fixture
def folder(home: Path, shop: Shop) -> Path:
    made = home / "plugins"
    made.mkdir(parents=True)
    return made


def hermes(*words: str) -> subprocess.CompletedProcess[str]:
    program = "import sys; from hermes_core.cli.main import main; sys.exit(main())"
    command = [sys.executable, "-c", program, *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize("way", HANGS)
def test_a_plugin_that_hangs_in_a_process_with_one_thread_is_given_up(folder: Path, way: str) -> None:
    (folder / "bad.py").write_text(HANGS[way])
    (folder / "good.py").write_text(GOOD.replace("NAME", "good"))
    bad, good = json.loads(hermes("plugins", "--json").stdout)["plugins"]
    assert (bad["status"], good["status"]) == ("failed", "loaded")
    assert re.search(rf"still loading after 1 s without progress, at {folder / 'bad.py'}:\d\.", bad["problems"][0])
    assert "plugins.import_seconds" in bad["remedy"]


@pytest.mark.parametrize("way", ["a regex", "a loop in C", "a sleep"])
def test_a_plugin_that_hangs_is_given_up_also_in_a_worker_thread(shop: Shop, folder: Path, way: str) -> None:
    (folder / "bad.py").write_text(HANGS[way])
    (folder / "good.py").write_text(GOOD.replace("NAME", "good"))
    answers: list[str] = []
    worker = threading.Thread(target=lambda: answers.append(shop.load().call("good")))
    worker.start()
    worker.join(60)
    assert answers == ['"good"']
    assert "still loading after 1 s" in shop.record(shop.hosts[0], "bad").problems[0]


@pytest.mark.parametrize("way", ENDS)
def test_a_plugin_that_ends_the_process_does_not_end_this_one(shop: Shop, folder: Path, way: str) -> None:
    (folder / "bad.py").write_text(ENDS[way])
    record = shop.record(shop.load(), "bad")
    assert (record.status, record.problems) == ("failed", (f"{ENDED}.",))


def test_what_it_started_is_ended_with_it(shop: Shop, folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "pid"
    code = "import pathlib, subprocess\nchild = subprocess.Popen(['sleep', '600'])\n"
    (folder / "bad.py").write_text(f"{code}pathlib.Path({str(file)!r}).write_text(str(child.pid))\nchild.wait()\n")
    shop.load()
    state = Path(f"/proc/{file.read_text()}/stat")
    end = time.monotonic() + 20
    while state.exists() and not state.read_text().rpartition(") ")[2].startswith("Z"):
        assert time.monotonic() < end
        time.sleep(0.02)


def test_plugins_that_sleep_sleep_together(shop: Shop, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HERMES_PLUGINS__IMPORT_SECONDS", "20")
    for number in range(8):
        (folder / f"nap{number}.py").write_text(f"import time\ntime.sleep(0.5)\n{GOOD.replace('NAME', f'nap{number}')}")
    started = time.monotonic()
    hermes = shop.load()
    assert [record.status for record in hermes.report] == ["loaded"] * 8
    assert time.monotonic() - started < 7  # one after the other they take 8 s, in both processes


def test_an_import_that_makes_progress_may_take_its_whole_time(tmp_path: Path, shop: Shop) -> None:
    lines = ["import time"]
    for number in range(6):
        (shop.folder / f"shop_part{number}.py").write_text("")
        lines.append(f"time.sleep(0.3)\nimport shop_part{number}")
    file = tmp_path / "slow.py"
    file.write_text("\n".join(lines) + GOOD.replace("NAME", "slow"))
    candidate = file_candidate(str(file), HOME_FILE)
    ((result, seconds),) = load_all({candidate: True}, 2.4).values()
    assert not isinstance(result, Exception), result
    assert seconds >= 1.8


def test_a_plugin_that_raises_is_explained_by_the_import_in_this_process(shop: Shop, folder: Path) -> None:
    (folder / "bad.py").write_text("import json\n\njson.loads('{')\n")
    assert "JSONDecodeError" in shop.record(shop.load(), "bad").problems[0]


def test_what_this_process_has_imported_is_not_tried_again(shop: Shop, folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "imports"
    code = f"with open({str(file)!r}, 'a') as opened: opened.write('x')\n"
    (folder / "noisy.py").write_text(code + GOOD.replace("NAME", "noisy"))
    shop.load()
    first = file.read_text()
    shop.load()
    assert file.read_text() == first == "xx"


def test_what_a_plugin_prints_while_it_is_tried_is_not_shown(folder: Path) -> None:
    (folder / "noisy.py").write_text("print('hello')\n" + GOOD.replace("NAME", "noisy"))
    outcome = hermes("tools")
    assert (outcome.stdout.count("hello"), outcome.stderr.count("hello")) == (0, 1)


def test_the_line_of_a_hang_is_the_innermost_of_the_plugin() -> None:
    trace = """
Current thread 0x00007f (most recent call first):
  File "/usr/lib/python3.11/re/__init__.py", line 166 in match
  File "/home/me/plugins/bad.py", line 3 in look
  File "/home/me/plugins/bad.py", line 9 in <module>
"""
    assert _find_place(trace) == ", at /home/me/plugins/bad.py:3"
    assert _find_place("") == ""
