"""The first verdict of a process is the same as every later one: loading modules is no reason to ask."""

import subprocess
import sys
import time

import pytest

from hermes_guard import budget

FIRST = """
from hermes_guard import judge
spawned = [
    "git log --oneline v{}..HEAD | head", "docker compose -f a{}.yml up -d && docker ps", "npm run build{} > out.log",
    "cargo test -- t{} | tee x; cat x", "psql -c 'select {} from t'", "sed -i 's/a/b{}/' f", "kubectl get pods -n n{}",
]
lines = [f"subprocess.run({spawned[n % len(spawned)].format(n)!r}, shell=True, check=True)" for n in range(35)]
text = "python3 - <<'X'\\nimport subprocess\\n" + "\\n".join(lines) + "\\nX"
print(judge(text, home="/home/dev").rules, judge(text, home="/home/dev").rules)
"""


@pytest.mark.parametrize("options", [(), ("-B", "-X", "pycache_prefix=/nonexistent")], ids=["compiled", "from sources"])
def test_the_first_is_as_the_second(options: tuple[str, ...]) -> None:
    found = subprocess.run([sys.executable, *options, "-c", FIRST], capture_output=True, text=True, check=True)
    assert found.stdout == "() ()\n"


def test_loaded_modules_give_the_time_back(monkeypatch: pytest.MonkeyPatch) -> None:
    given = budget.Budget(seconds=0)
    while not given.late:
        time.sleep(0)
    monkeypatch.setitem(sys.modules, "a module that was loaded meanwhile", budget)
    assert not given.late


def test_time_that_is_over_stays_over() -> None:
    given = budget.Budget(seconds=0)
    sum(range(1000))
    assert given.late
    assert given.late
