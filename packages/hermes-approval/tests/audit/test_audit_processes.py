"""Processes write to one log, rotate it, fork and are killed: what was acknowledged is there exactly once."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

from hermes_approval.audit.reader import read_entries

WRITER = """
import sys
from pathlib import Path
from hermes_approval.audit.writer import AuditLog

log = AuditLog(Path(sys.argv[1]), max_bytes=20_000, keep=10_000)
print("ready", flush=True)
sys.stdin.readline()
acknowledged = []
for number in range(500):
    name = f"{sys.argv[2]}-{number}"
    log.append_or_raise({"v": 1, "id": name, "tool": "look", "args": "x" * (number % 7 * 100)})
    acknowledged.append(name)
assert log.dropped == 0
print(" ".join(acknowledged))
"""


def test_eight_processes_and_many_rotations_lose_nothing_and_double_nothing(tmp_path: Path) -> None:
    file = tmp_path / "audit.jsonl"
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, file, str(number)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(8)
    ]
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:  # all at once
        assert writer.stdin is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()
    while_writing = Counter(entry["id"] for entry in read_entries(file))
    assert not while_writing or max(while_writing.values()) == 1
    acknowledged: list[str] = []
    for writer in writers:
        said, wrong = writer.communicate(timeout=60)
        assert writer.returncode == 0, wrong
        acknowledged += said.split()
    assert len(acknowledged) == 4_000

    files = list(tmp_path.iterdir())
    assert len(files) > 50
    assert all(each.name.startswith("audit.jsonl") for each in files)
    for each in files:
        assert all(json.loads(line)["v"] == 1 for line in each.read_text().splitlines() if line)
    entries = read_entries(file)
    assert Counter(entry["id"] for entry in entries) == Counter(acknowledged)
    assert entries.skipped == 0
    assert sorted(entry["id"] for entry in read_entries(file, newest_first=True)) == sorted(acknowledged)


KILLED = """
import os, random, signal, sys, time
from collections import Counter
from pathlib import Path
from hermes_approval.audit.reader import read_entries
from hermes_approval.audit.writer import AuditLog

file = Path(sys.argv[1])
dice = random.Random(7)
acknowledged = []
for round in range(100):
    receive, send = os.pipe()
    child = os.fork()
    if child == 0:
        log = AuditLog(file, max_bytes=300_000, keep=10_000)
        number = 0
        while True:
            number += 1
            entry = {"v": 1, "id": f"{round}-{number}", "tool": "look", "args": "x" * (15_000 if number % 2 else 10)}
            log.append_or_raise(entry)
            os.write(send, f"{round}-{number}\\n".encode())
    os.close(send)
    first = os.read(receive, 1)  # it has begun
    time.sleep(dice.random() * 0.008)
    for entry in read_entries(file, newest_first=True, limit=50):  # while it writes
        assert entry["tool"] == "look"
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    rest = bytearray(first)
    while block := os.read(receive, 65_536):
        rest += block
    os.close(receive)
    acknowledged += rest.decode().split("\\n")[:-1]
    if round % 10 == 9:
        found = Counter(entry["id"] for entry in read_entries(file))
        assert max(found.values()) == 1
        missing = set(acknowledged) - set(found)
        assert not missing, missing
entries = read_entries(file)
found = Counter(entry["id"] for entry in entries)
assert max(found.values()) == 1
assert not set(acknowledged) - set(found)
assert len(found) - len(acknowledged) <= 100  # at most one for each that was written and not yet acknowledged
assert entries.skipped <= 100
print(len(acknowledged), entries.skipped, len(os.listdir(file.parent)))
"""


def test_writers_that_are_killed_at_any_moment_lose_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    command = [sys.executable, "-W", "ignore", "-c", KILLED, str(tmp_path / "audit.jsonl")]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, run.stderr
    acknowledged, _torn, files = map(int, run.stdout.split())
    assert acknowledged > 1_000
    assert files > 3


FORKING = """
import os, sys, threading
from pathlib import Path
from hermes_approval.audit.reader import read_entries
from hermes_approval.audit.writer import AuditLog

log = AuditLog(Path(sys.argv[1]), max_bytes=3_000, keep=10_000)
done = threading.Event()
written = []

def write():
    while not done.is_set():
        log.append_or_raise({"v": 1, "id": f"thread-{len(written)}", "tool": "look"})
        written.append(f"thread-{len(written)}")

thread = threading.Thread(target=write)
thread.start()
children = []
for number in range(40):
    child = os.fork()
    if child == 0:
        log.append_or_raise({"v": 1, "id": f"child-{number}", "tool": "look"})
        os._exit(log.dropped)
    children.append(child)
codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
done.set()
thread.join()
assert codes == [0] * 40, codes
entries = read_entries(log.file)
found = sorted(entry["id"] for entry in entries)
assert found == sorted([*written, *(f"child-{number}" for number in range(40))])
assert entries.skipped == 0
"""


def test_a_process_may_fork_while_its_threads_write(tmp_path: Path) -> None:
    command = [sys.executable, "-W", "ignore", "-c", FORKING, str(tmp_path / "audit.jsonl")]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert run.returncode == 0, run.stderr
