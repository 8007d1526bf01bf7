"""Kills: the spellings an attacker would try, and a day of ordinary commands."""

import time

import pytest

from hermes_guard.guard import Guard
from hermes_guard.rules.kills import FAMILY

GUARD = Guard()
OWN = {rule.id for rule in FAMILY.rules}

DANGEROUS = (
    "sudo kill -TERM 1",
    "kill -STOP $(pgrep mysqld)",
    "kill -s KILL 200 201 202",
    "pgrep -u www-data | xargs -r kill",
    "killall Finder",
    "killall -HUP mDNSResponder",
    "pkill -KILL -u bob",
    "pkill -signal KILL x",
    "ps -ef | awk '/java/{print $2}' | xargs kill -9",
    "kill -9 $(cat /run/x.pid) $(pgrep y)",
    "lsof -ti tcp:8080 | xargs kill -9",
    "pkill sshd",
    "skill -9 pts/1",
    "kill -- -4242",
    "kill -9 -$PGID",
    "xargs kill -9 < pids",
    'for pid in $(ps -u deploy -o pid=); do kill -9 "$pid"; done',
    "while read p; do kill -9 $p; done < pids.txt",
)
ORDINARY = (
    "kill 4242",
    "kill -9 4242",
    "kill %1",
    "kill -INT $PID",
    'kill "$(cat server.pid)"',
    "pkill -f 'node server.js'",
    "pkill -HUP nginx",
    "killall -l",
    "pgrep -fl python",
    "tmux new -d -s x 'npm run dev'",
    "tmux kill-session -t x",
    "trap 'kill $PID' EXIT",
    "(sleep 5; kill -0 $!) ",
)
#: Nothing here may cost more than its length.
LONG = {
    "processes": "kill " + "2 " * 16_000,
    "options of kill": "kill " + "-a " * 10_000,
    "signals of pkill": "pkill " + "-SIGA " * 5_000,
    "letters of fuser": "fuser -" + "a" * 32_000,
}


@pytest.mark.parametrize("command", DANGEROUS)
def test_what_an_attacker_would_try_is_asked_about(command: str) -> None:
    assert GUARD.judge(command, home="/home/dev").severity != "allow"


@pytest.mark.parametrize("command", ORDINARY)
def test_an_ordinary_day_hears_nothing_of_these_rules(command: str) -> None:
    assert not OWN & set(GUARD.judge(command, home="/home/dev").rules)


@pytest.mark.parametrize("command", LONG.values(), ids=LONG.keys())
def test_long_arguments_are_judged_at_once(command: str) -> None:
    GUARD.judge("ls")
    assert min(_seconds(command) for _ in range(3)) < 0.1


def _seconds(command: str) -> float:
    started = time.process_time()
    GUARD.judge(command, home="/home/user")
    return time.process_time() - started
